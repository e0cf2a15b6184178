/// What a pass did, or did not do, to one path.
public struct Action: Hashable, Sendable {
  /// What is done to a path.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case copy, merge, remove, conflict, hold, forget
  }

  /// The side that is changed.
  public enum Target: String, Hashable, Sendable, CaseIterable {
    case local, remote, both
  }

  /// The result of an action.
  public enum Result: String, Hashable, Sendable, CaseIterable {
    case done, waiting, failed
  }

  /// The path that the action concerns.
  public var path: SyncPath
  /// What was done.
  public var kind: Kind
  /// The side that was changed.
  public var to: Target
  /// The result.
  public var result: Result
  /// The reason, as a clause; empty if there is nothing to say.
  public let detail: String
  /// The store's version before and after; nil where the file did not exist.
  public var before: Digest?
  /// The store's version after the action; nil if there is none.
  public var after: Digest?

  public init(
    path: SyncPath, kind: Kind, to: Target, result: Result, detail: String = "", before: Digest? = nil,
    after: Digest? = nil
  ) {
    self.path = path
    self.kind = kind
    self.to = to
    self.result = result
    self.detail = Self.clause(detail.printableLine, about: path)
    self.before = before
    self.after = after
  }

  /// A reason without the path at its beginning, which stands before it wherever an action is shown.
  private static func clause(_ detail: String, about path: SyncPath) -> String {
    for beginning in ["\(path): ", "\(path) "] where detail.hasPrefix(beginning) {
      return String(detail.dropFirst(beginning.count))
    }
    return detail
  }
}
