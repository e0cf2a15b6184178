/// The origin of a version that was made without knowledge of the one that store and replica last agreed on.
///
/// A replica that other devices also write to, each without waiting for the others, holds both versions until a write replaces
/// them. It presents the one that is not agreed on, with this value, and a revision that covers both.
public struct Concurrency: Hashable, Sendable {
  /// The digests of the last contents that both versions descend from, of which none descends from another one. There are several
  /// if two devices merged the same versions and one of them was edited since; none if no common content is known.
  public var ancestors: [Digest]
  /// The digest of the last content that all of `ancestors` descend from; nil if there are fewer than two, or none is known.
  public var origin: Digest?

  /// The digest of the first of `ancestors`.
  public var ancestor: Digest? { ancestors.first }

  /// Creates the origin of a version with one ancestor, or none.
  public init(ancestor: Digest?) { self.init(ancestors: [ancestor].compactMap(\.self), origin: nil) }

  /// Creates the origin of a version.
  public init(ancestors: [Digest], origin: Digest?) {
    self.ancestors = ancestors
    self.origin = origin
  }
}
