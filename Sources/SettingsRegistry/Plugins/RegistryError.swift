/// A mistake in the program: plugins that cannot be registered together, or not at all.
public enum RegistryError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Two types have the same id.
  case duplicate(id: String, types: [String])
  /// The id is not made of lower-case letters, digits and `-`, or is `none`.
  case malformed(id: String, type: String)
  /// The type says that it has a role but is not what the role wants.
  case unfit(id: String, type: String, wanted: String)
  /// The failpoint's name is malformed, or two modules declare it with different promises.
  case failpoint(name: String)

  /// A sentence that names the types.
  public var description: String {
    switch self {
    case .duplicate(let id, let types): "the plugin id \"\(id)\" is used by \(types.joined(separator: " and "))"
    case .malformed(let id, let type): "\"\(id)\" of \(type) is no plugin id"
    case .unfit(let id, let type, let wanted): "the plugin \"\(id)\" (\(type)) is no \(wanted)"
    case .failpoint(let name):
      "the failpoint \"\(name)\" is declared twice, or its name is not made of words joined by dots"
    }
  }
}
