/// A replica's information about one file.
public struct Entry: Hashable, Sendable {
  /// The path of the file.
  public var path: SyncPath
  /// The version that the replica has.
  public var revision: Revision
  /// True if an equal revision proves an equal content. The revision of a file that was changed within the granularity of
  /// its file system's clock, or a weak ETag, is not firm: the engine reads the file and compares the content.
  public var isFirm: Bool
  /// The digest of the content; nil unless the replica knows it without reading the file.
  public var digest: Digest?
  /// The size in bytes, as a hint: at least 0 and at most 1 TiB, whatever a server reports, so that sums do not overflow.
  public var size: Int {
    didSet { size = Self.plausible(size) }
  }
  /// The modification time, as a hint. It never decides which version wins.
  public var modified: Timestamp?
  /// The author of this version; nil if the replica does not know.
  public var author: String?
  /// Set in a listing if the replica also has the agreed version of the path, and neither of the two was made with knowledge
  /// of the other. The agreed version is then a change like this one, not the last common content. A change under this revision
  /// replaces both versions; the engine makes one even if the store already has this content.
  public var concurrent: Concurrency?

  /// Creates an entry. A revision is firm by default.
  public init(
    path: SyncPath, revision: Revision, isFirm: Bool = true, digest: Digest? = nil, size: Int = 0,
    modified: Timestamp? = nil, author: String? = nil, concurrent: Concurrency? = nil
  ) {
    self.path = path
    self.revision = revision
    self.isFirm = isFirm
    self.digest = digest
    self.size = Self.plausible(size)
    self.modified = modified
    self.author = author
    self.concurrent = concurrent
  }

  static func plausible(_ size: Int) -> Int { min(max(0, size), 1 << 40) }
}

/// A point in time: nanoseconds since 1970-01-01 in UTC.
public struct Timestamp: Hashable, Comparable, Sendable {
  /// Nanoseconds since 1970-01-01 in UTC.
  public var nanoseconds: Int64

  /// Creates a timestamp.
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// Creates a timestamp from seconds; a value out of range becomes the nearest valid one.
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
