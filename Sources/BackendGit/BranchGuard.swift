internal import GitObjects
internal import SyncKit

/// Ensures that a branch is never rewritten (P18), and records the last commit that was seen.
struct BranchGuard: Sendable {
  let address: String
  let journal: any Journal
  /// False in a dry run, which must not record anything.
  let mayRemember: Bool
  /// The first digits of a commit from which a rewritten history is accepted; nil if none is.
  let accepted: String?

  private static let key = "git.tip"

  /// Returns the identity of the branch if it is known or new. Throws `.wrongReplica` if the last known commit has vanished
  /// from it.
  func admit(_ tip: Mirror.Tip, _ mirror: Mirror) async throws(SyncError) -> RootIdentity {
    let branch = name(of: tip)
    let known = try await known(branch)
    var origin = known?.origin
    if let known {
      guard let commit = tip.commit else { throw vanished(known, tip) }
      if try await !mirror.isPast(known.commit, of: commit) {
        guard let accepted, let found = try await mirror.commit(accepted, before: commit) else {
          throw rewritten(known, tip, commit)
        }
        origin = found
      }
    }
    if let commit = tip.commit, mayRemember {
      let now = KnownTip(branch: branch, commit: commit, origin: origin)
      if now != known { try await journal.write([Self.key: now.bytes]) }
    }
    // An accepted rewritten history is another replica: both sides are united, and nothing is deleted.
    return RootIdentity(address: origin.map { "\(branch) from \($0.short)" } ?? branch, id: "branch")
  }

  /// Records the last commit that was seen or pushed.
  func record(_ mirror: Mirror) async throws(SyncError) {
    guard mayRemember, let tip = await mirror.seen, let commit = tip.commit else { return }
    let known = try await known(name(of: tip))
    let now = KnownTip(branch: name(of: tip), commit: commit, origin: known?.origin)
    if now != known { try await journal.write([Self.key: now.bytes]) }
  }

  private func known(_ branch: String) async throws(SyncError) -> KnownTip? {
    let known = try await journal.records()[Self.key].flatMap(KnownTip.init)
    return known?.branch == branch ? known : nil
  }

  private func name(of tip: Mirror.Tip) -> String { "\(address)#\(tip.branch)" }

  private func vanished(_ known: KnownTip, _ tip: Mirror.Tip) -> SyncError {
    SyncError(
      .wrongReplica,
      "the branch \(tip.branch) of \(address) no longer exists; nothing was changed. If it was removed by mistake, push it "
        + "again from a clone (its last commit was \(known.commit.short)); if it was renamed, change `branch` in the settings"
    )
  }

  private func rewritten(_ known: KnownTip, _ tip: Mirror.Tip, _ commit: ObjectID) -> SyncError {
    SyncError(
      .wrongReplica,
      "the history of \(tip.branch) at \(address) was rewritten: it no longer contains the commit \(known.commit.short); "
        + "nothing was changed. To go back, force-push \(known.commit.short) from a clone that has it. To accept the new "
        + "history, set `accept = \"\(commit.short)\"` in the remote's [git] table: syncd then merges both sides, and "
        + "nothing is deleted")
  }
}
