import SyncKit

internal import class GRDB.Database

/// Rewrites pack files without what no content needs. It runs within a transaction; the old files are removed after it.
struct PackCompaction {
  let files: PackFiles
  let packing: Packing
  /// Contents to remove. The others do not depend on them afterwards.
  var removing: Set<Digest> = []

  /// Returns the pack files of whose bytes less than half are in use.
  static func wasteful(_ files: PackFiles, _ db: Database) throws -> [Int] {
    let used = try BlockTable.used(db)
    return try files.numbers().filter { used[$0, default: 0] < files.size(of: $0) / 2 || used[$0] == nil }
  }

  /// Rewrites these files into new ones.
  func rewrite(_ packs: [Int], _ db: Database) throws {
    try packing.writer.beginAnotherFile()
    for pack in packs { try rewrite(pack, db) }
    try packing.writer.sync()
    for digest in removing { _ = try ContentTable.remove(digest, db) }
    try BlockTable.removeEmpty(db)
  }

  private struct Row {
    var number: Int
    var place: BlockPlace
    var former: Digest?
    var members: [(member: BlockMember, age: Int)] = []
  }

  private func rewrite(_ pack: Int, _ db: Database) throws {
    var ages: [Digest: Int] = [:]
    var builder = BlockBuilder(packing.writer, packing.reader) { block in
      try ContentTable.place(block, age: { ages[$0] ?? 0 }, db)
    }
    for row in try rows(of: pack, db) {
      let live = row.members.filter { !removing.contains($0.member.digest) }
      if live.isEmpty { continue }
      let isWhole = live.reduce(0) { $0 + $1.member.size } == row.place.size
      if isWhole, row.former.map({ !removing.contains($0) }) ?? true {
        let place = try packing.writer.append(packing.reader.frame(row.place), size: row.place.size)
        try BlockTable.move(row.number, to: place, db)
        continue
      }
      for (member, age) in live {
        guard case .packed(let content) = try ContentTable.find(member.digest, db) else { continue }
        ages[member.digest] = age
        try builder.add(packing.reader.bytes(of: content, member.digest), member.digest)
      }
    }
    try builder.finish()
  }

  private func rows(of pack: Int, _ db: Database) throws -> [Row] {
    var rows: [Row] = []
    try db.run(
      """
      SELECT blocks.id, blocks.start, length, blocks.size, former, digest, contents.start, contents.size, age
      FROM blocks JOIN contents ON contents.block = blocks.id
      WHERE pack = ? ORDER BY blocks.start, contents.start
      """, .integer(pack)
    ) { columns in
      if rows.last?.number != columns.integer(0) {
        let place = BlockPlace(
          pack: pack, start: columns.integer(1), length: columns.integer(2), size: columns.integer(3))
        rows.append(
          Row(number: columns.integer(0), place: place, former: try columns.optional(4, columns.digest)))
      }
      let member = BlockMember(digest: try columns.digest(5), start: columns.integer(6), size: columns.integer(7))
      rows[rows.count - 1].members.append((member, columns.integer(8)))
    }
    return rows
  }
}
