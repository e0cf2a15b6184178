import Synchronization

/// Receives one small content and keeps it in memory.
public final class MemorySink: ContentSink, ContentIntake {
  private let limit: Int
  private let held = Mutex<[UInt8]>([])

  /// Creates a sink.
  ///
  /// - Parameter limit: The maximum size in bytes; a larger content is refused with `.pathFailed`.
  public init(limit: Int) { self.limit = limit }

  /// The content that was received last.
  public var bytes: [UInt8] { held.withLock { $0 } }

  public func receive(
    size: Int, _ body: (any ContentIntake) async throws(SyncError) -> Void
  ) async throws(SyncError) -> (digest: Digest, size: Int) {
    held.withLock { $0 = [] }
    try await body(self)
    return (Digest(of: bytes), bytes.count)
  }

  public func write(_ chunk: [UInt8]) throws(SyncError) {
    guard bytes.count + chunk.count <= limit else {
      throw SyncError(.pathFailed, "the file is larger than the limit of \(limit) B")
    }
    held.withLock { $0 += chunk }
  }
}
