/// Repairs a remote that was restored from a backup: its old state is not a user's change (P18).
struct Restoration {
  /// The memory of the passes before the restore.
  let memory: RemoteMemory
  let archive: any Archive

  /// Returns the plan in which the remote's versions that are known to be older than the store's are replaced instead of
  /// merged.
  func republishing(_ plan: Plan) async throws(SyncError) -> Plan {
    var plan = plan
    let evidence = Evidence(memory, unfinished: try await archive.intendedPaths())
    for index in plan.indices where plan.decisions[index] == .merge {
      let (difference, path) = (plan.differences[index], plan.path(at: index))
      guard case .present(let old) = plan.scan.state(of: difference, on: .remote),
        case .present(let new) = plan.scan.state(of: difference, on: .local),
        try await isOlder(old, than: new, at: path, evidence)
      else { continue }
      plan.scan.ancestors[path] = old
      plan.decisions[index] = .copy(to: .remote)
    }
    return plan
  }

  private func isOlder(
    _ old: Digest, than new: Digest, at path: SyncPath, _ evidence: Evidence
  ) async throws(SyncError) -> Bool {
    if let isOlder = evidence.isOlder(old, at: path) { return isOlder }
    // Without an agreement, the store's file is a new one, which does not descend from a former file of that name.
    guard evidence.hasAgreement(at: path) else { return false }
    guard try await archive.wasDisplaced(old, at: path) else { return false }
    // The remote had the last agreed version after every one that was replaced, even if a user had brought it back.
    if evidence.agreed(at: path) == new { return true }
    return try await !archive.wasDisplaced(new, at: path)
  }

  /// What the last passes before the restore, and those that began to repair it, say about the age of versions.
  private struct Evidence {
    private let base: Base
    private let intended: [SyncPath: IntendedChange]
    private let unfinished: Set<SyncPath>

    /// - Parameter unfinished: the paths of changes, with any remote, whose results are not recorded.
    init(_ memory: RemoteMemory, unfinished: Set<SyncPath>) {
      base = memory.base
      intended = Dictionary(memory.intended.map { ($0.path, $0) }, uniquingKeysWith: { $1 })
      self.unfinished = unfinished
    }

    func hasAgreement(at path: SyncPath) -> Bool { base[path] != nil }

    /// Returns the content that both sides agreed on before the restore.
    func agreed(at path: SyncPath) -> Digest? { base[path]?.digest }

    /// Returns true or false if it is certain, or nothing else can prove it; nil otherwise.
    ///
    /// A version is in the history before it is replaced. That proves nothing while the result of the change is unknown; then an
    /// earlier pass must have known the version to be the older one.
    func isOlder(_ old: Digest, at path: SyncPath) -> Bool? {
      if base[path]?.digest == old { return true }
      guard let change = intended[path] else { return unfinished.contains(path) ? false : nil }
      // The store has or had the target, which includes the versions that it was to replace.
      let isInStore = change.local == nil || change.written.contains(.local)
      let isReplaced = Side.allCases.contains { change.written.contains($0) && change[$0] == .content(old) }
      if isInStore, isReplaced { return true }
      return Side.allCases.contains { change[$0] == .content(old) } ? change.ancestor == old : nil
    }
  }
}
