import SyncKit

/// Hashes contents, and keeps them in memory up to a limit.
struct HashingSink: ContentSink {
  let pending: PendingContents
  let limit: Int
  let room: Int

  func receive(
    size: Int, _ body: (any ContentIntake) async throws(SyncError) -> Void
  ) async throws(SyncError) -> (digest: Digest, size: Int) {
    let intake = MemoryIntake(limit: min(limit, room - pending.bytes))
    try await body(intake)
    let (digest, size, bytes) = await intake.finish()
    if let bytes { _ = try pending.add(.bytes(bytes, at: nil), digest) }
    return (digest, size)
  }
}

/// Receives one content.
private actor MemoryIntake: ContentIntake {
  private let limit: Int
  private var hasher = DigestHasher()
  private var size = 0
  private var bytes: [UInt8] = []

  init(limit: Int) { self.limit = limit }

  func write(_ chunk: [UInt8]) {
    hasher.update(chunk)
    size += chunk.count
    if size <= limit { bytes += chunk } else { bytes = [] }
  }

  /// Returns the digest and size of everything written, and the bytes if they are within the limit.
  func finish() -> (Digest, Int, [UInt8]?) { (hasher.finish(), size, size <= limit ? bytes : nil) }
}
