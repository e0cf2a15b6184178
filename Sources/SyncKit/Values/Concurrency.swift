/// The origin of a version that was made without knowledge of the one that store and replica last agreed on.
///
/// A replica that other devices also write to, each without waiting for the others, holds both versions until a write replaces
/// them. It presents the one that is not agreed on, with this value, and a revision that covers both.
public struct Concurrency: Hashable, Sendable {
  /// The digest of the last content that both versions descend from; nil if there is none, or none is known.
  public var ancestor: Digest?

  /// Creates the origin of a version.
  public init(ancestor: Digest?) { self.ancestor = ancestor }
}
