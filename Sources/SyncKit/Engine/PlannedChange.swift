/// A change that a dry run has planned: what each side has, and what both will have.
///
/// Two equal plans of a path make the same change, so a user can review a change and let exactly this one be made later.
public struct PlannedChange: Hashable, Sendable {
  /// The path of the file.
  public var path: SyncPath
  /// The kind of change.
  public var kind: Action.Kind
  /// The side that is changed.
  public var to: Action.Target
  /// The version in the store before the change; nil if it has no file there.
  public var local: Digest?
  /// The version in the remote before the change; nil if it has no file there.
  public var remote: Digest?
  /// The version on both sides after the change; nil if the file is removed.
  public var after: Digest?

  public init(
    path: SyncPath, kind: Action.Kind, to: Action.Target, local: Digest?, remote: Digest?, after: Digest?
  ) {
    self.path = path
    self.kind = kind
    self.to = to
    self.local = local
    self.remote = remote
    self.after = after
  }

  /// Describes a change; nil if it changes nothing on either side.
  init?(_ change: PathChange) {
    guard let kind = change.kind, !change.changedSides.isEmpty else { return nil }
    self.init(
      path: change.path, kind: kind, to: change.reportTarget, local: Self.before(change, on: .local),
      remote: Self.before(change, on: .remote), after: change.target?.digest)
  }

  /// Describes a deletion that is held; nil if none is held at this difference.
  init?(heldAt index: Int, in plan: Plan) {
    guard case .hold(let change) = plan.decisions[index] else { return nil }
    let versions = Side.allCases.map { side -> Digest? in
      if case .present(let digest) = plan.scan.state(of: plan.differences[index], on: side) { digest } else { nil }
    }
    self.init(
      path: plan.path(at: index), kind: .hold, to: change.target, local: versions[0], remote: versions[1], after: nil)
  }

  private static func before(_ change: PathChange, on side: Side) -> Digest? {
    switch change[side] {
    // This side already has what both will have.
    case .stands: change.target?.digest
    case .changes(let entry): entry.flatMap { $0.digest ?? change.ancestor }
    }
  }
}
