/// The plugins that a program is linked with. It is an immutable value without side effects.
public struct Registry: Sendable {
  /// The id that selects no plugin, where a plugin is optional.
  public static let none = "none"

  /// All plugins, sorted by role and id.
  public let plugins: [any Plugin.Type]
  /// The failpoints of the program and of all plugins, sorted by name, each once.
  public let failpoints: [Failpoint]

  /// Creates the registry of these plugins and of the program's own failpoints. Throws if a plugin id is malformed or not
  /// unique in its role, or if a failpoint has a malformed name or is declared with two promises. Plugins of several roles
  /// may share an id if they have the same settings, since they have the same table.
  public init(_ plugins: [any Plugin.Type], failpoints own: [Failpoint] = []) throws(RegistryError) {
    var known: [String: any Plugin.Type] = [:]
    for plugin in plugins {
      guard Self.isID(plugin.id) else { throw .malformed(id: plugin.id, type: String(reflecting: plugin)) }
      if let first = known.updateValue(plugin, forKey: plugin.id),
        first.role == plugin.role || !plugin.hasSettings(of: first)
      {
        throw .duplicate(id: plugin.id, types: [String(reflecting: first), String(reflecting: plugin)])
      }
    }
    self.plugins = plugins.sorted { ($0.role.name, $0.id) < ($1.role.name, $1.id) }
    failpoints = try Self.united(own + plugins.flatMap { $0.failpoints })
  }

  /// Returns the plugins of a role, sorted by id.
  public func plugins(_ role: PluginRole) -> [any Plugin.Type] {
    plugins.filter { $0.role == role }
  }

  /// Returns the plugin of that role and id; throws if the program is not linked with one.
  public func plugin(_ role: PluginRole, _ id: String) throws(UnknownPluginError) -> any Plugin.Type {
    guard let plugin = plugins(role).first(where: { $0.id == id }) else {
      throw UnknownPluginError(role: role, id: id, known: plugins(role).map { $0.id })
    }
    return plugin
  }

  private static func united(_ failpoints: [Failpoint]) throws(RegistryError) -> [Failpoint] {
    var known: [String: Failpoint] = [:]
    for failpoint in failpoints {
      guard failpoint.isWellFormed, known.updateValue(failpoint, forKey: failpoint.name) ?? failpoint == failpoint
      else {
        throw .failpoint(name: failpoint.name)
      }
    }
    return known.values.sorted { $0.name < $1.name }
  }

  private static func isID(_ id: String) -> Bool {
    guard let first = id.unicodeScalars.first, ("a"..."z").contains(first), id != none else { return false }
    return id.unicodeScalars.allSatisfy { ("a"..."z").contains($0) || $0.isDigit || $0 == "-" }
  }
}

/// A programming error: plugins that cannot be registered.
public enum RegistryError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Two types have the same id, in one role or with different settings.
  case duplicate(id: String, types: [String])
  /// The id is not made of lower-case letters, digits and `-`, or is `none`.
  case malformed(id: String, type: String)
  /// The type declares a role and does not conform to its protocol.
  case unfit(id: String, type: String, wanted: String)
  /// The failpoint's name is malformed, or two modules declare it with different promises.
  case failpoint(name: String)

  /// A sentence that names the types.
  public var description: String {
    switch self {
    case .duplicate(let id, let types): "the plugin id \"\(id)\" is used by \(types.joined(separator: " and "))"
    case .malformed(let id, let type): "\"\(id)\" of \(type) is not a plugin id"
    case .unfit(let id, let type, let wanted): "the plugin \"\(id)\" (\(type)) does not conform to \(wanted)"
    case .failpoint(let name):
      "the failpoint \"\(name)\" is declared twice, or its name is not made of words joined by dots"
    }
  }
}

/// The program is not linked with a plugin of that role and id.
public struct UnknownPluginError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The requested role.
  public let role: PluginRole
  /// The requested id.
  public let id: String
  /// The ids of the role's plugins.
  public let known: [String]

  /// The id that was probably meant.
  public var suggestion: String? { known.nearest(to: id) }

  /// The unknown id and the existing ids, without the suggestion.
  public var message: String {
    "unknown \(role) \"\(id)\"; known: " + (known.isEmpty ? "none" : known.joined(separator: ", "))
  }

  /// The message with the suggestion.
  public var description: String {
    message + (suggestion.map { " (did you mean \"\($0)\"?)" } ?? "")
  }
}
