/// The action of a pass on one path, or an action that was held or failed.
public struct Action: Hashable, Sendable {
  /// The kind of an action.
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
  /// The kind of the action.
  public var kind: Kind
  /// The side that was changed.
  public var to: Target
  /// The result.
  public var result: Result
  /// The reason, as a clause; empty if there is none.
  public let detail: String
  /// The store's version before the action; nil if the file did not exist.
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

  /// Removes the path from the beginning of a reason, because the path is displayed before it.
  private static func clause(_ detail: String, about path: SyncPath) -> String {
    for beginning in ["\(path): ", "\(path) "] where detail.hasPrefix(beginning) {
      return String(detail.dropFirst(beginning.count))
    }
    return detail
  }
}
