package import CPOSIX

/// A child process in its own process group, and the parent's ends of its pipes. One thread uses it at a time.
///
/// The child inherits no descriptor, has default signals, and exactly the environment that it is given. The parent's ends never
/// block. The owner ends the child: with ``kill()``, or by polling ``isRunning`` until it is false, which also reaps it.
@safe package final class ChildProcess {
  /// The process id, which is also that of its process group.
  package let id: pid_t
  /// The descriptor for writing the child's input; -1 if it reads nothing, or after ``closeInput()``.
  package private(set) var input: CInt
  /// The descriptor for reading the child's output.
  package let output: CInt
  /// The descriptor for reading the child's error output; -1 if the child shares the parent's.
  package let errors: CInt
  /// The result of the child; nil until ``isRunning`` has seen its end.
  package private(set) var exit: Exit?

  /// The result of a child.
  package enum Exit: Hashable, Sendable {
    /// It exited with this status.
    case exited(Int)
    /// A signal ended it.
    case signalled(Int)
    /// Another part of the program reaped it, so its status is unknown.
    case unknown
  }

  /// Starts `arguments[0]`, which is looked up in `PATH`.
  ///
  /// - Parameters:
  ///   - variables: the whole environment of the child.
  ///   - hasInput: true to write the child's input to ``input``; otherwise the child reads `/dev/null`.
  ///   - hasErrors: true to read the child's error output from ``errors``; otherwise the child shares the parent's.
  package init(
    _ arguments: [String], variables: [String: String], hasInput: Bool, hasErrors: Bool
  ) throws(ChildProcessError) {
    // Writing to a child that has ended must not end this process.
    if hasInput { posix_ignore_broken_pipes() }
    let pipes = try Pipes(hasInput: hasInput, hasErrors: hasErrors)
    let (id, error) = spawn(arguments, variables, pipes)
    pipes.closeTheirs()
    guard error == 0 else {
      pipes.closeOurs()
      throw .notStarted(program: arguments.first ?? "", reason: systemMessage(error))
    }
    self.id = id
    (input, output, errors) = (pipes.ourInput, pipes.ourOutput, pipes.ourErrors)
  }

  deinit {
    for descriptor in [input, output, errors] where descriptor >= 0 { close(descriptor) }
  }

  /// Closes the child's input, so that it reads the end of the file.
  package func closeInput() {
    if input >= 0 { close(input) }
    input = -1
  }

  /// True until the child has ended. The first call after that reaps it and sets ``exit``.
  package var isRunning: Bool {
    guard exit == nil else { return false }
    var status: CInt = 0
    let found = unsafe waitpid(id, &status, WNOHANG)
    guard found != 0 else { return true }
    // The low seven bits are the signal that ended it, if one did.
    exit = found < 0 ? .unknown : status & 0x7F == 0 ? .exited(Int(status >> 8 & 0xFF)) : .signalled(Int(status & 0x7F))
    return false
  }

  /// Kills the child's process group and reaps the child, unless it has ended.
  package func kill() {
    guard isRunning else { return }
    CPOSIX.kill(-id, SIGKILL)
    // The kernel ends it at once; the wait is limited in case it does not.
    for _ in 0..<1_000 where isRunning { usleep(1_000) }
  }
}

/// The reason why a child could not be started.
package enum ChildProcessError: Error, Hashable, Sendable {
  /// No pipe could be created.
  case noPipes(reason: String)
  /// The program is missing or not executable.
  case notStarted(program: String, reason: String)
}

/// The system's message for an errno.
func systemMessage(_ number: CInt) -> String { unsafe String(cString: strerror(number)) }
