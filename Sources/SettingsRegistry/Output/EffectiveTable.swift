/// A table of the settings file with the values in effect, safe to show.
public struct EffectiveTable: Sendable, Hashable {
  /// The name of the table, such as `remotes.home.webdav`.
  public let name: String
  /// True if the table is an element of an array of tables.
  public let isElement: Bool
  /// The settings, with secrets redacted.
  public let settings: [EffectiveSetting]

  /// Creates the table `name` with the values of all of `settings`.
  public init(_ name: String, isElement: Bool = false, _ settings: any PluginSettings...) {
    self.name = name
    self.isElement = isElement
    self.settings = settings.flatMap(\.effective)
  }

  /// The table's header, and each setting with its origin as a comment; a setting without a value is commented out.
  public var text: String {
    let lines = settings.map { setting in
      setting.value.map { "\(setting.key) = \($0.text)" } ?? "#\(setting.key) ="
    }
    let width = lines.map(\.count).filter { $0 <= 40 }.max() ?? 0
    return (isElement ? "[[\(name)]]\n" : "[\(name)]\n")
      + zip(lines, settings).map { line, setting in
        line + String(repeating: " ", count: max(0, width - line.count)) + "  # \(setting.origin)\n"
      }.joined()
  }

  /// The same as a JSON object.
  public var json: JSON {
    let settings = settings.map { setting -> JSON in
      ["key": .string(setting.key), "value": setting.value?.json ?? .null, "origin": .string("\(setting.origin)")]
    }
    return ["table": .string(name), "settings": .array(settings)]
  }
}
