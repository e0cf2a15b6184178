/// The reason why a verb is not carried out. Nothing has changed.
public struct Refusal: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of a refusal.
  public enum Kind: Sendable, Hashable {
    /// The place, the target or a value does not exist.
    case notFound
    /// Org's rules forbid the change, for example because of an open child.
    case blocked
    /// An argument is invalid.
    case invalid
    /// Org asks a question, and the context has no answer.
    case question
    /// The entry, or another one that would be changed, has an unresolved conflict.
    case conflict
    /// Only Emacs can do it.
    case needsEmacs
  }

  /// The kind.
  public let kind: Kind
  /// The reason as one sentence.
  public let description: String

  /// A refusal with its reason.
  public init(_ kind: Kind, _ description: String) {
    (self.kind, self.description) = (kind, description)
  }
}
