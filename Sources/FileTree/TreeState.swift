internal import SyncKit
internal import Synchronization

/// What a tree remembers from one operation to the next.
final class TreeState: Sendable {
  private struct Facts {
    var root: String?
  }

  private let facts = Mutex(Facts())

  /// Notes which root was seen.
  func meet(_ identity: RootIdentity) { facts.withLock { $0.root = identity.id } }

  /// Whether this is the root that was seen last, or none was.
  func knows(_ identity: RootIdentity) -> Bool {
    facts.withLock { $0.root == nil || $0.root == identity.id }
  }
}
