/// One thing that a replica found out about itself by trying it: part of a diagnosis.
public struct Finding: Hashable, Sendable {
  public enum Level: String, Hashable, Sendable {
    /// As promised.
    case good
    /// It works, with a limit that a person should know.
    case note
    /// Something that keeps files from being in sync, or that can lose an edit.
    case problem
  }

  public var level: Level
  /// What was found and what follows from it, in a sentence for a person.
  public var text: String

  public init(_ level: Level, _ text: String) {
    self.level = level
    self.text = text
  }
}
