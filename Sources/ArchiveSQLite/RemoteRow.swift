import SyncKit

internal import class GRDB.Database

/// An archive's state of one remote, except for its agreements.
struct RemoteRow: Equatable {
  var id: Int
  var name: String
  /// Incremented with every change of the base.
  var generation = 0
  /// The number of agreements, and the sum of their checksums.
  var count = 0
  var sum: Int64 = 0
  var localRoot: RootIdentity?
  var remoteRoot: RootIdentity?
  var localCursor: Cursor?
  var remoteCursor: Cursor?

  static func read(_ name: String, _ db: Database) throws -> RemoteRow? {
    try db.first(
      """
      SELECT id, name, generation, agreements, sum, local_address, local_id, local_generation,
        remote_address, remote_id, remote_generation, local_cursor, remote_cursor, checksum
      FROM remotes WHERE name = ?
      """, .text(name), value: RemoteRow.init)
  }

  static func others(than name: String, _ db: Database) throws -> [RemoteRow] {
    try db.all("SELECT name FROM remotes WHERE name <> ?", .text(name)) { $0.text(0) }.compactMap { try read($0, db) }
  }

  private init(_ columns: Columns) throws {
    try columns.verify(first: 13)
    id = columns.integer(0)
    name = columns.text(1)
    generation = columns.integer(2)
    count = columns.integer(3)
    sum = Int64(columns.integer(4))
    localRoot = columns.root(at: 5)
    remoteRoot = columns.root(at: 8)
    localCursor = columns.optional(11) { Cursor(bytes: columns.bytes($0)) }
    remoteCursor = columns.optional(12) { Cursor(bytes: columns.bytes($0)) }
  }

  /// Creates the row of a remote that was never synced.
  init(new name: String, _ db: Database) throws {
    id = try db.first("SELECT ifnull(max(id), 0) + 1 FROM remotes") { $0.integer(0) } ?? 1
    self.name = name
  }

  func write(_ db: Database) throws {
    try db.run(
      "INSERT OR REPLACE INTO remotes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      sealing: .integer(id), .text(name), .integer(generation), .integer(count), .integer(sum),
      .text(localRoot?.address), .text(localRoot?.id), .integer(localRoot?.generation),
      .text(remoteRoot?.address), .text(remoteRoot?.id), .integer(remoteRoot?.generation),
      .bytes(localCursor?.bytes), .bytes(remoteCursor?.bytes))
  }

  /// Forgets everything that store and remote had in common; the generation keeps increasing.
  mutating func startAgain(_ db: Database) throws {
    try AgreementTable.removeAll(of: self, db)
    try LaterVersionTable.removeAll(of: name, db)
    try HoldTable.removeAll(of: name, db)
    try IntendedChangeTable.removeAll(of: name, db)
    (count, sum) = (0, 0)
    (localRoot, remoteRoot, localCursor, remoteCursor) = (nil, nil, nil, nil)
  }
}

extension Columns {
  fileprivate func root(at index: Int32) -> RootIdentity? {
    optional(index) {
      RootIdentity(address: text($0), id: optional($0 + 1, text), generation: optional($0 + 2, integer))
    }
  }
}
