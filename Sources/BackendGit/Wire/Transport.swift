internal import Programs
internal import SyncKit

/// A way to the services of one repository.
protocol Transport: Sendable {
  /// True if each message is a request of its own, as by HTTP, instead of a part of one conversation.
  var isStateless: Bool { get }

  /// How it reaches the repository, for a person.
  var summary: String { get }

  /// Begins a conversation. A stateless one is first asked what there is, and then once for each message.
  func open(_ service: Service, asksWhatThereIs: Bool, _ stop: Stop) throws(SyncError) -> any Channel
}

/// A stream of bytes both ways. Each call returns within the stall timeout, or when the caller is cancelled.
protocol Channel: AnyObject {
  /// Writes all of `bytes`.
  func write(_ bytes: UnsafeRawBufferPointer) throws(SyncError)
  /// Reads some bytes into `buffer`; 0 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(SyncError) -> Int
  /// Ends the conversation; with `isComplete` the remote may finish its work, within the same time.
  func close(isComplete: Bool)
}
