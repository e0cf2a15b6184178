internal import CPOSIX

/// Both ends of the pipes between parent and child. The descriptors of an unused pipe are -1.
struct Pipes {
  private(set) var (ourInput, theirInput): (CInt, CInt) = (-1, -1)
  private(set) var (ourOutput, theirOutput): (CInt, CInt) = (-1, -1)
  private(set) var (ourErrors, theirErrors): (CInt, CInt) = (-1, -1)

  init(hasInput: Bool, hasErrors: Bool) throws(ChildProcessError) {
    do throws(ChildProcessError) {
      if hasInput { (theirInput, ourInput) = try Self.pipe() }
      (ourOutput, theirOutput) = try Self.pipe()
      if hasErrors { (ourErrors, theirErrors) = try Self.pipe() }
    } catch {
      closeTheirs()
      closeOurs()
      throw error
    }
    for end in [ourInput, ourOutput, ourErrors] where end >= 0 { _ = posix_fcntl(end, F_SETFL, O_NONBLOCK) }
  }

  func closeTheirs() { Self.close([theirInput, theirOutput, theirErrors]) }

  func closeOurs() { Self.close([ourInput, ourOutput, ourErrors]) }

  private static func close(_ ends: [CInt]) { for end in ends where end >= 0 { CPOSIX.close(end) } }

  /// Creates a pipe. Its ends are not descriptors 0 to 2, which the child receives; those may be closed in this process, for
  /// example in a hook of git.
  private static func pipe() throws(ChildProcessError) -> (reading: CInt, writing: CInt) {
    var ends: [CInt] = [-1, -1]
    guard unsafe CPOSIX.pipe(&ends) == 0 else {
      throw .noPipes(reason: systemMessage(unsafe posix_errno().pointee))
    }
    let moved = ends.map { posix_fcntl($0, F_DUPFD_CLOEXEC, 3) }
    close(ends)
    guard moved.allSatisfy({ $0 >= 0 }) else {
      close(moved)
      throw .noPipes(reason: systemMessage(EMFILE))
    }
    return (moved[0], moved[1])
  }
}
