/// The requirement for a write. There is no unconditional write.
public enum Condition: Hashable, Sendable {
  /// The path is free.
  case absent
  /// The path has the version with this revision.
  case unchanged(Revision)
}
