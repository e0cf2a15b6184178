public import SyncKit

/// Contents in memory by their digest: the smallest library, and a sink for tests.
public actor MemoryContents: ContentLibrary {
  private var flushed: [Digest: Content] = [:]
  private var fresh: [Digest: Content] = [:]
  /// The versions in the order of recording.
  public private(set) var versions: [Version] = []

  public init() {}

  /// All held contents, durable or not.
  public var all: [Digest: Content] { flushed.merging(fresh) { $1 } }

  /// The contents that would survive a power cut.
  public var durable: Set<Digest> { Set(flushed.keys) }

  /// Returns true if a content is held, durably or not.
  public func holds(_ digest: Digest) -> Bool { fresh[digest] != nil || flushed[digest] != nil }

  public func content(_ digest: Digest) -> Content? { fresh[digest] ?? flushed[digest] }

  public nonisolated func intake(keepingAtMost limit: Int) -> any ContentSink {
    LibrarySink(contents: self, limit: limit)
  }

  public func flush() {
    flushed.merge(fresh) { $1 }
    fresh = [:]
  }

  public func keep(_ versions: [Version]) {
    flush()
    self.versions += versions
  }

  /// Loses everything that was not flushed, like a power cut.
  func loseFresh() { fresh = [:] }

  func take(in content: Content) { fresh[content.digest] = content }
}

/// Receives contents for a library.
private struct LibrarySink: ContentSink {
  let contents: MemoryContents
  let limit: Int

  func receive(
    size: Int, _ body: (any ContentIntake) async throws(SyncError) -> Void
  ) async throws(SyncError) -> (digest: Digest, size: Int) {
    let intake = MemoryIntake(limit: limit)
    try await body(intake)
    let (digest, size, bytes) = await intake.finish()
    if let bytes { await contents.take(in: Content(bytes, digest: digest)) }
    return (digest, size)
  }

  func receive(_ bytes: [UInt8]) async -> Digest {
    let content = Content(bytes)
    if bytes.count <= limit { await contents.take(in: content) }
    return content.digest
  }
}

/// Hashes a stream, and keeps its content unless it is too large.
private actor MemoryIntake: ContentIntake {
  private let limit: Int
  private var hasher = DigestHasher()
  private var size = 0
  private var bytes: [UInt8]? = []

  init(limit: Int) { self.limit = limit }

  func write(_ chunk: [UInt8]) {
    hasher.update(chunk)
    size += chunk.count
    if size <= limit { bytes?.append(contentsOf: chunk) } else { bytes = nil }
  }

  func finish() -> (digest: Digest, size: Int, bytes: [UInt8]?) { (hasher.finish(), size, bytes) }
}
