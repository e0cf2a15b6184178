internal import ChildProcesses
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
/// It reads only `input`, and shares our standard error, unless it explains failures. After the timeout its whole process group is killed.
package struct BoundedCommand: Sendable {
  let arguments: [String]
  let variables: [String: String]
  /// The program's input; the program need not read it.
  let input: [UInt8]
  package var timeLimit = Duration.seconds(30)
  /// True to add the beginning of both outputs to the error if the program fails, and to discard the rest.
  package var explainsFailures = false
  var outputLimit = SecretSource.sizeLimit

  /// Creates a command: the program `arguments[0]`, looked up in `PATH`, with the other arguments and exactly these environment
  /// variables.
  package init(_ arguments: [String], variables: [String: String], input: [UInt8] = []) {
    self.arguments = arguments
    self.variables = variables
    self.input = input
  }

  /// The process groups of the running programs.
  private static let running = Mutex<Set<pid_t>>([])

  /// Kills all running programs, for a process that exits without waiting for them.
  package static func endAll() { running.withLock { for id in $0 { kill(-id, SIGKILL) } } }

  /// Runs the program and returns its standard output. Throws ``SecretError`` unless it exits with status 0 in time.
  package func output() async throws -> [UInt8] {
    let isCancelled = Mutex(false)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        // On a dedicated thread: the time limit must hold even if all others are busy.
        DispatchQueue(label: "command").async {
          continuation.resume(with: Result { try wait { isCancelled.withLock(\.self) } })
        }
      }
    } onCancel: {
      isCancelled.withLock { $0 = true }
    }
  }

  private func wait(until isCancelled: () -> Bool) throws -> [UInt8] {
    let child = try started()
    _ = Self.running.withLock { $0.insert(child.id) }
    defer {
      child.kill()
      _ = Self.running.withLock { $0.remove(child.id) }
    }
    let deadline = ContinuousClock.now + timeLimit
    var output: [UInt8] = []
    var rest = input[...]
    // Polled, because signals belong to the program, and a thread that waits for a child can block forever.
    while true {
      let isRunning = child.isRunning
      send(&rest, to: child)
      while output.count <= outputLimit, let part = readAvailable(child.output), !part.isEmpty { output += part }
      if explainsFailures {
        while output.count <= outputLimit, let part = readAvailable(child.errors), !part.isEmpty { output += part }
        output = Array(output.prefix(Self.explanationLimit))
      }
      guard output.count <= outputLimit else { throw SecretError("\(name) prints too much") }
      guard isRunning else { return try checked(output, child.exit) }
      guard ContinuousClock.now < deadline else {
        throw SecretError("\(name) takes longer than \(timeLimit.text)\(explanation(output))")
      }
      if isCancelled() { throw CancellationError() }
      usleep(5_000)
    }
  }

  /// Writes as much input as the program accepts now.
  private func send(_ rest: inout ArraySlice<UInt8>, to child: ChildProcess) {
    guard child.input >= 0 else { return }
    let count = rest.isEmpty ? 0 : unsafe rest.withUnsafeBytes { unsafe write(child.input, $0.baseAddress, $0.count) }
    if count > 0 { rest = rest.dropFirst(count) }
    // A program that does not read its input reports errors by its status.
    if rest.isEmpty || count < 0 && errno != EAGAIN && errno != EINTR { child.closeInput() }
  }

  private func started() throws(SecretError) -> ChildProcess {
    do throws(ChildProcessError) {
      return try ChildProcess(arguments, variables: variables, hasInput: !input.isEmpty, hasErrors: explainsFailures)
    } catch {
      switch error {
      case .noPipes(let reason): throw SecretError("cannot make a pipe for \(name): \(reason)")
      case .notStarted(_, let reason): throw SecretError("\(name) cannot be run: \(reason)")
      }
    }
  }

  private func checked(_ output: [UInt8], _ exit: ChildProcess.Exit?) throws(SecretError) -> [UInt8] {
    switch exit {
    case .exited(0): return output
    case .exited(let status): throw SecretError("\(name) failed with status \(status)\(explanation(output))")
    // As shells do.
    case .signalled(let signal): throw SecretError("\(name) failed with status \(128 + signal)\(explanation(output))")
    case .unknown, nil: throw SecretError("\(name) failed with an unknown status")
    }
  }

  /// The maximum length of a program's output in an error.
  private static let explanationLimit = 4_096

  private func explanation(_ output: [UInt8]) -> String {
    guard explainsFailures, !output.isEmpty else { return "" }
    return ": " + String(decoding: output, as: UTF8.self)
  }

  private var name: String { "the command \"\(arguments.first ?? "")\"" }
}
