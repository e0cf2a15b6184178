internal import Programs
internal import RsyncWire
internal import SyncKit

/// A way to run commands on the other machine.
protocol Transport: Sendable {
  /// How it gets there, in words.
  var words: String { get }

  /// Starts a command there.
  func start(_ command: String, _ stop: Stop) throws(SyncError) -> any RemoteProgram
}

/// A command that runs on the other machine.
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
