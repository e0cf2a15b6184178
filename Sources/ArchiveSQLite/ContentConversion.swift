internal import GRDB
import SyncKit

/// Moves the contents of an archive of format 3, which are rows of its database, into pack files.
///
/// It works on a copy of the database. If it is interrupted, the copy is made again, and the next pruning removes the packs.
struct ContentConversion {
  let files: PackFiles

  /// The number of contents that are read at a time.
  private static let window = 64

  /// Converts the contents of this database, if it has any of that format, and compares each one with its row.
  func carryOut(_ db: Database) throws {
    guard try db.tableExists("small_contents") else { return }
    let (writer, reader) = (PackWriter(files), PackReader(files))
    let first = try writer.beginAnotherFile()
    do {
      try db.execute(sql: Self.formers)
      try db.transaction(.immediate) {
        try convert(writer, reader, db)
        try writer.sync()
        try compare(reader, db)
        try db.execute(sql: "DROP TABLE small_contents")
      }
      try db.execute(sql: "DROP TABLE temp.formers")
      try db.execute(sql: "VACUUM")
    } catch {
      files.remove(try files.numbers().filter { $0 >= first })
      throw error
    }
  }

  /// The version of a file before each content, as far as passes have recorded it.
  private static let formers = """
    CREATE TEMP TABLE formers (digest BLOB PRIMARY KEY NOT NULL, former BLOB NOT NULL) WITHOUT ROWID;
    INSERT OR IGNORE INTO formers
      SELECT after, before FROM timeline WHERE after IS NOT NULL AND before IS NOT NULL ORDER BY pass;
    """

  private func convert(_ writer: PackWriter, _ reader: PackReader, _ db: Database) throws {
    var ages: [Digest: Int] = [:]
    var builder = BlockBuilder(writer, reader) { block in
      try ContentTable.place(block, age: { ages[$0] ?? 0 }, db)
      for member in block.members { ages[member.digest] = nil }
    }
    var last = 0
    while true {
      let rows = try db.all(
        "SELECT rowid, digest, size, age, bytes FROM small_contents WHERE rowid > ? ORDER BY rowid LIMIT ?",
        .integer(last), .integer(Self.window)
      ) { (try $0.digest(1), size: $0.integer(2), age: $0.integer(3), bytes: $0.optional(4, $0.bytes), $0.integer(0)) }
      for (digest, size, age, bytes, row) in rows {
        last = row
        if let bytes {
          ages[digest] = age
          try builder.add(bytes, digest, after: former(of: digest, &builder, db))
        } else {
          try db.run(
            "INSERT INTO contents VALUES (?, ?, ?, NULL, NULL)", .digest(digest), .integer(size), .integer(age))
        }
      }
      if rows.isEmpty { return try builder.finish() }
    }
  }

  private func former(
    of digest: Digest, _ builder: inout BlockBuilder, _ db: Database
  ) throws -> (Digest, PackedContent)? {
    let former = try db.first("SELECT former FROM temp.formers WHERE digest = ?", .digest(digest)) { try $0.digest(0) }
    guard let former, former != digest else { return nil }
    if builder.holds(former) { try builder.finish() }
    guard case .packed(let content) = try ContentTable.find(former, db) else { return nil }
    return (former, content)
  }

  private func compare(_ reader: PackReader, _ db: Database) throws {
    try db.run(
      """
      SELECT small_contents.digest, bytes FROM small_contents JOIN contents ON contents.digest = small_contents.digest
      WHERE bytes IS NOT NULL ORDER BY block, start
      """
    ) { columns in
      let digest = try columns.digest(0)
      guard case .packed(let content) = try ContentTable.find(digest, db),
        try reader.bytes(of: content, digest) == columns.bytes(1)
      else { throw SyncError.damaged("the content \(digest) was not converted correctly") }
    }
    let counts = try db.first(
      "SELECT (SELECT count(*) FROM small_contents), (SELECT count(*) FROM contents)"
    ) { ($0.integer(0), $0.integer(1)) }
    guard let counts, counts.0 == counts.1 else { throw SyncError.damaged("some contents were not converted") }
  }
}
