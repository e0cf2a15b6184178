import ArchiveSQLite
package import SyncKit

extension Workspace {
  /// Approves the held deletions with this ID, or those whose paths match one of `patterns`. Returns their number.
  package func allow(_ id: String, _ patterns: [PathChoice] = []) async throws(SyncError) -> Int {
    let part = try await heldItems(id, patterns)
    for remote in try await remotes(holding: id) {
      try await DeniedDeletions(in: archive.journal(of: remote)).remove(part)
    }
    try await writable?.allow(id, only: part)
    return part.count
  }

  /// Denies the held deletions with this ID, or those whose paths match one of `patterns`, so that the next pass restores the
  /// files on the side that lost them. Returns their number.
  package func deny(_ id: String, _ patterns: [PathChoice] = []) async throws(SyncError) -> Int {
    let part = try await heldItems(id, patterns)
    for waiting in try await history.holds() where waiting.hold.id == id {
      // This comes first, so that a kill in between leaves a hold that the next pass ends.
      try await DeniedDeletions(in: archive.journal(of: waiting.remote)).add(part)
      var record = Record(remote: waiting.remote)
      record.hold = Hold(reason: waiting.hold.reason, items: waiting.hold.items.subtracting(part))
      try await archive.record(record)
    }
    return part.count
  }

  private func remotes(holding id: String) async throws(SyncError) -> [String] {
    try await history.holds().filter { $0.hold.id == id }.map(\.remote)
  }

  /// Returns the deletions with an ID whose paths match one of the patterns; all without patterns.
  private func heldItems(_ id: String, _ patterns: [PathChoice]) async throws(SyncError) -> Set<HeldItem> {
    guard let hold = try await history.holds().first(where: { $0.hold.id == id })?.hold else {
      throw SyncError(.notFound, "nothing is held under the ID \(id)", remedy: .reviewHolds)
    }
    guard !patterns.isEmpty else { return hold.items }
    let part = hold.items.filter { item in patterns.contains { $0.matches(item.path) } }
    guard !part.isEmpty else {
      throw SyncError(
        .notFound, "no file that is held under the ID \(id) matches the patterns", remedy: .reviewHolds)
    }
    return part
  }
}
