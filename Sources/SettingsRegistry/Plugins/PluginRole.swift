/// What a plugin is for. The layer that uses plugins declares the roles there are.
public struct PluginRole: Sendable, Hashable, CustomStringConvertible {
  /// The word by which settings and messages call the role, such as `cloud`.
  public let word: String
  /// What a heading over plugins of this role says, such as `Cloud storages`.
  public let title: String

  /// A role; its word alone tells it from others.
  public init(_ word: String, title: String) {
    self.word = word
    self.title = title
  }

  /// The word.
  public var description: String { word }

  /// Roles are the same if their words are.
  public static func == (first: Self, second: Self) -> Bool { first.word == second.word }

  /// Hashes the word.
  public func hash(into hasher: inout Hasher) { hasher.combine(word) }
}
