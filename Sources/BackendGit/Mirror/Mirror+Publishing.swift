internal import GitObjects
internal import Programs
internal import SyncKit

/// Turns changes into one commit of the remote branch.
extension Mirror {
  /// The number of attempts if other writers are faster; the next pass continues.
  private static let attempts = 5

  /// Commits and pushes the changes whose conditions hold. If another push was faster, repeats this on top of it, for the
  /// changes whose conditions still hold.
  func publish(
    _ changes: [Change], _ staged: [Result<StagedContent, SyncError>?], by author: Author, _ stop: Stop
  ) throws(SyncError) -> [WriteResult] {
    var base = try tip(stop)
    for _ in 0..<Self.attempts {
      let proposal = try Proposal(changes, staged, to: try edit(base), try attributes(of: base), NamingRules())
      // Changes without effect, such as removing a file that is gone, need no commit.
      guard !proposal.files.isEmpty else { return proposal.results(of: changes, staged) }
      let tree = try proposal.edit.write()
      switch try push(tree, on: base, author.text(of: proposal.files), stop) {
      case .done: return proposal.results(of: changes, staged)
      case .declined(let reason): return proposal.results.map { $0 ?? .failed(declined(reason)) }
      case .lost(let error): return proposal.results.map { $0 ?? .unknown(error) }
      case .overtaken:
        let now = try tip(stop)
        // The next pass handles a branch that was reset.
        guard try goesOn(now, from: base) else { return proposal.results.map { $0 ?? .refused(nil) } }
        base = now
      }
    }
    return changes.map { _ in
      .postponed("others pushed to \(address) first, \(Self.attempts) times in a row; the next pass tries again")
    }
  }

  private func goesOn(_ now: Tip, from base: Tip) throws(SyncError) -> Bool {
    guard let old = base.commit else { return true }
    guard let new = now.commit else { return false }
    return try isPast(old, of: new)
  }

  private func declined(_ reason: String) -> SyncError {
    SyncError(.pathFailed, "\(address) rejected the push: \(reason)")
  }
}
