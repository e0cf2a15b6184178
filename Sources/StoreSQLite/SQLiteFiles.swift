internal import GRDB
internal import SyncKit

/// The files of a store in one file, for programs beside a running pass.
struct SQLiteFiles: LocalFiles {
  private let database: StoreDatabase

  init(_ database: StoreDatabase) { self.database = database }

  /// The path of the store's file: Org writes files as if it were their folder.
  var root: String { database.path }

  func list() throws(SyncError) -> StoreListing {
    var listing = StoreListing(at: Runtime.real.now().nanoseconds)
    listing.areFilesCovered = true
    let files = try database.turnNow(.reading) { db in
      var files: [String: FileStamp] = [:]
      try db.inTransaction(.deferred) {
        try FileTable.each(db) { file in
          guard let file, let name = Self.nameOfOrgFile(file.path) else { return }
          files[name] = Self.stamp(of: file)
        }
        listing.folders[""] = try Self.stamp(db)
        return .commit
      }
      return files
    }
    listing.stamps = files
    return listing
  }

  func look<Value>(_ body: ((String) -> FileStamp?) -> Value) -> Value? {
    guard let stamp = try? database.turnNow(.reading, Self.stamp) else { return nil }
    return body { $0.isEmpty ? stamp : nil }
  }

  func read(_ path: String) throws(SyncError) -> (stamp: FileStamp, bytes: [UInt8])? {
    guard let path = SyncPath(path) else { return nil }
    return try database.turnNow(.reading) { db in
      var found: (FileStamp, [UInt8])?
      try db.inTransaction(.deferred) {
        found = try FileTable.find(path, db).map { (Self.stamp(of: $0), try Self.content(of: $0, db)) }
        return .commit
      }
      return found
    }
  }

  /// The condition is the transaction: no other process writes between reading and writing.
  func append(_ text: (_ present: [UInt8]) -> [UInt8], to path: SyncPath) throws(SyncError) {
    let now = Runtime.real.now()
    try database.turnNow(.writing) { db in
      try db.inTransaction(.immediate) {
        let present = try FileTable.find(path, db)
        let old = try present.map { try Self.content(of: $0, db) } ?? []
        let new = old + text(old)
        let change = Change(
          path: path, content: Content(new), condition: present.map { .unchanged($0.proof) } ?? .absent, modified: now)
        var commit = try StoreCommit(db, at: now)
        let result = try commit.run([change], [0: .success(.whole(new))]).first
        guard case .done? = result else {
          throw SyncError(.pathFailed, "cannot append to \(path): a folder or a file is in its place")
        }
        return .commit
      }
    }
  }

  /// Throws `.suspect` if the bytes are not those that were written.
  private static func content(of file: StoredFile, _ db: Database) throws -> [UInt8] {
    let bytes = try PartTable.bytes(of: file.content, db)
    let digest = Digest(of: bytes)
    guard digest == file.digest else { throw SyncError.damagedContent(of: file.path, found: digest) }
    return bytes
  }

  /// The revision has the role of the file's number: a changed file always has another stamp.
  private static func stamp(of file: StoredFile) -> FileStamp {
    FileStamp(size: Int64(file.size), modified: file.modified.nanoseconds, changed: 0, inode: file.revision)
  }

  /// The stamp of the whole store.
  private static func stamp(_ db: Database) throws -> FileStamp {
    let id = Digest(of: Array(try StoreMeta.id(db).utf8)).bytes.prefix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
    return FileStamp(size: 0, modified: id, changed: 0, inode: try StoreMeta.counter(db))
  }

  /// The path of an Org file as text; nil for a hidden one, for one in a folder with a dot in its name, and for other files.
  static func nameOfOrgFile(_ path: SyncPath) -> String? {
    guard path.name.suffix(4).elementsEqual(".org".utf8), path.name.first != UInt8(ascii: "."),
      path.parent?.bytes.contains(UInt8(ascii: ".")) != true
    else { return nil }
    return String(decoding: path.bytes, as: UTF8.self)
  }
}
