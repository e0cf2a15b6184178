public import Programs
public import SyncKit

/// A command or subsystem that runs on a remote host, and its streams. One thread uses it.
///
/// Reading and writing throw `.unavailable` if no byte moves for the timeout, and `.cancelled` after ``Stop/ask()``.
public protocol RemoteProcess: AnyObject {
  /// Writes all of `bytes`; returns false if the process no longer reads. Its error output then contains the reason.
  func write(_ bytes: [UInt8]) throws(SyncError) -> Bool

  /// Returns the next bytes of the process's output; none at its end.
  func nextOutput() throws(SyncError) -> [UInt8]

  /// The first 16 KiB of the process's error output as lines, without control characters.
  var errorLines: [String] { get }

  /// The process's exit status; nil while it runs, or if a signal ended it.
  var exitStatus: Int? { get }

  /// Ends the process. If `isComplete`, waits up to the timeout for it to finish first.
  func end(isComplete: Bool)
}

/// The local ssh program represents the process that it runs on the remote host.
extension Program: RemoteProcess {}
