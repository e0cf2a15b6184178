import Synchronization

/// Receives contents only to compute their digests and sizes.
public struct DigestSink: ContentSink {
  public init() {}

  public func receive(
    size: Int, _ body: (any ContentIntake) async throws(SyncError) -> Void
  ) async throws(SyncError) -> (digest: Digest, size: Int) {
    let intake = Intake()
    try await body(intake)
    return intake.finish()
  }

  private final class Intake: ContentIntake {
    private let state = Mutex((hasher: DigestHasher(), size: 0))

    func write(_ chunk: [UInt8]) {
      state.withLock {
        $0.hasher.update(chunk)
        $0.size += chunk.count
      }
    }

    func finish() -> (digest: Digest, size: Int) { state.withLock { ($0.hasher.finish(), $0.size) } }
  }
}
