package import ArchiveSQLite
package import SyncKit

extension Workspace {
  /// Approves the held deletions with this ID, or those whose paths match one of `patterns`. Returns their number.
  package func allow(_ id: String, _ patterns: [PathChoice] = []) async throws(SyncError) -> Int {
    let part = try await heldItems(id, patterns)
    for remote in try await remotes(holding: id) {
      try await DeniedDeletions(in: archive.journal(of: remote)).remove(part)
    }
    let remotes = try await remotes(holding: id)
    try await writable?.allow(id, only: part)
    for remote in remotes {
      var record = Record(remote: remote)
      record.actions = actions(part, "approved with `syncd allow`")
      try await archive.record(record)
    }
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
      record.hold = waiting.hold.of(waiting.hold.items.subtracting(part))
      record.actions = actions(part, "denied with `syncd deny`")
      try await archive.record(record)
    }
    return part.count
  }

  /// The decisions of a person about held deletions, as the history has them.
  private func actions(_ items: Set<HeldItem>, _ reason: String) -> [Action] {
    items.sorted().map { item in
      Action(
        path: item.path, kind: .hold, to: item.side == .local ? .local : .remote, result: .done, detail: reason,
        before: item.digest, after: item.digest)
    }
  }

  /// Takes back approvals and denials that `actions` record, as far as no pass has carried them out, so that the next pass
  /// judges the deletions again. Returns how many deletions it was about.
  package func revokeDecisions(_ actions: [RemoteAction]) async throws(SyncError) -> Int {
    let decisions = actions.filter { $0.action.kind == .hold && $0.action.result == .done }
    for (remote, own) in Dictionary(grouping: decisions, by: \.remote) {
      let items = own.compactMap { item in
        item.action.before.map {
          HeldItem(path: item.action.path, digest: $0, side: item.action.to == .local ? .local : .remote)
        }
      }
      try await DeniedDeletions(in: archive.journal(of: remote)).remove(items)
      var record = Record(remote: remote)
      record.used = items
      try await archive.record(record)
    }
    return decisions.count
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
