/// The bytes of one version, which can be read repeatedly and may be larger than memory.
public struct Content: Sendable {
  /// The digest of the bytes.
  public let digest: Digest
  /// The number of bytes.
  public let size: Int
  private let source: Source
  /// Called when a reader begins.
  private var willRead: @Sendable () -> Void = {}

  private enum Source: Sendable {
    case bytes([UInt8])
    case reader(@Sendable () throws(SyncError) -> any ContentReader)
  }

  /// Creates the content that consists of `bytes`.
  public init(_ bytes: [UInt8]) {
    self.init(bytes, digest: Digest(of: bytes))
  }

  /// Creates the content that consists of `bytes`, whose digest the caller has computed.
  public init(_ bytes: [UInt8], digest: Digest) {
    self.digest = digest
    self.size = bytes.count
    self.source = .bytes(bytes)
  }

  /// Creates a content that is read in chunks; each call of `open` starts at byte 0.
  public init(digest: Digest, size: Int, open: @escaping @Sendable () throws(SyncError) -> any ContentReader) {
    self.digest = digest
    self.size = size
    self.source = .reader(open)
  }

  /// Returns a reader that starts at byte 0.
  public func reader() throws(SyncError) -> any ContentReader {
    willRead()
    return switch source {
    case .bytes(let bytes): BytesReader(rest: bytes)
    case .reader(let open): try open()
    }
  }

  /// Returns the same content; `call` is called whenever a reader begins.
  package func observed(_ call: @escaping @Sendable () -> Void) -> Content {
    var content = self
    content.willRead = call
    return content
  }

  /// Reads all bytes. Throws `.pathFailed` if they are more than `limit`.
  public func bytes(atMost limit: Int = .max) async throws(SyncError) -> [UInt8] {
    guard size <= limit else {
      throw SyncError(.pathFailed, "a content of \(size.counted("byte")) is too large for the memory")
    }
    if case .bytes(let bytes) = source {
      willRead()
      return bytes
    }
    var reader = try reader()
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size)
    while let chunk = try await reader.next() { bytes += chunk }
    return bytes
  }
}

/// Reads a content once, from the first byte to the last.
public protocol ContentReader: Sendable {
  /// Returns the next chunk, of 1 byte to 1 MiB; nil at the end.
  mutating func next() async throws(SyncError) -> [UInt8]?
}

private struct BytesReader: ContentReader {
  var rest: [UInt8]?

  mutating func next() -> [UInt8]? {
    defer { rest = nil }
    return rest?.isEmpty == true ? nil : rest
  }
}

/// Receives the contents that a replica reads.
///
/// The replica calls `receive` once per requested file, and writes the bytes of the file in order into the intake. If the
/// body throws, the written bytes are discarded.
public protocol ContentSink: Sendable {
  /// Receives one content of about `size` bytes, and returns its digest and size.
  func receive(
    size: Int, _ body: (any ContentIntake) async throws(SyncError) -> Void
  ) async throws(SyncError) -> (digest: Digest, size: Int)

  /// Receives a content that is in memory. Default: through an intake.
  func receive(_ bytes: [UInt8]) async throws(SyncError) -> Digest

  /// Returns the sink for the content of one path, so that an archive can store it as the difference from the content that the
  /// path had. Default: this sink.
  func of(_ path: SyncPath) -> any ContentSink
}

extension ContentSink {
  public func of(_ path: SyncPath) -> any ContentSink { self }

  public func receive(_ bytes: [UInt8]) async throws(SyncError) -> Digest {
    try await receive(size: bytes.count) { intake throws(SyncError) in try await intake.write(bytes) }.digest
  }
}

/// The destination of one content.
public protocol ContentIntake: AnyObject, Sendable {
  /// Appends the next chunk.
  func write(_ chunk: [UInt8]) async throws(SyncError)
}
