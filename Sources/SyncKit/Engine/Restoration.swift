/// Repairs a remote that was restored from a backup: its old state is not a change by a user (P18).
struct Restoration {
  /// What was last agreed on, before the restore.
  let base: Base
  let archive: any Archive

  /// The plan in which a version that is known to be older than the store's gives way to it, instead of being merged.
  func republishing(_ plan: Plan) async throws(SyncError) -> Plan {
    var plan = plan
    for index in plan.indices where plan.decisions[index] == .merge {
      let (difference, path) = (plan.differences[index], plan.path(at: index))
      guard case .present(let old) = plan.scan.state(of: difference, on: .remote),
        case .present(let new) = plan.scan.state(of: difference, on: .local),
        try await isOlder(old, than: new, at: path)
      else { continue }
      plan.decisions[index] = .copy(to: .remote)
    }
    return plan
  }

  private func isOlder(_ old: Digest, than new: Digest, at path: SyncPath) async throws(SyncError) -> Bool {
    if base[path]?.digest == old { return true }
    guard try await archive.wasDisplaced(old, at: path) else { return false }
    return try await !archive.wasDisplaced(new, at: path)
  }
}
