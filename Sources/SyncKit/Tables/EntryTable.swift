/// Entries in folder order, stored in columns: about ninety bytes per file, plus its name.
struct EntryTable: Sendable {
  private var paths = ByteColumn()
  private var revisions = ByteColumn()
  private var facts = Column<Facts>()
  private var digests = Column<Digest>()
  private var authors: [Int: String] = [:]
  private var concurrencies: [Int: Concurrency] = [:]
  /// Rows that were looked up again and had another revision by then.
  private var renewed: [Int: Entry] = [:]

  /// The other fields of an entry, in the order and the types that take the least space.
  private struct Facts: Sendable {
    var size: Int
    var modified: Int64
    var isFirm: Bool
    var hasTime: Bool
    var hasDigest: Bool

    init(_ size: Int, _ modified: Timestamp?, isFirm: Bool, hasDigest: Bool) {
      self.size = Entry.plausible(size)
      self.modified = modified?.nanoseconds ?? 0
      self.isFirm = isFirm
      hasTime = modified != nil
      self.hasDigest = hasDigest
    }

    var time: Timestamp? { hasTime ? Timestamp(nanoseconds: modified) : nil }
  }

  private static let noDigest = Digest.empty

  var count: Int { facts.count }

  mutating func append(_ entry: Entry) {
    if let author = entry.author { authors[count] = author }
    if let concurrent = entry.concurrent { concurrencies[count] = concurrent }
    append(
      path: entry.path.bytes, revision: entry.revision.bytes, isFirm: entry.isFirm, digest: entry.digest,
      size: entry.size, modified: entry.modified)
  }

  mutating func append(
    path: [UInt8], revision: [UInt8], isFirm: Bool, digest: Digest?, size: Int, modified: Timestamp?
  ) {
    paths.append(path)
    revisions.append(revision)
    facts.append(Facts(size, modified, isFirm: isFirm, hasDigest: digest != nil))
    digests.append(digest ?? Self.noDigest)
  }

  subscript(index: Int) -> Entry {
    if let entry = renewed[index] { return entry }
    let facts = facts[index]
    return Entry(
      path: path(at: index), revision: Revision(bytes: Array(revisions[index])), isFirm: facts.isFirm,
      digest: facts.hasDigest ? digests[index] : nil, size: facts.size, modified: facts.time, author: authors[index],
      concurrent: concurrencies[index])
  }

  func path(at index: Int) -> SyncPath { SyncPath(trusted: Array(paths[index])) }

  func size(at index: Int) -> Int { facts[index].size }

  func digest(at index: Int) -> Digest? { facts[index].hasDigest ? digests[index] : nil }

  func concurrency(at index: Int) -> Concurrency? { concurrencies.isEmpty ? nil : concurrencies[index] }

  /// Replaces the entry at `index` by the result of a later lookup of the same path.
  mutating func learn(_ entry: Entry, at index: Int) {
    digests[index] = entry.digest ?? Self.noDigest
    facts[index] = Facts(entry.size, entry.modified, isFirm: entry.isFirm, hasDigest: entry.digest != nil)
    if let author = entry.author { authors[index] = author }
    guard !revisions.equals(entry.revision.bytes, at: index) else { return }
    concurrencies[index] = entry.concurrent
    renewed[index] = entry
  }

  /// Drops all digests, because they belong to other contents.
  mutating func forgetDigests() {
    for index in 0..<count { facts[index].hasDigest = false }
    concurrencies = concurrencies.mapValues { _ in Concurrency(ancestor: nil) }
    for (index, entry) in renewed {
      var entry = entry
      entry.digest = nil
      entry.concurrent = concurrencies[index]
      renewed[index] = entry
    }
  }

  func compare(_ index: Int, with path: [UInt8]) -> Int { paths.compare(index, with: path) }

  func position(of path: SyncPath) -> Int? {
    let (index, found) = paths.position(of: path.bytes)
    return found ? index : nil
  }

  /// Returns the position of a path with these bytes, or its insertion point.
  func insertionPoint(of path: [UInt8]) -> Int { paths.position(of: path).index }

  /// The same entries in folder order; of two with one path the later one stays.
  func sorted() -> EntryTable {
    let order = (0..<Int32(count)).sorted { a, b in
      let order = paths.compare(Int(a), with: paths, at: Int(b))
      return order == 0 ? a < b : order < 0
    }
    var table = EntryTable()
    for (place, index) in order.enumerated() {
      let hasTwin = place + 1 < count && paths.compare(Int(index), with: paths, at: Int(order[place + 1])) == 0
      if !hasTwin { table.append(self[Int(index)]) }
    }
    return table
  }
}
