package import SyncKit

/// The reports of the command line about the store, and the undoing of a pass, as the same documents.
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
  /// Lists this number of passes at most.
  let passes: @Sendable (Int) async throws -> JSON

  /// Reports that are made by these functions.
  package init(
    status: @escaping Report, conflicts: @escaping Report, holds: @escaping Report, settings: @escaping Report,
    undo: @escaping @Sendable (Int) async throws -> JSON,
    passes: @escaping @Sendable (Int) async throws -> JSON
  ) {
    (self.status, self.conflicts, self.holds, self.settings) = (status, conflicts, holds, settings)
    (self.undo, self.passes) = (undo, passes)
  }
}
