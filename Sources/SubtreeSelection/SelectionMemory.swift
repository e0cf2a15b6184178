internal import SyncKit

/// The sizes of the parts of files that were read before, in the remote's journal, so that a pass does not read every file that
/// has no matching subtree. A lost record costs a read.
struct SelectionMemory {
  private static let prefix = "match.parts."
  private static let ruleKey = "match.rule"

  private let journal: any Journal
  private let rule: String
  private let isSameRule: Bool
  private let known: [Digest: Int]
  /// The stored buckets.
  private let stored: [String: [UInt8]]
  private var current: [Digest: Int] = [:]

  init(in journal: any Journal, of rule: MatchRule) async throws(SyncError) {
    self.journal = journal
    self.rule = rule.id
    let records = try await journal.records()
    stored = records.filter { $0.key.hasPrefix(Self.prefix) }
    isSameRule = records[Self.ruleKey] == Array(rule.id.utf8)
    known = isSameRule ? Self.sizes(in: stored.values) : [:]
  }

  /// Returns the size of the part of a file in this version, 0 for none; nil if it is not known.
  mutating func size(of entry: Entry) -> Int? {
    guard entry.isFirm, !entry.revision.bytes.isEmpty else { return nil }
    let key = Self.key(of: entry)
    guard let size = known[key] else { return nil }
    current[key] = size
    return size
  }

  mutating func remember(_ size: Int, of entry: Entry) {
    guard entry.isFirm, !entry.revision.bytes.isEmpty else { return }
    current[Self.key(of: entry)] = size
  }

  /// Writes what has changed; forgets versions that were not asked for.
  func save() async throws(SyncError) {
    var buckets: [String: [UInt8]] = [:]
    for (key, size) in current.sorted(by: { $0.key < $1.key }) {
      buckets[Self.bucket(of: key), default: []] += key.bytes + Self.bytes(of: size)
    }
    var changes: [String: [UInt8]?] = [:]
    for (name, bytes) in buckets where stored[name] != bytes { changes[name] = bytes }
    for name in stored.keys where buckets[name] == nil { changes[name] = .some(nil) }
    if !isSameRule { changes[Self.ruleKey] = Array(rule.utf8) }
    if !changes.isEmpty { try await journal.write(changes) }
  }

  private static func sizes(in buckets: some Sequence<[UInt8]>) -> [Digest: Int] {
    var sizes: [Digest: Int] = [:]
    for bucket in buckets {
      for start in stride(from: 0, to: bucket.count - 39, by: 40) {
        guard let key = Digest(bytes: bucket[start..<start + 32]) else { continue }
        sizes[key] = bucket[(start + 32)..<(start + 40)].reduce(0) { $0 << 8 | Int($1) }
      }
    }
    return sizes
  }

  private static func bytes(of size: Int) -> [UInt8] {
    stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: size >> $0) }
  }

  private static func key(of entry: Entry) -> Digest { Digest(of: entry.path.bytes + [0] + entry.revision.bytes) }

  private static func bucket(of key: Digest) -> String { prefix + String(key.bytes[0] & 63) }
}
