/// What a replica says of one file.
public struct Entry: Hashable, Sendable {
  public var path: SyncPath
  public var revision: Revision
  /// Whether an equal revision proves that the content is the same. A file that was changed within the granularity of
  /// its file system's clock, or a weak etag, is not firm: the engine reads it and compares content.
  public var isFirm: Bool
  /// The digest of the content, if the replica knows it without reading.
  public var digest: Digest?
  /// The size in bytes, as a hint.
  public var size: Int
  /// The time of the last change, as a hint. It never chooses a winner.
  public var modified: Timestamp?
  /// Who made this version, if the replica knows.
  public var author: String?

  public init(
    path: SyncPath, revision: Revision, isFirm: Bool = true, digest: Digest? = nil, size: Int = 0,
    modified: Timestamp? = nil, author: String? = nil
  ) {
    self.path = path
    self.revision = revision
    self.isFirm = isFirm
    self.digest = digest
    self.size = size
    self.modified = modified
    self.author = author
  }
}

/// A moment: nanoseconds since 1970 in UTC.
public struct Timestamp: Hashable, Comparable, Sendable {
  public var nanoseconds: Int64

  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  public init(seconds: Int64) {
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    self.nanoseconds = overflow ? (seconds < 0 ? .min : .max) : product
  }

  /// Whole seconds since 1970, rounded down.
  public var seconds: Int64 {
    let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return rest < 0 ? whole - 1 : whole
  }

  public static func < (a: Timestamp, b: Timestamp) -> Bool { a.nanoseconds < b.nanoseconds }
}
