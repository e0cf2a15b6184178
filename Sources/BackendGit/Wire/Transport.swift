internal import GitObjects
internal import Programs
internal import SyncKit

/// Connects to the services of one repository.
protocol Transport: Sendable {
  /// True if each message is a separate request, as with HTTP, instead of part of one stream.
  var isStateless: Bool { get }

  /// How it connects to the repository, for messages.
  var summary: String { get }

  /// Begins an exchange. A stateless transport is opened once for the list of references, and then once for each message.
  func open(_ service: Service, asksWhatThereIs: Bool, _ stop: Stop) throws(SyncError) -> any Channel
}

/// A bidirectional byte stream. Each call returns within the stall timeout, or when the caller is cancelled.
protocol Channel: AnyObject {
  /// Writes all of `bytes`.
  func write(_ bytes: UnsafeRawBufferPointer) throws(SyncError)
  /// Reads some bytes into `buffer`; 0 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(SyncError) -> Int
  /// Ends the exchange; if `isComplete`, the remote may finish its work within the stall timeout.
  func close(isComplete: Bool)
}
