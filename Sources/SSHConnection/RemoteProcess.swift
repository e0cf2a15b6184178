public import Programs
public import SyncKit

/// A command or a subsystem that runs on a remote host, and its streams. One thread uses it.
///
/// Reading and writing throw `.unavailable` if nothing moves for the timeout, and `.cancelled` once the caller's `Stop` asks.
public protocol RemoteProcess: AnyObject {
  /// Writes all of `bytes`; returns false if the process does not read any more. Its error output then says why.
  func write(_ bytes: [UInt8]) throws(SyncError) -> Bool

  /// Returns the next bytes of the process's output; none at its end.
  func nextOutput() throws(SyncError) -> [UInt8]

  /// What the process wrote to its error output, line by line, without control characters; the first 16 KiB of it.
  var errorLines: [String] { get }

  /// The status that the process exited with; nil while it runs, or if a signal ended it.
  var exitStatus: Int? { get }

  /// Ends the process. With `isComplete` it may finish what it was asked to do, within the timeout.
  func end(isComplete: Bool)
}

/// The program ssh stands for the process that it carries to the remote host.
extension Program: RemoteProcess {}
