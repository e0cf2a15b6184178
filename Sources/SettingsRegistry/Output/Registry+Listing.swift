extension Registry {
  /// All plugins with their summaries, under a heading for each role.
  public var listing: String {
    let width = plugins.map { $0.id.count }.max() ?? 0
    return roles.map { role in
      "\(role.title):\n"
        + plugins(role).map { plugin in
          "  " + plugin.id + String(repeating: " ", count: width - plugin.id.count) + "  \(plugin.summary)\n"
        }.joined()
    }.joined(separator: "\n")
  }

  /// Returns the summary and the settings of the plugin with that id; nil if there is none.
  public func details(of id: String) -> String? {
    let found = plugins.filter { $0.id == id }
    guard let plugin = found.first else { return nil }
    let roles = found.map { $0.role.description }.joined(separator: ", ")
    let settings = plugin.declarations.map { "\n  \($0.key)\n    \($0.help)\n    \($0.summary)\n" }
    return "\(plugin.id) (\(roles))\n\(plugin.summary)\n" + settings.joined()
  }

  /// Returns the plugins as JSON: all of them, or only the one with that id.
  public func json(only id: String? = nil) -> JSON {
    .array(plugins.filter { id == nil || $0.id == id }.map(json))
  }

  /// The roles of the plugins.
  private var roles: [PluginRole] {
    var seen: Set<PluginRole> = []
    return plugins.map { $0.role }.filter { seen.insert($0).inserted }
  }

  private func json(_ plugin: any Plugin.Type) -> JSON {
    [
      "id": .string(plugin.id), "role": .string(plugin.role.name), "summary": .string(plugin.summary),
      "settings": .array(plugin.declarations.map(\.json)),
    ]
  }
}

extension SettingDeclaration {
  /// The type, and the default if the setting has one.
  public var summary: String {
    details + (defaultValue.map { " Default: \($0.text)" } ?? "")
  }

  /// The declaration as JSON.
  public var json: JSON {
    var json: JSON = [
      "key": .string(key), "help": .string(help), "type": .string(form.name), "required": .boolean(isRequired),
      "secret": .boolean(isSecret), "default": defaultValue?.json ?? .null,
    ]
    if !form.choices.isEmpty { json["choices"] = .array(form.choices.map(JSON.string)) }
    json["minimum"] = range?.least?.json
    json["maximum"] = range?.greatest?.json
    return json
  }
}
