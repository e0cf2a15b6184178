/// The plugins that a program is linked with. A value: it has no state, and making one has no effects.
public struct Registry: Sendable {
  /// The id that chooses no plugin, where a setting may choose none.
  public static let none = "none"

  /// All plugins, by role and then by id.
  public let plugins: [any Plugin.Type]
  /// The failpoints of the program and of all plugins, by name; each once, although several plugins may share it.
  public let failpoints: [Failpoint]

  /// The registry of these plugins, and of the program's own failpoints. Throws for a plugin id that is malformed or not
  /// unique over all roles, and for a failpoint whose name is malformed or declared with two promises.
  public init(_ plugins: [any Plugin.Type], failpoints own: [Failpoint] = []) throws(RegistryError) {
    var known: [String: any Plugin.Type] = [:]
    for plugin in plugins {
      guard Self.isID(plugin.id) else { throw .malformed(id: plugin.id, type: String(reflecting: plugin)) }
      if let first = known.updateValue(plugin, forKey: plugin.id) {
        throw .duplicate(id: plugin.id, types: [String(reflecting: first), String(reflecting: plugin)])
      }
    }
    self.plugins = plugins.sorted { ($0.role.word, $0.id) < ($1.role.word, $1.id) }
    failpoints = try Self.united(own + plugins.flatMap { $0.failpoints })
  }

  /// The plugins of a role, by id.
  public func plugins(_ role: PluginRole) -> [any Plugin.Type] {
    plugins.filter { $0.role == role }
  }

  /// The plugin of that role and id.
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
