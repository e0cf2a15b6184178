import SyncKit

internal import class GRDB.Database

/// Packs the pending contents. It runs on the connection to the database, beside the tasks that read files.
struct Packing: Sendable {
  let writer: PackWriter
  let reader: PackReader

  /// Appends the contents in memory to the packs, except for those that the archive has.
  func pack(_ pending: PendingContents, _ db: Database) throws {
    let unpacked = pending.unpacked
    guard !unpacked.isEmpty else { return }
    defer { pending.endPacking() }
    var builder = BlockBuilder(writer, reader) { block in
      for member in block.members { pending.replace(member.digest, by: .packed(block, member)) }
    }
    // One transaction for all lookups: each one alone would lock the database.
    try db.transaction(.deferred) {
      for (digest, bytes, path) in unpacked {
        if let size = try ContentTable.size(of: digest, db) {
          pending.replace(digest, by: .held(size: size))
        } else {
          try builder.add(bytes, digest, after: path.flatMap { try ContentTable.agreed(at: $0, db) })
        }
      }
      try builder.finish()
    }
  }

  /// Packs the pending contents, makes the packs durable, and returns the contents that can be recorded.
  func ready(_ pending: PendingContents, _ db: Database) throws -> [Digest: PendingContent] {
    try pack(pending, db)
    do { try writer.sync() } catch {
      pending.dropPacked()
      throw error
    }
    // Contents that were added meanwhile belong to the next transaction.
    return pending.all.filter { $0.value.bytes == nil }
  }
}
