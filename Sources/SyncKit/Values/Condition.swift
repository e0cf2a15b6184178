/// The precondition of a write. Every write has one.
public enum Condition: Hashable, Sendable {
  /// The path is free.
  case absent
  /// The path has the version with this revision.
  case unchanged(Revision)
}
