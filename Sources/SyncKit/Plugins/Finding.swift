/// A result of a replica's diagnosis of itself.
public struct Finding: Hashable, Sendable {
  /// The severity of a finding.
  public enum Level: String, Hashable, Sendable {
    /// It works as documented.
    case good
    /// It works with a limitation that a user should know.
    case note
    /// It prevents files from being synced, or can lose an edit.
    case problem
  }

  /// The severity.
  public var level: Level
  /// The finding and its consequence, as a sentence for users.
  public let text: String

  /// Creates a finding.
  public init(_ level: Level, _ text: String) {
    self.level = level
    self.text = text.printableLine
  }
}

extension Finding {
  /// Takes the place of what only temporary files could show, on a remote where nothing may be written.
  package static let unprobed = Finding(
    .note,
    "`mode = \"receive\"` writes nothing there, so this diagnosis did not test how the remote treats writes and concurrent edits"
  )
}
