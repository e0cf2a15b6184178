/// No plugin of that role and id was linked in.
public struct UnknownPluginError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The role that was asked for.
  public let role: PluginRole
  /// The id that was asked for.
  public let id: String
  /// The ids that there are.
  public let known: [String]

  /// The id that was probably meant.
  public var suggestion: String? { known.nearest(to: id) }

  /// What is unknown and what there is, without the suggestion.
  public var message: String {
    "unknown \(role) \"\(id)\"; there is " + (known.isEmpty ? "none" : known.joined(separator: ", "))
  }

  /// The message with the suggestion.
  public var description: String {
    message + (suggestion.map { " (did you mean \"\($0)\"?)" } ?? "")
  }
}
