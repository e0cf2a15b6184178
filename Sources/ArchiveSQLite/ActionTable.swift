internal import GRDB
import SyncKit

/// The actions of all passes.
enum ActionTable {
  static func insert(_ action: Action, of remote: String, in run: Run, _ db: Database) throws {
    try db.run(
      "INSERT INTO actions VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      .integer(run.number), .text(remote), .path(action.path), .text(action.kind.rawValue), .text(action.to.rawValue),
      .text(action.result.rawValue), .text(action.detail), .digest(action.before), .digest(action.after))
  }

  /// Returns the actions of a pass in order; only those on `path`, if given.
  static func actions(of pass: Int, touching path: SyncPath?, _ db: Database) throws -> [RemoteAction] {
    try db.all(
      "SELECT \(columns) FROM actions WHERE pass = ?1 AND (?2 IS NULL OR path = ?2) ORDER BY id", .integer(pass),
      .path(path)
    ) { RemoteAction(remote: $0.text(7), action: try Action($0)) }
  }

  /// Returns the last action on a path with one remote, and its pass.
  static func last(
    on path: SyncPath, of remote: String, _ db: Database
  ) throws -> (action: Action, pass: Int, started: Timestamp?)? {
    try db.first(
      """
      SELECT \(columns), pass, (SELECT started FROM passes WHERE number = pass)
      FROM actions WHERE path = ? AND remote = ? ORDER BY id DESC LIMIT 1
      """, .path(path), .text(remote)
    ) { (try Action($0), $0.integer(8), $0.optional(9, $0.time)) }
  }

  private static let columns = "path, kind, target, result, detail, before, after, remote"
}

extension Action {
  /// Reads an action from a row of its table.
  fileprivate init(_ columns: Columns) throws {
    self.init(
      path: try columns.path(0), kind: try columns.choice(1), to: try columns.choice(2),
      result: try columns.choice(3), detail: columns.text(4), before: try columns.optional(5, columns.digest),
      after: try columns.optional(6, columns.digest))
  }
}
