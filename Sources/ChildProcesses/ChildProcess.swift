package import CPOSIX

/// A program that runs as a child in a process group of its own, and our ends of its pipes. One thread uses it at a time.
///
/// The child inherits no descriptor, default signals and exactly the environment that it is given. Our ends never block.
/// The owner ends it: ``kill()``, or ``isRunning`` until it is false, which also reaps it.
@safe package final class ChildProcess {
  /// The process id, which is also that of its process group.
  package let id: pid_t
  /// Where to write the child's input; -1 if it reads nothing, or after ``closeInput()``.
  package private(set) var input: CInt
  /// Where to read the child's output.
  package let output: CInt
  /// Where to read the child's error output; -1 if that goes where ours goes.
  package let errors: CInt
  /// How the child ended; nil while it runs, as far as ``isRunning`` was asked.
  package private(set) var exit: Exit?

  /// How a child ended.
  package enum Exit: Hashable, Sendable {
    /// It exited with this status.
    case exited(Int)
    /// A signal ended it.
    case signalled(Int)
    /// Another part of the program collected it, so its status is unknown.
    case unknown
  }

  /// Starts `arguments[0]`, which is looked up in `PATH`.
  ///
  /// - Parameters:
  ///   - variables: the whole environment of the child.
  ///   - hasInput: the child reads what is written to ``input``; otherwise it reads `/dev/null`.
  ///   - hasErrors: the child's error output is read from ``errors``; otherwise it goes where ours goes.
  package init(
    _ arguments: [String], variables: [String: String], hasInput: Bool, hasErrors: Bool
  ) throws(ChildProcessError) {
    // A child that ends while we write to it must not end us.
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

  /// Tells the child that nothing more will be written.
  package func closeInput() {
    if input >= 0 { close(input) }
    input = -1
  }

  /// Returns true until the child has ended. The first call after that reaps it and fills in ``exit``.
  package var isRunning: Bool {
    guard exit == nil else { return false }
    var status: CInt = 0
    let found = unsafe waitpid(id, &status, WNOHANG)
    guard found != 0 else { return true }
    // The low seven bits are the signal that ended it, if one did.
    exit = found < 0 ? .unknown : status & 0x7F == 0 ? .exited(Int(status >> 8 & 0xFF)) : .signalled(Int(status & 0x7F))
    return false
  }

  /// Ends the child with all of its group and reaps it, unless it has ended.
  package func kill() {
    guard isRunning else { return }
    CPOSIX.kill(-id, SIGKILL)
    // The kernel lets it go at once; should it not, we do not wait for it.
    for _ in 0..<1_000 where isRunning { usleep(1_000) }
  }
}

/// Why a child could not be started.
package enum ChildProcessError: Error, Hashable, Sendable {
  /// The system has no pipe.
  case noPipes(reason: String)
  /// The program is missing, or cannot be run.
  case notStarted(program: String, reason: String)
}

/// The system's sentence for an error number.
func systemMessage(_ number: CInt) -> String { unsafe String(cString: strerror(number)) }
