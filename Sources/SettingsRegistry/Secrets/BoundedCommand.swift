import Dispatch
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A program that is run without a shell for its output, with a timeout and a maximum length.
///
/// Its standard input is empty and its standard error is ours. After the timeout it is killed with all that it started.
package struct BoundedCommand: Sendable {
  let arguments: [String]
  let variables: [String: String]
  var timeLimit = Duration.seconds(30)
  var outputLimit = SecretSource.sizeLimit

  /// Creates a command: the program `arguments[0]`, sought in `PATH`, with the rest as its arguments and exactly these
  /// environment variables.
  package init(_ arguments: [String], variables: [String: String]) {
    self.arguments = arguments
    self.variables = variables
  }

  /// Kills every such program that still runs, for a process that exits without waiting for them.
  package static func endAll() { ChildProcess.endAll() }

  /// Runs the program and returns its standard output. Throws ``SecretError`` unless it exits with status 0 in time.
  package func output() async throws -> [UInt8] {
    let isCancelled = Mutex(false)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        // On a thread of its own: the timeout holds however busy all others are.
        DispatchQueue(label: "command").async {
          continuation.resume(with: Result { try wait { isCancelled.withLock(\.self) } })
        }
      }
    } onCancel: {
      isCancelled.withLock { $0 = true }
    }
  }

  private func wait(until isCancelled: () -> Bool) throws -> [UInt8] {
    let child = try ChildProcess(arguments, variables: variables)
    defer { child.end() }
    let deadline = ContinuousClock.now + timeLimit
    var output: [UInt8] = []
    // Polled: signals belong to the program, and a thread that waits for a child can block for ever.
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

  private var name: String { "the command \"\(arguments.first ?? "")\"" }
}
