/// One thing that shall become true of a replica: a file with a new content, or gone.
public struct Change: Sendable {
  public var path: SyncPath
  /// The new content, or nil for a removal.
  public var content: Content?
  /// What must be there for the change to happen.
  public var condition: Condition
  /// The content that the change replaces or removes; nil where nothing is there.
  /// A backend may express the change as an edit of it, and verifies by its digest that it displaces nothing else.
  public var replaced: Content?
  /// When the new content was written by a person, as a hint for the file's time.
  public var modified: Timestamp?

  public init(
    path: SyncPath, content: Content?, condition: Condition, replaced: Content? = nil, modified: Timestamp? = nil
  ) {
    self.path = path
    self.content = content
    self.condition = condition
    self.replaced = replaced
    self.modified = modified
  }
}

extension [Change] {
  /// The order in which changes happen where they cannot happen at once, as groups of indices: removals that make room
  /// for what comes, then what comes, then what goes. A version that gets another name is so never without one, even if
  /// it all ends in between.
  public var steps: [[Int]] {
    let writes = indices.filter { self[$0].content != nil }
    let removals = indices.filter { self[$0].content == nil }
    guard !writes.isEmpty, !removals.isEmpty else { return [writes, removals] }
    let files = Set(writes.map { Self.name(self[$0].path) })
    let folders = Set(writes.flatMap { self[$0].path.ancestors.map(Self.name) })
    let isInTheWay = { (path: SyncPath) in
      files.contains(Self.name(path)) || folders.contains(Self.name(path))
        || path.ancestors.contains { files.contains(Self.name($0)) }
    }
    return [
      removals.filter { isInTheWay(self[$0].path) }, writes, removals.filter { !isInTheWay(self[$0].path) },
    ]
  }

  /// Names count as the same if any replica takes them for the same.
  private static func name(_ path: SyncPath) -> CollisionKey {
    path.collisionKey(under: NamingRules(foldsCase: true, foldsUnicode: true))
  }
}

/// How a change ended. It is returned, not thrown: one file's trouble is not the pass's.
public enum WriteResult: Sendable {
  /// The change is true now; the entry is what was seen afterwards, nil after a removal.
  case done(Entry?)
  /// Taken as a request whose effect shows later. With an entry, the replica presents the new content from now on, and
  /// both sides agree on it while the request is on its way; without one, it is asked again in every pass.
  case accepted(Entry?)
  /// The replica has no way to express it; nothing was changed.
  case cannot(String)
  /// Something else stands in the way for now, such as an editor with unsaved changes; nothing was changed.
  case postponed(String)
  /// The condition did not hold; nothing was changed. The entry is what is there now, nil if nothing is.
  case refused(Entry?)
  /// The answer was lost. It is settled by looking, never by repeating.
  case unknown(SyncError)
  /// It went wrong, and nothing was changed.
  case failed(SyncError)
}
