import SyncKit

internal import class GRDB.Database

/// The numbered passes.
enum PassTable {
  static func passes(
    touching path: SyncPath?, since: Timestamp?, until: Timestamp?, atMost limit: Int, _ db: Database
  ) throws -> [PassRecord] {
    let numbers = try db.all(
      """
      SELECT number FROM passes
      WHERE (?1 IS NULL OR number IN (SELECT pass FROM actions WHERE path = ?1)) AND started BETWEEN ?2 AND ?3
      ORDER BY number DESC LIMIT ?4
      """, .path(path), .integer(since?.nanoseconds ?? .min), .integer(until?.nanoseconds ?? .max), .integer(limit)
    ) { $0.integer(0) }
    return try numbers.compactMap { try pass($0, touching: path, db) }
  }

  static func pass(_ number: Int, touching path: SyncPath?, _ db: Database) throws -> PassRecord? {
    let started = try db.first("SELECT started FROM passes WHERE number = ?", .integer(number)) { $0.time(0) }
    guard let started else { return nil }
    return PassRecord(
      number: number, started: started, results: try results(of: number, db),
      actions: try ActionTable.actions(of: number, touching: path, db))
  }

  static func last(at time: Timestamp, _ db: Database) throws -> Int? {
    try db.first("SELECT number FROM passes WHERE started <= ? ORDER BY number DESC LIMIT 1", .time(time)) {
      $0.integer(0)
    }
  }

  static func last(_ db: Database) throws -> Int {
    try db.first("SELECT ifnull(max(number), 0) FROM passes") { $0.integer(0) } ?? 0
  }

  static func record(_ result: RemoteResult, in run: Run, _ db: Database) throws {
    try db.run(
      "INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?)", .integer(run.number), .text(result.remote),
      .text(result.result), .text(result.detail))
  }

  private static func results(of pass: Int, _ db: Database) throws -> [RemoteResult] {
    try db.all("SELECT remote, result, detail FROM results WHERE pass = ? ORDER BY remote", .integer(pass)) {
      RemoteResult(remote: $0.text(0), result: $0.text(1), detail: $0.text(2))
    }
  }
}
