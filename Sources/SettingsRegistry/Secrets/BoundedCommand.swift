import Dispatch
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A program that is run without a shell for what it prints, within bounds of time and length.
///
/// It reads nothing, prints its complaints where ours go, and is ended with all it started once it takes too long.
package struct BoundedCommand: Sendable {
  let words: [String]
  let variables: [String: String]
  var timeLimit = Duration.seconds(30)
  var outputLimit = SecretSource.sizeLimit

  /// The program `words[0]` with the rest as its arguments and exactly these environment variables.
  package init(_ words: [String], variables: [String: String]) {
    self.words = words
    self.variables = variables
  }

  /// Ends every such program that still runs, because this one is about to end without waiting for them.
  package static func endAll() { ChildProcess.endAll() }

  /// What the program prints on its standard output until it exits with status 0.
  package func output() async throws -> [UInt8] {
    let isCancelled = Mutex(false)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        // On a thread of its own: the time limit shall hold however busy all others are.
        DispatchQueue(label: "command").async {
          continuation.resume(with: Result { try wait { isCancelled.withLock(\.self) } })
        }
      }
    } onCancel: {
      isCancelled.withLock { $0 = true }
    }
  }

  private func wait(until isCancelled: () -> Bool) throws -> [UInt8] {
    let child = try ChildProcess(words, variables: variables)
    defer { child.end() }
    let deadline = ContinuousClock.now + timeLimit
    var output: [UInt8] = []
    // Asked again and again: signals belong to the program, and a thread that waits for a child may wait for ever.
    while true {
      let status = child.exitStatus()
      output += child.availableOutput(upTo: outputLimit + 1 - output.count)
      guard output.count <= outputLimit else { throw SecretError("\(name) prints too much") }
      if let status { return try checked(output, status) }
      guard ContinuousClock.now < deadline else { throw SecretError("\(name) takes longer than \(timeLimit.text)") }
      if isCancelled() { throw CancellationError() }
      usleep(5_000)
    }
  }

  private func checked(_ output: [UInt8], _ status: CInt) throws(SecretError) -> [UInt8] {
    guard status == 0 else { throw SecretError("\(name) failed with status \(status)") }
    return output
  }

  private var name: String { "the command \"\(words.first ?? "")\"" }
}
