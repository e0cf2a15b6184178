internal import GRDB
import SyncKit

/// The blocks in the pack files.
enum BlockTable {
  /// Inserts a block; returns its number.
  static func insert(_ block: Block, _ db: Database) throws -> Int {
    let number = try db.first("SELECT ifnull(max(id), 0) + 1 FROM blocks") { $0.integer(0) } ?? 1
    try db.run(
      "INSERT INTO blocks VALUES (?, ?, ?, ?, ?, ?, ?, ?)", .integer(number), .integer(block.place.pack),
      .integer(block.place.start), .integer(block.place.length), .integer(block.place.size), .digest(block.former),
      .integer(block.depth), .integer(block.cost))
    return number
  }

  /// Records that the frame of a block was copied.
  static func move(_ number: Int, to place: BlockPlace, _ db: Database) throws {
    try db.run(
      "UPDATE blocks SET pack = ?, start = ? WHERE id = ?", .integer(place.pack), .integer(place.start),
      .integer(number))
  }

  /// Removes the blocks that no content is in.
  static func removeEmpty(_ db: Database) throws {
    try db.execute(sql: "DELETE FROM blocks WHERE id NOT IN (SELECT block FROM contents WHERE block IS NOT NULL)")
  }

  /// Throws if a pack is missing or too short for its blocks.
  static func requireWhole(_ files: PackFiles, _ db: Database) throws {
    // Formats before 4 have no packs.
    guard try db.tableExists("blocks") else { return }
    let ends = try db.all("SELECT pack, max(start + length) FROM blocks GROUP BY pack") {
      ($0.integer(0), $0.integer(1))
    }
    for (pack, end) in ends where files.size(of: pack) < end {
      throw SyncError.damaged("\(printable(files.path(of: pack).utf8)) is missing or too short")
    }
  }

  /// Returns how to read a content of a block that is not recorded yet.
  static func content(_ member: BlockMember, in block: Block, _ db: Database) throws -> StoredContent {
    var content = PackedContent(steps: [], cost: 0)
    if let former = block.former {
      guard case .packed(let found) = try ContentTable.find(former, db) else {
        throw SyncError.damaged("the content \(former) is missing")
      }
      content = found
    }
    content.steps.append(PackedContent.Step(block: block.place, start: member.start, size: member.size))
    content.cost = block.cost
    return .packed(content)
  }

  /// Returns the steps to read the content at this position of a block; nil if a former content is missing.
  static func content(at start: Int, size: Int, in block: Int, _ db: Database) throws -> PackedContent? {
    var content = PackedContent(steps: [], cost: 0)
    var next: (block: Int, start: Int, size: Int)? = (block, start, size)
    while let step = next {
      // A damaged row may point in a circle.
      guard content.steps.count <= 64, let row = try row(step.block, db) else { return nil }
      if content.steps.isEmpty { content.cost = row.cost }
      content.steps.append(PackedContent.Step(block: row.place, start: step.start, size: step.size))
      guard let former = row.former else { break }
      next = try ContentTable.position(of: former, db)
      if next == nil { return nil }
    }
    content.steps.reverse()
    return content
  }

  /// Returns the pack files that blocks are in, with the number of their bytes that contents are in.
  static func used(_ db: Database) throws -> [Int: Int] {
    let rows = try db.all(
      """
      SELECT pack, sum(length * live / max(size, 1)) FROM blocks
        JOIN (SELECT block, sum(size) AS live FROM contents WHERE block IS NOT NULL GROUP BY block) ON block = id
      GROUP BY pack
      """
    ) { ($0.integer(0), $0.integer(1)) }
    return Dictionary(rows, uniquingKeysWith: +)
  }

  private static func row(
    _ number: Int, _ db: Database
  ) throws -> (place: BlockPlace, former: Digest?, cost: Int)? {
    try db.first("SELECT pack, start, length, size, former, cost FROM blocks WHERE id = ?", .integer(number)) {
      (
        BlockPlace(pack: $0.integer(0), start: $0.integer(1), length: $0.integer(2), size: $0.integer(3)),
        try $0.optional(4, $0.digest), $0.integer(5)
      )
    }
  }
}
