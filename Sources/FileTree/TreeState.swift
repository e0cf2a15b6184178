internal import SyncKit
internal import Synchronization

/// What a tree remembers from one operation to the next.
final class TreeState: Sendable {
  private struct Facts {
    /// The id of the root that was seen last.
    var root: String?
    /// Temporary files that the journal lists, which must not be removed as leftovers.
    var held: Set<Temporary> = []
    var maySweep = false
    /// Intents whose folder was not there at the last recovery.
    var lost: [Intent] = []
    /// What the last recovery found to have been published, or could not decide.
    var published: [WriteEvidence] = []
    var undecided: [WriteEvidence] = []
    var naming: (root: String?, rules: NamingRules)?
  }

  private let facts = Mutex(Facts())

  /// Records which root was seen.
  func meet(_ identity: RootIdentity) { facts.withLock { $0.root = identity.id } }

  /// True if a root was seen.
  var hasMet: Bool { facts.withLock { $0.root != nil } }

  /// Returns true if this is the root that was seen last, or none was.
  func knows(_ identity: RootIdentity) -> Bool {
    facts.withLock { $0.root == nil || $0.root == identity.id }
  }

  /// Records that the journal lists a temporary file, or no longer does.
  func hold(_ temporary: Temporary) { facts.withLock { _ = $0.held.insert(temporary) } }

  func release(_ temporary: Temporary) { facts.withLock { _ = $0.held.remove(temporary) } }

  func holds(_ temporary: Temporary) -> Bool { facts.withLock { $0.held.contains(temporary) } }

  /// Notes intents whose folder is not there; the next listing may meet what they speak of elsewhere.
  func lose(_ intents: [Intent]) { facts.withLock { $0.lost = intents } }

  func takeLost() -> [Intent] {
    facts.withLock { facts in
      defer { facts.lost = [] }
      return facts.lost
    }
  }

  func learn(published: [WriteEvidence], undecided: [WriteEvidence]) {
    facts.withLock { ($0.published, $0.undecided) = (published, undecided) }
  }

  /// What the last recovery learned. It stays until the next one, because passes over several remotes share the tree.
  var evidence: (published: [WriteEvidence], undecided: [WriteEvidence]) {
    facts.withLock { ($0.published, $0.undecided) }
  }

  /// Lets the next listing remove leftovers. It is allowed by a recovery, which no dry run makes.
  func allowSweep() { facts.withLock { $0.maySweep = true } }

  /// Returns true if this listing may remove leftovers; the next one must be allowed again.
  func takeSweep() -> Bool {
    facts.withLock { facts in
      defer { facts.maySweep = false }
      return facts.maySweep
    }
  }

  /// What was found out about the names under a root.
  func naming(of root: RootIdentity) -> NamingRules? {
    facts.withLock { $0.naming?.root == root.id ? $0.naming?.rules : nil }
  }

  func learn(_ rules: NamingRules, of root: RootIdentity) {
    facts.withLock { $0.naming = (root.id, rules) }
  }
}
