extension SettingsLayout {
  /// A JSON Schema (draft 2020-12) of the whole file, for editors that check TOML.
  public var schema: JSON {
    var schema: JSON = ["$schema": "https://json-schema.org/draft/2020-12/schema"]
    if case .object(let members) = table(at: []) {
      for member in members { schema[member.name] = member.value }
    }
    return schema
  }

  /// The schema of the table at `path`, with all tables within it.
  private func table(at path: [String]) -> JSON {
    let own = sections.filter { $0.path == path }
    let tables = tableNames(at: path)
    let named = tables.filter { $0 != SettingsSection.anyName }
    var schema: JSON = ["type": "object"]
    if let section = own.first { schema["description"] = .string(section.summary) }
    schema["properties"] = .object(
      own.enumerated().filter { !own[..<$0.offset].contains(where: $0.element.hasTable) }.flatMap(
        \.element.declarations
      )
      .map { JSON.Member($0.key, $0.schema) }
        + named.map { JSON.Member($0, table(at: path + [$0])) })
    if tables.contains(SettingsSection.anyName) {
      schema["patternProperties"] = ["^[A-Za-z0-9_-]+$": table(at: path + [SettingsSection.anyName])]
    }
    schema["required"] = required(in: own, tables: named.filter { isRequired(path + [$0]) })
    let choices = sections.filter { $0.choice?.path == path }.compactMap(requirements)
    if !choices.isEmpty { schema["allOf"] = .array(choices) }
    schema["additionalProperties"] = false
    return own.contains(where: \.isArray) ? ["type": "array", "items": schema] : schema
  }

  /// The names of the tables directly within the table at `path`, each once.
  private func tableNames(at path: [String]) -> [String] {
    var seen: Set<String> = []
    return sections.map(\.path).filter { $0.count > path.count && $0.starts(with: path) }
      .map { $0[path.count] }.filter { seen.insert($0).inserted }
  }

  /// The keys that the table of `sections` must have, regardless of choices.
  private func required(in sections: [SettingsSection], tables: [String]) -> JSON? {
    let keys = sections.filter { $0.choice?.path != $0.path }.flatMap(\.requiredKeys) + tables
    return keys.isEmpty ? nil : .array(keys.map(JSON.string))
  }

  /// Returns true if the table at `path` has a required key even without any choice.
  private func isRequired(_ path: [String]) -> Bool {
    guard !sections.contains(where: { $0.path == path && $0.isOptional }) else { return false }
    return sections.contains { section in
      section.path == path && !section.isArray && !section.requiredKeys.isEmpty && section.choice.map(isDefault) ?? true
    }
  }

  private func isDefault(_ choice: SettingsSection.Choice) -> Bool {
    sections.filter { $0.path == choice.path }.flatMap(\.declarations)
      .contains { $0.key == choice.key && $0.defaultValue == .string(choice.id) }
  }

  /// The keys that the table of a choice must have if this section's plugin is chosen: its settings, or its own table.
  private func requirements(of section: SettingsSection) -> JSON? {
    guard let choice = section.choice, let table = section.path.last, !section.requiredKeys.isEmpty else { return nil }
    let required = section.path == choice.path ? section.requiredKeys : [table]
    var chosen: JSON = ["properties": .object([JSON.Member(choice.key, ["const": .string(choice.id)])])]
    if !isDefault(choice) { chosen["required"] = [.string(choice.key)] }
    return ["if": chosen, "then": ["required": .array(required.map(JSON.string))]]
  }
}

extension SettingsSection {
  fileprivate var requiredKeys: [String] { declarations.filter(\.isRequired).map(\.key) }
}

extension SettingDeclaration {
  /// The schema of the value: that of its type, with help, default and range.
  fileprivate var schema: JSON {
    var schema = form.schema
    schema["description"] = .string(help)
    schema["default"] = defaultValue?.json
    if let range, let least = range.least?.number, let greatest = range.greatest?.number {
      schema["minimum"] = least
      schema["maximum"] = greatest
    }
    if isSecret { schema["writeOnly"] = true }
    return schema
  }
}

extension TOMLValue {
  /// The value as JSON if it is a number.
  fileprivate var number: JSON? {
    switch self {
    case .integer, .float: json
    default: nil
    }
  }
}
