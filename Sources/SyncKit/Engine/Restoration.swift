/// Repairs a remote that was restored from a backup: its old state is not a user's change (P18).
struct Restoration {
  /// The agreements before the restore.
  let base: Base
  let archive: any Archive

  /// Returns the plan in which the remote's versions that are known to be older than the store's are replaced instead of
  /// merged.
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
