/// One table of a settings file while it is read: remembers what was taken out of it, and reports what is wrong.
///
/// A table that is not in the file is an empty one, so that what must be there is reported as missing.
public final class SettingsTable {
  /// The keys that lead to this table, such as `remotes`, `home`, `webdav`.
  public let path: [String]
  /// Where the table begins, or where it would belong.
  public let location: TextLocation
  private let content: TOMLTable
  private let reading: SettingsReading
  /// Whether what is not in `content` is not in the file either.
  private let isWhole: Bool
  private var known: Set<String> = []
  private var expectsAnything = false
  private var tables: [String: SettingsTable] = [:]

  init(path: [String], _ node: TOMLNode?, or fallback: TextLocation, _ reading: SettingsReading) {
    self.path = path
    self.reading = reading
    location = node?.location ?? fallback
    content = node?.value.table ?? TOMLTable()
    isWhole = reading.isWhole && (node == nil || node?.value.table != nil)
    if let node, node.value.table == nil { reportIllTyped(node) }
  }

  /// The name of the table without brackets, such as `remotes.home.webdav`.
  public var name: String { path.joined(separator: ".") }

  /// What the values of this table may refer to.
  public var environment: SettingsEnvironment { reading.environment }

  /// Keeps a mistake, at the table's own place unless told otherwise, so that the file is refused in the end.
  public func report(_ message: String, at place: TextLocation? = nil, suggestion: String? = nil) {
    reading.report([Diagnostic(message, at: place ?? location, suggestion: suggestion)])
  }

  /// Whether the file has `key` in this table.
  public func contains(_ key: String) -> Bool { content[key] != nil }

  /// The table within this one that is named `key`; an empty one if there is none.
  public func table(_ key: String) -> SettingsTable {
    if let table = tables[key] { return table }
    known.insert(key)
    let table = SettingsTable(path: path + [key], content[key]?.node, or: location, reading)
    tables[key] = table
    return table
  }

  /// All tables within this one, whose names are the user's: letters, digits, `-` and `_`.
  public func namedTables() -> [SettingsTable] {
    content.entries.map(\.key).map { key in
      if key.text.isEmpty || !key.text.unicodeScalars.allSatisfy(\.isBareKey) {
        report("a name in [\(name)] has only letters, digits, \"-\" and \"_\"", at: key.location)
      }
      return table(key.text)
    }
  }

  /// The settings that are declared in `type`, as this table has them.
  ///
  /// What is missing or ill-typed is reported; such a setting keeps its default. Several types may share a table.
  public func settings<Settings: PluginSettings>(_ type: Settings.Type = Settings.self) -> Settings {
    let settings = Settings()
    let before = reading.mistakes.count
    for (key, setting) in settings.declared { read(key, setting) }
    if isWhole, reading.mistakes.count == before {
      for contradiction in settings.contradictions { report(contradiction) }
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
      case nil: try setting.readStandard(in: environment, at: location)
      }
    } catch {
      reading.report(error.diagnostics)
    }
  }

  private func reportMissing(_ key: String) {
    if isWhole { report("\"\(key)\" is missing in [\(name)]") }
  }

  private func reportIllTyped(_ node: TOMLNode) {
    if node.value != .unreadable { report("[\(name)] must be a table, not \(node.value.kind)") }
  }

  /// Takes `key` for a known one without looking at its value.
  func expect(_ key: String) { known.insert(key) }

  /// Takes all keys for known ones, because what they belong to is unknown.
  func expectAnything() { expectsAnything = true }

  /// Reports all keys of this table, and of the tables taken out of it, that nobody asked for.
  func reportUnknownKeys() {
    for entry in content.entries where !expectsAnything && !known.contains(entry.key.text) {
      let kind = entry.node.value.table == nil ? "setting" : "table"
      let place = path.isEmpty ? "" : " in [\(name)]"
      report(
        "unknown \(kind) \"\(entry.key.text)\"\(place)", at: entry.key.location,
        suggestion: known.sorted().nearest(to: entry.key.text))
    }
    for table in tables.values { table.reportUnknownKeys() }
  }
}

extension TOMLValue {
  var table: TOMLTable? {
    if case .table(let table) = self { table } else { nil }
  }
}
