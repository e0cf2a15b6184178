/// A change to one file of a replica: a new content, or its removal.
public struct Change: Sendable {
  /// The path that is to be changed.
  public var path: SyncPath
  /// The new content, or nil for a removal.
  public var content: Content?
  /// The requirement for the change.
  public var condition: Condition
  /// The content that the change replaces or removes; nil if the path is free.
  /// A backend may express the change as an edit of it, and verify by its digest that nothing else is replaced.
  public var replaced: Content?
  /// The time at which the new content was written, as a hint for the file's modification time.
  public var modified: Timestamp?

  /// Creates a change; `content` is nil for a removal.
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
  /// The order of changes that cannot be made at once, as groups of indices: removals that make room for a write, then the
  /// writes, then the other removals. So a version that is renamed always has a name, even after a crash in between.
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

  /// A new file and a removal of the same content: one file that gets another name.
  public struct Rename: Hashable, Sendable {
    /// The index of the change that creates the file.
    public var creation: Int
    /// The index of the change that removes the file under its old name.
    public var removal: Int
  }

  /// The changes that a storage may make by moves. It must verify that it has moved the version that was to be removed. Removals
  /// that make room for a write are not among them.
  public var renames: [Rename] {
    guard let removals = steps.dropFirst(2).first, !removals.isEmpty else { return [] }
    var sources = Dictionary(grouping: removals.reversed()) { self[$0].replaced?.digest }
    return indices.compactMap { index in
      guard self[index].condition == .absent, let content = self[index].content,
        let removal = sources[content.digest]?.popLast()
      else { return nil }
      return Rename(creation: index, removal: removal)
    }
  }

  /// Names are equal here if any replica folds them into one.
  private static func name(_ path: SyncPath) -> CollisionKey {
    path.collisionKey(under: NamingRules(foldsCase: true, foldsUnicode: true))
  }
}

/// The result of a change. It is returned, not thrown: one file does not stop the pass.
public enum WriteResult: Sendable {
  /// The change was made. The entry is the present one at the path, nil after a removal.
  case done(Entry?)
  /// Accepted as a request that takes effect later. With an entry, the replica presents the new content from now on, and
  /// both sides agree on it while the request is in progress. Without one, the next pass makes the same change again.
  case accepted(Entry?)
  /// The replica cannot hold this change, now or ever; nothing was changed. The text is the reason.
  case cannot(String)
  /// Not possible for now, for example because an editor has unsaved changes; nothing was changed. The text is the reason.
  case postponed(String)
  /// The condition did not hold; nothing was changed. The entry is the present one at the path, nil if it is free.
  case refused(Entry?)
  /// The answer was lost. The next pass reads the present state; the change is never repeated blindly.
  case unknown(SyncError)
  /// The change failed, and nothing was changed.
  case failed(SyncError)
}
