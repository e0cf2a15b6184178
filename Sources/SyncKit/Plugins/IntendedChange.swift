/// A change of one path that a batch is about to make.
///
/// It is durable before the change is made. A side that has `target`, or is known to have had it, counts as agreed; the other side
/// still descends from its former content.
public struct IntendedChange: Hashable, Sendable {
  /// The path that is to be changed.
  public var path: SyncPath
  /// The content that both sides are to have; nil if both are to have none.
  public var target: Digest?
  /// The content that the decision treated as the last common one; nil if there was none.
  public var ancestor: Digest?
  /// The store's content before the change; nil if it already has `target`.
  public var local: Former?
  /// The remote's content before the change; nil if it already has `target`.
  public var remote: Former?
  /// The conflict that is open once the change is made.
  public var conflict: OpenConflict?
  /// The new path of a renamed file whose old path this change removes: the target there includes the removed version. Nil for
  /// other changes.
  public var newPath: SyncPath?
  /// The sides whose change may have begun, so that their content may be an edit of `target`. Default: those that are to be
  /// changed.
  public var begun: Set<Side>
  /// The sides whose change was made, whatever they have now.
  public var written: Set<Side> = []

  /// A side's content before a change.
  public enum Former: Hashable, Sendable {
    case absent
    case content(Digest)
  }

  public init(
    path: SyncPath, target: Digest?, ancestor: Digest?, local: Former?, remote: Former?, conflict: OpenConflict? = nil
  ) {
    self.path = path
    self.target = target
    self.ancestor = ancestor
    self.local = local
    self.remote = remote
    self.conflict = conflict
    begun = []
    begun = changedSides
  }

  /// The sides that are to be changed.
  public var changedSides: Set<Side> { Set(Side.allCases.filter { self[$0] != nil }) }

  /// The content of `side` before the change; nil if it is not to be changed.
  public subscript(side: Side) -> Former? { side == .local ? local : remote }
}

/// The changes that a batch of a pass is about to make to both sides.
public struct IntendedBatch: Hashable, Sendable {
  /// The name of the remote.
  public var remote: String
  /// The number of the batch; a later batch of the same remote has a higher one.
  public var number: Int
  /// The versions that the batch replaces or removes.
  public var displaced: [Version]
  /// One for each path of the batch.
  public var changes: [IntendedChange]

  public init(remote: String, number: Int, displaced: [Version], changes: [IntendedChange]) {
    self.remote = remote
    self.number = number
    self.displaced = displaced
    self.changes = changes
  }
}

extension [IntendedChange] {
  /// The last change of each path, in folder order.
  public var latestOfEachPath: [IntendedChange] {
    Dictionary(map { ($0.path, $0) }, uniquingKeysWith: { $1 }).values.sorted { $0.path < $1.path }
  }
}
