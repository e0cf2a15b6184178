/// One thing that a replica found out about itself by trying it: part of a diagnosis.
public struct Finding: Hashable, Sendable {
  /// How good or bad it is.
  public enum Level: String, Hashable, Sendable {
    /// It works as documented.
    case good
    /// It works with a limitation that a person should know.
    case note
    /// It keeps files from being synced, or can lose an edit.
    case problem
  }

  /// How good or bad it is.
  public var level: Level
  /// What was found and what follows from it, as a sentence for a person.
  public let text: String

  /// Creates a finding.
  public init(_ level: Level, _ text: String) {
    self.level = level
    self.text = text.printableLine
  }
}
