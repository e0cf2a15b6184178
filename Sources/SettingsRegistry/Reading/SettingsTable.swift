/// One table of a settings file during reading: it records which keys are known, and reports errors.
///
/// A table that the file does not have is empty, so that its required settings are reported as missing.
public final class SettingsTable {
  /// The keys that lead to this table, such as `remotes`, `home`, `webdav`.
  public let path: [String]
  /// The location of the table; for a table that the file does not have, that of its parent.
  public let location: TextLocation
  private let content: TOMLTable
  /// True if the table is an element of an array of tables.
  private let isElement: Bool
  private let reading: SettingsReading
  /// True if a key that is not in `content` is not in the file either.
  private let isComplete: Bool
  private var known: Set<String> = []
  private var expectsAnything = false
  private var tables: [String: SettingsTable] = [:]
  private var elements: [SettingsTable] = []

  init(
    path: [String], _ node: TOMLNode?, or fallback: TextLocation, _ reading: SettingsReading, isElement: Bool = false
  ) {
    self.path = path
    self.isElement = isElement
    self.reading = reading
    location = node?.location ?? fallback
    content = node?.value.table ?? TOMLTable()
    isComplete = reading.isComplete && (node == nil || node?.value.table != nil)
    if let node, node.value.table == nil { reportIllTyped(node) }
  }

  /// The name of the table without brackets, such as `remotes.home.webdav`.
  public var name: String { path.joined(separator: ".") }

  /// The header of the table for messages: `[remotes.home]`, or `[[on]]` for an element of an array of tables.
  private var header: String { isElement ? "[[\(name)]]" : "[\(name)]" }

  /// The context for the values of this table.
  public var environment: SettingsEnvironment { reading.environment }

  /// Reports an error, so that the file is rejected. Default location: that of the table.
  public func report(_ message: String, at place: TextLocation? = nil, suggestion: String? = nil) {
    reading.report([Diagnostic(message, at: place ?? location, suggestion: suggestion)])
  }

  /// Returns true if the file has `key` in this table.
  public func contains(_ key: String) -> Bool { content[key] != nil }

  /// Returns the table within this one that is named `key`; an empty one if the file has none.
  public func table(_ key: String) -> SettingsTable {
    if let table = tables[key] { return table }
    known.insert(key)
    let table = SettingsTable(path: path + [key], content[key]?.node, or: location, reading)
    tables[key] = table
    return table
  }

  /// Returns all tables within this one, whose names the user chooses from letters, digits, `-` and `_`.
  public func namedTables() -> [SettingsTable] {
    content.entries.map(\.key).map { key in
      if key.text.isEmpty || !key.text.unicodeScalars.allSatisfy(\.isBareKey) {
        report("a name in [\(name)] has only letters, digits, \"-\" and \"_\"", at: key.location)
      }
      return table(key.text)
    }
  }

  /// Returns the tables of the array of tables `[[key]]` in file order; none if the file has no such array.
  public func elements(_ key: String) -> [SettingsTable] {
    known.insert(key)
    let path = path + [key]
    switch content[key]?.node {
    case nil: return []
    case let node? where node.value == .unreadable: return []
    case let node?:
      guard case .array(let nodes) = node.value else {
        report(
          "write [[\(path.joined(separator: "."))]]: it is a list of tables, not \(node.value.kind)", at: node.location)
        return []
      }
      let tables = nodes.map { SettingsTable(path: path, $0, or: node.location, reading, isElement: true) }
      elements += tables
      return tables
    }
  }

  /// Returns the settings that `type` declares, with the values in this table.
  ///
  /// A missing or malformed setting is reported and keeps its default. Several types may share a table.
  public func settings<Settings: PluginSettings>(_ type: Settings.Type = Settings.self) -> Settings {
    let settings = Settings()
    let before = reading.mistakes.count
    for (key, setting) in settings.declared { read(key, setting) }
    if isComplete, reading.mistakes.count == before {
      for contradiction in settings.allContradictions { report(contradiction) }
    }
    return settings
  }

  private func read(_ key: String, _ setting: any DeclaredSetting) {
    known.insert(key)
    do throws(SettingsError) {
      switch content[key]?.node {
      case let node? where node.value != .unreadable: try setting.read(node, in: environment)
      case .some: break
      case nil where setting.isRequired: reportMissing(key)
      case nil: try setting.readDefault(in: environment, at: location)
      }
    } catch {
      reading.report(error.diagnostics)
    }
  }

  private func reportMissing(_ key: String) {
    if isComplete { report("\"\(key)\" is missing in \(header)") }
  }

  private func reportIllTyped(_ node: TOMLNode) {
    if node.value != .unreadable { report("\(header) must be a table, not \(node.value.kind)") }
  }

  /// Records `key` as known without reading its value.
  func expect(_ key: String) { known.insert(key) }

  /// Records all keys as known, because the plugin that they belong to is unknown.
  func expectAnything() { expectsAnything = true }

  /// Reports all keys of this table and of the tables within it that are not known.
  func reportUnknownKeys() {
    for entry in content.entries where !expectsAnything && !known.contains(entry.key.text) {
      let kind = entry.node.value.hasTables ? "table" : "setting"
      let place = path.isEmpty ? "" : " in \(header)"
      report(
        "unknown \(kind) \"\(entry.key.text)\"\(place)", at: entry.key.location,
        suggestion: known.sorted().nearest(to: entry.key.text))
    }
    for table in Array(tables.values) + elements { table.reportUnknownKeys() }
  }
}

extension TOMLValue {
  var table: TOMLTable? {
    if case .table(let table) = self { table } else { nil }
  }

  /// True for a table and for an array of tables.
  fileprivate var hasTables: Bool {
    switch self {
    case .table: true
    case .array(let nodes): nodes.contains { $0.value.table != nil }
    default: false
    }
  }
}
