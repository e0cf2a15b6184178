internal import SyncKit

/// Which versions of sealed files this device has seen, so that a server cannot put an older one back unnoticed.
///
/// Each version that is written has a number above all that its writer has seen anywhere in the remote. Numbers are kept in
/// the remote's journal, 16 bytes a path, and those of removed files too: what was removed does not come back by itself.
actor SealedVersions {
  private let journal: any Journal
  private var buckets: [UInt8: [UInt64: UInt64]]?
  private var changed: Set<UInt8> = []
  private var clock: UInt64 = 0

  private static let bucketCount: UInt8 = 64
  /// A number that nobody reaches by writing; a larger one in a marker would leave no room above it.
  private static let largest: UInt64 = 1 << 62

  init(journal: any Journal) { self.journal = journal }

  /// The number of the version that is written next.
  func next() async throws(SyncError) -> UInt64 {
    _ = try await load()
    clock += 1
    return clock
  }

  /// The highest number that was seen or given.
  func last() async throws(SyncError) -> UInt64 {
    _ = try await load()
    return clock
  }

  /// Takes notice of a number that somebody else has reached.
  func advance(to number: UInt64) { if number < Self.largest { clock = max(clock, number) } }

  /// The highest number that was seen of a file; 0 if none was. A version with a lower one is older.
  func number(of path: SyncPath) async throws(SyncError) -> UInt64 {
    let (bucket, key) = Self.place(Digest(of: path.bytes))
    return try await load()[bucket]?[key] ?? 0
  }

  /// Notes that versions were seen or written; `flush` makes it durable.
  func note(_ place: Digest, _ number: UInt64) async throws(SyncError) {
    _ = try await load()
    let (bucket, key) = Self.place(place)
    advance(to: number)
    guard number > buckets?[bucket]?[key] ?? 0 else { return }
    // In place: a copy of a bucket for each number would take the square of the time.
    buckets?[bucket, default: [:]][key] = number
    changed.insert(bucket)
  }

  func flush() async throws(SyncError) {
    guard !changed.isEmpty, let buckets else { return }
    let records = changed.map { (Self.key(of: $0), Self.bytes(of: buckets[$0] ?? [:])) }
    changed = []
    try await journal.write(Dictionary(records, uniquingKeysWith: { $1 }))
  }

  private func load() async throws(SyncError) -> [UInt8: [UInt64: UInt64]] {
    if let buckets { return buckets }
    let records = try await journal.records()
    // Somebody else may have been faster while the records were read.
    if let buckets { return buckets }
    var found: [UInt8: [UInt64: UInt64]] = [:]
    for bucket in 0..<Self.bucketCount {
      guard let bytes = records[Self.key(of: bucket)] else { continue }
      found[bucket] = Self.numbers(in: bytes)
      advance(to: found[bucket]?.values.max() ?? 0)
    }
    buckets = found
    return found
  }

  private static func place(_ digest: Digest) -> (bucket: UInt8, key: UInt64) {
    let bytes = digest.bytes
    return (bytes[0] % bucketCount, UInt64(bigEndianBytes: bytes[1..<9]))
  }

  private static func key(of bucket: UInt8) -> String { "sealed.\(bucket)" }

  private static func bytes(of numbers: [UInt64: UInt64]) -> [UInt8] {
    numbers.sorted { $0.key < $1.key }.flatMap { $0.key.bigEndianBytes + $0.value.bigEndianBytes }
  }

  private static func numbers(in bytes: [UInt8]) -> [UInt64: UInt64] {
    var numbers: [UInt64: UInt64] = [:]
    for start in stride(from: 0, to: bytes.count - 15, by: 16) {
      numbers[UInt64(bigEndianBytes: bytes[start..<start + 8])] = UInt64(bigEndianBytes: bytes[start + 8..<start + 16])
    }
    return numbers
  }
}
