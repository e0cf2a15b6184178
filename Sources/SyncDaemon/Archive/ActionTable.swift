internal import GRDB
import SyncKit

/// What the passes did, in words.
enum ActionTable {
  static func insert(_ action: Action, of remote: String, in run: Run, _ db: Database) throws {
    try db.run(
      "INSERT INTO actions VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      .integer(run.number), .text(remote), .path(action.path), .text(action.kind.rawValue), .text(action.to.rawValue),
      .text(action.result.rawValue), .text(action.detail), .digest(action.before), .digest(action.after))
  }
}
