/// What must be true of a path for a write to happen. There is no unconditional write.
public enum Condition: Hashable, Sendable {
  /// Nothing is there.
  case absent
  /// The version with this revision is there.
  case unchanged(Revision)
}
