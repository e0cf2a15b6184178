/// A change of one path that a batch is about to make.
///
/// It is durable before the change is made. After a crash, a side that was to be changed and holds exactly `target` is known
/// to have been changed, so what happened to the other side since is an edit of `target`.
public struct IntendedChange: Hashable, Sendable {
  /// The path that is to be changed.
  public var path: SyncPath
  /// The content that both sides are to hold; nil if both are to hold none.
  public var target: Digest?
  /// The content that the decision took for the last common one; nil if there was none.
  public var ancestor: Digest?
  /// What the store holds before it is changed; nil if it holds `target` already.
  public var local: Former?
  /// What the remote holds before it is changed; nil if it holds `target` already.
  public var remote: Former?
  /// The conflict that is open once the change is made.
  public var conflict: OpenConflict?

  /// What a side holds before a change.
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
  }

  /// What `side` holds before it is changed; nil if it is not to be changed.
  public subscript(side: Side) -> Former? { side == .local ? local : remote }
}

/// What a batch of a pass is about to do to both sides.
public struct IntendedBatch: Hashable, Sendable {
  /// The name of the remote.
  public var remote: String
  /// The number of the batch; a later batch of the same remote has a higher one.
  public var number: Int
  /// The versions that the batch makes no longer live.
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
