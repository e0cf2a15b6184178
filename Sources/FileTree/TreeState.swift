internal import SyncKit
internal import Synchronization

/// The state of a tree that operations share.
final class TreeState: Sendable {
  private struct Facts {
    /// The id of the root that was seen last.
    var root: String?
    /// The temporaries in the journal, which must not be removed as leftovers.
    var held: Set<Temporary> = []
    var maySweep = false
    /// Intents whose folder was missing at the last recovery.
    var lost: [Intent] = []
    /// The evidence that the last recovery found to be published, or could not decide.
    var published: [WriteEvidence] = []
    var undecided: [WriteEvidence] = []
    var naming: (root: String?, rules: NamingRules)?
  }

  private let facts = Mutex(Facts())

  /// Records the root.
  func meet(_ identity: RootIdentity) { facts.withLock { $0.root = identity.id } }

  /// True if a root was recorded.
  var hasMet: Bool { facts.withLock { $0.root != nil } }

  /// Returns true if this is the recorded root, or none was recorded.
  func knows(_ identity: RootIdentity) -> Bool {
    facts.withLock { $0.root == nil || $0.root == identity.id }
  }

  /// Records that the journal lists a temporary.
  func hold(_ temporary: Temporary) { facts.withLock { _ = $0.held.insert(temporary) } }

  func release(_ temporary: Temporary) { facts.withLock { _ = $0.held.remove(temporary) } }

  func holds(_ temporary: Temporary) -> Bool { facts.withLock { $0.held.contains(temporary) } }

  /// Records intents whose folder is missing; the next listing may find their temporaries elsewhere.
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

  /// The result of the last recovery. It stays until the next one, because passes over several remotes share the tree.
  var evidence: (published: [WriteEvidence], undecided: [WriteEvidence]) {
    facts.withLock { ($0.published, $0.undecided) }
  }

  /// Allows the next listing to remove leftovers. Only a recovery does that, which no dry run makes.
  func allowSweep() { facts.withLock { $0.maySweep = true } }

  /// Returns true if this listing may remove leftovers; resets the permission.
  func takeSweep() -> Bool {
    facts.withLock { facts in
      defer { facts.maySweep = false }
      return facts.maySweep
    }
  }

  /// Returns the naming rules that were probed for a root.
  func naming(of root: RootIdentity) -> NamingRules? {
    facts.withLock { $0.naming?.root == root.id ? $0.naming?.rules : nil }
  }

  func learn(_ rules: NamingRules, of root: RootIdentity) {
    facts.withLock { $0.naming = (root.id, rules) }
  }
}
