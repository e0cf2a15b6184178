public import SyncKit

internal import class GRDB.Database

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension SQLiteArchive {
  /// Removes contents and all previous versions with them, so that no file of the archive contains their bytes: the packs are
  /// rewritten, the database is rewritten without free pages, its log is emptied, and databases of older formats are removed.
  /// Texts about past actions on `path` are removed, too.
  ///
  /// The contents are recorded in a file before the first change. If the program stops in between, ``finishPurge()`` completes
  /// the removal. Contents that a remote's base or an open conflict needs must not be among them.
  public func purge(_ digests: Set<Digest>, of path: SyncPath) async throws(SyncError) {
    try await flush()
    try record.write(PurgeRecord.Entry(path: path, digests: digests))
    try await carryOutPurge(digests, of: path)
  }

  /// Completes a purge that was interrupted. Returns true if there was one.
  @discardableResult public func finishPurge() async throws(SyncError) -> Bool {
    guard let entry = try record.read() else { return false }
    try await carryOutPurge(entry.digests, of: entry.path)
    return true
  }

  private var record: PurgeRecord { PurgeRecord(path: StateFile.folder(of: contents.files.folder) + "/purging") }

  private func carryOutPurge(_ digests: Set<Digest>, of path: SyncPath) async throws(SyncError) {
    try await database.write(between: .purging, and: .purged) { db in
      try db.run("UPDATE actions SET detail = '' WHERE path = ?", .path(path))
      for digest in digests { try db.run("DELETE FROM versions WHERE digest = ?", .digest(digest)) }
    }
    try await rewritePacks(removing: digests) { [folder] _ in try folder.packs.numbers() }
    for digest in digests { contents.files.remove(digest) }
    for path in try folder.formerDatabases() { unsafe unlink(path) }
    try await database.compact()
    try record.remove()
  }
}

extension History {
  /// Returns the contents that the history has recorded for `path`.
  public func contents(of path: SyncPath) async throws(SyncError) -> Set<Digest> {
    try await database.read { db in
      let tables = [
        "SELECT digest FROM versions WHERE path = ?1", "SELECT before FROM actions WHERE path = ?1",
        "SELECT after FROM actions WHERE path = ?1", "SELECT before FROM timeline WHERE path = ?1",
        "SELECT after FROM timeline WHERE path = ?1",
      ]
      let digests = try tables.flatMap { table in
        try db.all(table, .path(path)) { try $0.optional(0, $0.digest) }.compactMap(\.self)
      }
      return try Set(digests).filter { try ContentTable.holds($0, db) }
    }
  }

  /// Returns all contents.
  public func allContents() async throws(SyncError) -> [Digest] {
    try await database.read { db in try db.all("SELECT digest FROM contents ORDER BY digest") { try $0.digest(0) } }
  }

  /// Returns the files that both sides of a remote agree on with one of these contents, by remote.
  public func agreements(on digests: Set<Digest>) async throws(SyncError) -> [(
    remote: String, path: SyncPath, digest: Digest
  )] {
    try await database.read { db in
      try db.all(
        """
        SELECT remotes.name, path, digest FROM agreements JOIN remotes ON remotes.id = agreements.remote
        ORDER BY remotes.name, path
        """
      ) { columns -> (remote: String, path: SyncPath, digest: Digest)? in
        let digest = try columns.digest(2)
        return digests.contains(digest) ? (columns.text(0), try columns.path(1), digest) : nil
      }.compactMap(\.self)
    }
  }
}

/// The file that names the contents which are being removed.
private struct PurgeRecord {
  let path: String

  struct Entry {
    var path: SyncPath
    var digests: Set<Digest>
  }

  func write(_ entry: Entry) throws(SyncError) {
    let lines = entry.digests.map(\.description).sorted() + [""]
    try StateFile.replace(path, with: Array(lines.joined(separator: "\n").utf8) + entry.path.bytes)
  }

  func read() throws(SyncError) -> Entry? {
    guard let facts = StateFile.facts(path) else { return nil }
    let bytes = try StateFile(path, O_RDONLY).read(atMost: facts.size)
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let digests = lines.prefix { $0.count == 64 }.compactMap {
      Digest(hexadecimal: String(decoding: $0, as: UTF8.self))
    }
    let name = bytes.dropFirst(digests.count * 65)
    guard let file = SyncPath(bytes: Array(name)) else { throw .damaged("\(path) is not readable; delete it") }
    return Entry(path: file, digests: Set(digests))
  }

  func remove() throws(SyncError) {
    guard unsafe unlink(path) == 0 || errno == ENOENT else { throw SyncError(stateFile: path, errno) }
    try StateFile.syncFolder(StateFile.folder(of: path))
  }
}
