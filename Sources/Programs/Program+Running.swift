public import SyncKit

extension Program {
  /// What a program that was run to its end wrote.
  public struct Output: Hashable, Sendable {
    /// Its standard output, up to the limit.
    public var bytes: [UInt8]
    /// The status that it exited with; nil if a signal ended it.
    public var status: Int?
    /// Its error output as one line, as much of it as a message has room for.
    public var errorText: String
  }

  /// Runs `arguments[0]` with `input` until it ends. A program that writes more than `limit` bytes is not read further.
  public static func run(
    _ arguments: [String], variables: [String: String], input: [UInt8] = [], limit: Int = 65_536, patience: Duration,
    _ stop: Stop
  ) throws(SyncError) -> Output {
    let program = try Program(arguments, variables: variables, patience: patience, stop)
    var output: [UInt8] = []
    if try program.write(input) {
      program.endInput()
      while output.count < limit {
        let piece = try program.nextOutput()
        guard !piece.isEmpty else { break }
        output += piece
      }
    }
    program.end(isComplete: true)
    return Output(bytes: Array(output.prefix(limit)), status: program.exitStatus, errorText: program.errorSummary)
  }

  /// The error output as one line, as much of it as a message has room for.
  public var errorSummary: String { String(errorLines.joined(separator: " / ").prefix(2_048)) }

  /// The environment for a program that runs unattended: nothing that could ask a question, nothing of a git repository that
  /// this process was started in, and messages in English.
  public static func unattended(_ environment: [String: String]) -> [String: String] {
    environment.filter { $0.key != "SSH_ASKPASS" && !$0.key.hasPrefix("GIT_") }
      .merging(["LC_ALL": "C", "LANGUAGE": ""]) { $1 }
  }
}
