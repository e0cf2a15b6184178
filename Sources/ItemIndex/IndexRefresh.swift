internal import GRDB
import OrgKit
import SyncKit

/// One refresh of an index, in a transaction of the caller.
struct IndexRefresh {
  private let db: Database
  private let options: IndexOptions
  private let now: @Sendable () -> Int64
  private let read: @Sendable (String) -> (FileStamp, [UInt8])?

  /// A file as the index knows it.
  private struct Known {
    var id: Int64
    var stamp: FileStamp
    var checked: Int64
    var mark: Int64
  }

  init(
    _ db: Database, _ options: IndexOptions, now: @escaping @Sendable () -> Int64,
    read: @escaping @Sendable (String) -> (FileStamp, [UInt8])?
  ) {
    (self.db, self.options, self.now, self.read) = (db, options, now, read)
  }

  /// Returns the number of files that were read.
  func run(_ listing: FileListing) throws -> Int {
    try rebuildIfStale()
    let known = try known()
    let writer = IndexWriter(db: db, options: options)
    for (path, file) in known where listing.stamps[path] == nil { try writer.removeFile(file.id) }
    let changed = listing.stamps.filter { path, stamp in
      known[path].map { $0.stamp != stamp || !stamp.isCertain(readAt: $0.checked) } ?? true
    }.keys.sorted()
    if known.isEmpty, changed.count > 100 {
      try build(changed, writer)
    } else {
      for path in changed { try refresh(path, known[path], writer) }
    }
    return changed.count
  }

  /// Inserts files into an empty index. One thread reads and parses them, this one writes.
  private func build(_ paths: [String], _ writer: IndexWriter) throws {
    try IndexSchema.dropIndexes(db)
    let files = ReadAhead(paths) { [options, now, read] path in
      let time = now()
      return read(path).map { (file: IndexedFile(path, $1, options), stamp: $0, time: time) }
    }
    try files.deliver { file in
      if let file { try writer.insert(file.file, file.stamp, at: file.time) }
    }
    try IndexSchema.createIndexes(db)
  }

  private func refresh(_ path: String, _ known: Known?, _ writer: IndexWriter) throws {
    let time = now()
    guard let (stamp, bytes) = read(path) else {
      if let known { try writer.removeFile(known.id) }
      return
    }
    guard let known else { return try writer.insert(IndexedFile(path, bytes, options), stamp, at: time) }
    let document = options.document(bytes)
    if document.mark == known.mark { return try writer.touch(known.id, stamp, at: time) }
    try writer.change(known.id, path, to: document, stamp, at: time)
  }

  private func known() throws -> [String: Known] {
    var known: [String: Known] = [:]
    let rows = try Row.fetchCursor(
      db, sql: "SELECT path, id, size, modified, changed, inode, checked, mark FROM file")
    while let row = try rows.next() {
      let stamp = FileStamp(size: row[2], modified: row[3], changed: row[4], inode: row[5])
      known[row[0]] = Known(id: row[1], stamp: stamp, checked: row[6], mark: row[7])
    }
    return known
  }

  /// Words of entries that are gone stay in the index until there are more of them than entries.
  private func rebuildIfStale() throws {
    let stale: Int = try IndexSchema.value("stale", db) ?? 0
    guard stale > 1_000, try stale > Int.fetchOne(db, sql: "SELECT COUNT(*) FROM entry") ?? 0 else { return }
    let boot: String? = try IndexSchema.value("boot", db)
    try IndexSchema.create(db, options)
    if let boot { try IndexSchema.set("boot", boot, db) }
  }
}
