internal import SyncKit

/// The versions of encrypted files that this device has seen, so that it notices if a server restores an older one.
///
/// Each written version has a number above all that its writer has seen in the remote. The remote's journal stores 24 bytes per
/// path, including removed files, so that a server cannot restore those either.
actor SealedVersions {
  /// One version of a file.
  struct Mark: Hashable, Sendable {
    var number: UInt64
    /// The first bytes of the content's digest; 0 for a removal, which excludes no content.
    var content: UInt64

    static let none = Mark(number: 0, content: 0)

    init(number: UInt64, content: UInt64) {
      self.number = number
      self.content = content
    }

    /// The version with this content; nil for a removal.
    init(_ number: UInt64, of content: Digest?) {
      self.number = number
      self.content = content.map { max(1, UInt64(bigEndianBytes: $0.bytes.prefix(8))) } ?? 0
    }

    /// Returns true if this is the removal of the version with that number.
    func isRemoval(of other: UInt64) -> Bool { content == 0 && number > other }

    /// Returns true if `other` may replace this version: it is newer, or the same.
    func permits(_ other: Mark) -> Bool {
      other.number > number || (other.number == number && (content == 0 || content == other.content))
    }
  }

  private let journal: any Journal
  private var buckets: [UInt8: [UInt64: Mark]]?
  private var changed: Set<UInt8> = []
  private var clock: UInt64 = 0

  private static let bucketCount: UInt8 = 64
  private static let recordSize = 24
  /// The upper limit for numbers, which no device reaches by writing; a larger one in a marker would leave no room for later
  /// versions.
  private static let largest: UInt64 = 1 << 62

  init(journal: any Journal) { self.journal = journal }

  /// Returns the number for the next written version.
  func next() async throws(SyncError) -> UInt64 {
    _ = try await load()
    clock += 1
    return clock
  }

  /// The highest number that was seen or assigned.
  func last() async throws(SyncError) -> UInt64 {
    _ = try await load()
    return clock
  }

  /// Records a number that another device has assigned.
  func advance(to number: UInt64) { if number < Self.largest { clock = max(clock, number) } }

  /// Returns the newest version of a file that was seen.
  func mark(of path: SyncPath) async throws(SyncError) -> Mark {
    let (bucket, key) = Self.slot(Digest(of: path.bytes))
    return try await load()[bucket]?[key] ?? .none
  }

  /// Records a version that was seen or written; `flush` makes it durable.
  func record(_ mark: Mark, at place: Digest) async throws(SyncError) {
    _ = try await load()
    let (bucket, key) = Self.slot(place)
    advance(to: mark.number)
    let known = buckets?[bucket]?[key] ?? .none
    guard mark != known, known.permits(mark) else { return }
    // Modified in place: copying a bucket for each number would take quadratic time.
    buckets?[bucket, default: [:]][key] = mark
    changed.insert(bucket)
  }

  func flush() async throws(SyncError) {
    guard !changed.isEmpty, let buckets else { return }
    let records = changed.map { (Self.key(of: $0), Self.bytes(of: buckets[$0] ?? [:])) }
    changed = []
    try await journal.write(Dictionary(records, uniquingKeysWith: { $1 }))
  }

  private func load() async throws(SyncError) -> [UInt8: [UInt64: Mark]] {
    if let buckets { return buckets }
    let records = try await journal.records()
    // Another task may have loaded them meanwhile.
    if let buckets { return buckets }
    var found: [UInt8: [UInt64: Mark]] = [:]
    for bucket in 0..<Self.bucketCount {
      guard let bytes = records[Self.key(of: bucket)] else { continue }
      found[bucket] = Self.marks(in: bytes)
      advance(to: found[bucket]?.values.map(\.number).max() ?? 0)
    }
    buckets = found
    return found
  }

  private static func slot(_ digest: Digest) -> (bucket: UInt8, key: UInt64) {
    let bytes = digest.bytes
    return (bytes[0] % bucketCount, UInt64(bigEndianBytes: bytes[1..<9]))
  }

  private static func key(of bucket: UInt8) -> String { "versions.\(bucket)" }

  /// The journal keys of the former format, without content digests.
  static let formerKeys = (0..<bucketCount).map { "sealed.\($0)" }

  private static func bytes(of marks: [UInt64: Mark]) -> [UInt8] {
    marks.sorted { $0.key < $1.key }.flatMap {
      $0.key.bigEndianBytes + $0.value.number.bigEndianBytes + $0.value.content.bigEndianBytes
    }
  }

  private static func marks(in bytes: [UInt8]) -> [UInt64: Mark] {
    var marks: [UInt64: Mark] = [:]
    for start in stride(from: 0, through: bytes.count - recordSize, by: recordSize) {
      func word(_ index: Int) -> UInt64 {
        UInt64(bigEndianBytes: bytes[start + 8 * index..<start + 8 * index + 8])
      }
      marks[word(0)] = Mark(number: word(1), content: word(2))
    }
    return marks
  }
}
