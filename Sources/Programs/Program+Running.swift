public import SyncKit

extension Program {
  /// The output and status of a program that has ended.
  public struct Output: Hashable, Sendable {
    /// Its standard output, up to the limit.
    public var bytes: [UInt8]
    /// Its exit status; nil if a signal ended it.
    public var status: Int?
    /// Its error output as one line, shortened to fit into a message.
    public var errorText: String
  }

  /// Runs `arguments[0]` with `input` until it ends. Stops reading after `limit` bytes of output.
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

  /// The error output as one line, shortened to fit into a message.
  public var errorSummary: String { String(errorLines.joined(separator: " / ").prefix(2_048)) }

  /// Returns the environment for an unattended program: without helpers that ask questions, without variables of a git
  /// repository that this process was started in, and with messages in English.
  public static func unattended(_ environment: [String: String]) -> [String: String] {
    environment.filter { $0.key != "SSH_ASKPASS" && !$0.key.hasPrefix("GIT_") }
      .merging(["LC_ALL": "C", "LANGUAGE": ""]) { $1 }
  }
}
