internal import Programs
internal import RsyncWire
internal import SSHConnection
internal import SyncKit

/// A way to run commands and services on the remote host.
protocol Transport: Sendable {
  /// How it gets there, in words.
  var words: String { get }

  /// Starts a command or a service there. A service that is not offered ends at once, and complains of that.
  ///
  /// - Parameter more: how much longer than otherwise nothing may move.
  func start(_ request: SSHRequest, patience more: Duration, _ stop: Stop) throws(SyncError) -> any RemoteProgram
}

/// A command or a service that runs on the remote host.
protocol RemoteProgram: ByteStream {
  /// Waits until it has ended, where it was let come to its end; breaks it off otherwise. Says how it ended.
  func end(isComplete: Bool) -> Ending
}

/// How a command ended.
struct Ending: Hashable, Sendable {
  /// Its exit status; nil where there is none.
  var status: Int?
  /// What it, or whatever started it, complained about, line by line.
  var complaints: [String]
}
