/// The bytes of one version, which can be read as often as wanted and may be larger than memory.
public struct Content: Sendable {
  public let digest: Digest
  public let size: Int
  private let source: Source

  private enum Source: Sendable {
    case bytes([UInt8])
    case reader(@Sendable () throws(SyncError) -> any ContentReader)
  }

  /// The content that consists of `bytes`.
  public init(_ bytes: [UInt8]) {
    self.init(bytes, digest: Digest(of: bytes))
  }

  /// The content that consists of `bytes`, whose digest the caller has computed.
  public init(_ bytes: [UInt8], digest: Digest) {
    self.digest = digest
    self.size = bytes.count
    self.source = .bytes(bytes)
  }

  /// A content that is read in pieces; `open` starts a new reading at byte 0 each time it is called.
  public init(digest: Digest, size: Int, open: @escaping @Sendable () throws(SyncError) -> any ContentReader) {
    self.digest = digest
    self.size = size
    self.source = .reader(open)
  }

  /// A new reading that starts at byte 0.
  public func reader() throws(SyncError) -> any ContentReader {
    switch source {
    case .bytes(let bytes): BytesReader(rest: bytes)
    case .reader(let open): try open()
    }
  }

  /// All bytes at once; `.pathFailed` if they are more than `limit`.
  public func bytes(atMost limit: Int = .max) async throws(SyncError) -> [UInt8] {
    guard size <= limit else {
      throw SyncError(.pathFailed, "a content of \(size) bytes is too large to be held in memory")
    }
    if case .bytes(let bytes) = source { return bytes }
    var reader = try reader()
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size)
    while let chunk = try await reader.next() { bytes += chunk }
    return bytes
  }
}

/// One reading of a content, from its first byte to its last.
public protocol ContentReader: Sendable {
  /// The next bytes, at most a mebibyte and never none, or nil at the end.
  mutating func next() async throws(SyncError) -> [UInt8]?
}

private struct BytesReader: ContentReader {
  var rest: [UInt8]?

  mutating func next() -> [UInt8]? {
    defer { rest = nil }
    return rest?.isEmpty == true ? nil : rest
  }
}

/// Takes in the contents that a replica reads.
///
/// The replica calls `receive` once for each file it was asked for, and writes the file's bytes into the intake it is
/// handed, in order; when the body throws, what was written is forgotten.
public protocol ContentSink: Sendable {
  /// Takes one content of about `size` bytes in, and says which digest and size it had.
  func receive(
    size: Int, _ body: (any ContentIntake) async throws(SyncError) -> Void
  ) async throws(SyncError) -> (digest: Digest, size: Int)

  /// Takes in a content that is in memory as a whole; by default through an intake.
  func receive(_ bytes: [UInt8]) async throws(SyncError) -> Digest
}

extension ContentSink {
  public func receive(_ bytes: [UInt8]) async throws(SyncError) -> Digest {
    try await receive(size: bytes.count) { intake throws(SyncError) in try await intake.write(bytes) }.digest
  }
}

/// Where the bytes of one content are written, in order.
public protocol ContentIntake: AnyObject, Sendable {
  func write(_ chunk: [UInt8]) async throws(SyncError)
}
