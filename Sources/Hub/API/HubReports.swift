package import SyncKit

/// The reports of the command line about the store, and the decisions about passes and conflicts, as the same documents.
package struct HubReports: Sendable {
  /// A function that makes a document.
  package typealias Report = @Sendable () async throws -> JSON

  let status: Report
  let conflicts: Report
  let holds: Report
  /// The settings in effect.
  let settings: Report
  /// Undoes a pass.
  let undo: @Sendable (Int) async throws -> JSON
  /// Returns what each side of a conflict changed.
  let changes: @Sendable (ListedConflict) async throws -> JSON
  /// Resolves a conflict with the version of a side.
  let resolve: @Sendable (ListedConflict, Side) async throws -> JSON
  /// Lists this number of passes at most.
  let passes: @Sendable (Int) async throws -> JSON
  /// Returns the versions of an entry, newest first.
  let history: @Sendable (PlacedEntry) async throws -> [EntryVersion]

  /// Reports that are made by these functions.
  package init(
    status: @escaping Report, conflicts: @escaping Report, holds: @escaping Report, settings: @escaping Report,
    undo: @escaping @Sendable (Int) async throws -> JSON,
    changes: @escaping @Sendable (ListedConflict) async throws -> JSON,
    resolve: @escaping @Sendable (ListedConflict, Side) async throws -> JSON,
    passes: @escaping @Sendable (Int) async throws -> JSON,
    history: @escaping @Sendable (PlacedEntry) async throws -> [EntryVersion]
  ) {
    (self.status, self.conflicts, self.holds, self.settings) = (status, conflicts, holds, settings)
    (self.undo, self.changes, self.resolve, self.passes) = (undo, changes, resolve, passes)
    self.history = history
  }
}

/// A conflict as `/conflicts` lists it: what tells it from every other one.
package struct ListedConflict: Sendable, Hashable {
  /// The path of the file.
  package let path: String
  /// The name of the remote.
  package let remote: String
  /// The number of the pass that opened the conflict.
  package let pass: Int
}
