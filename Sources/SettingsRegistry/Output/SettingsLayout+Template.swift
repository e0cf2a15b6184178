extension SettingsLayout {
  /// A settings file that sets nothing and documents everything: each setting is commented out, with its default.
  ///
  /// It is valid TOML. Tables that the user names, or of which there may be several, are commented out with their headers.
  public var template: String {
    var previous: [String]?
    var parts: [String] = []
    for (index, section) in sections.enumerated() where !sections[..<index].contains(where: section.hasTable) {
      let choices = sections[index...].filter(section.hasTable).compactMap(\.choice)
      parts.append((section.path == previous ? "" : section.heading) + section.introduction(choices))
      parts += section.declarations.map(\.lines)
      previous = section.path
    }
    return parts.joined(separator: "\n")
  }
}

extension SettingsSection {
  /// The table's header, commented out unless the file can have it as it is.
  fileprivate var heading: String {
    path.contains(Self.anyName) || isArray || isSwitch ? "#\(header)\n" : "\(header)\n"
  }

  /// Returns true if `other` describes the same table with the same settings, for another choice.
  func hasTable(of other: SettingsSection) -> Bool {
    choice != nil && other.choice != nil && path == other.path && choice?.path != path
      && declarations == other.declarations && !declarations.isEmpty
  }

  fileprivate func introduction(_ choices: [Choice]) -> String {
    let choices = choices.isEmpty ? [choice].compactMap(\.self) : choices
    let words = choices.map { "\($0.key) = \(TOMLValue.string($0.id).text)" }.joined(separator: " or ")
    return "# " + (words.isEmpty ? "" : "With \(words): ") + summary + "\n"
  }
}

extension SettingDeclaration {
  /// The help as a comment, and the setting with its default, commented out.
  fileprivate var lines: String {
    "# \(help)\n# \(details)\n#\(key) = \((defaultValue ?? placeholder).text)\n"
  }

  /// The type, the range, and whether the value is required or secret, as sentences.
  var details: String {
    let range = range.map { ", \($0)" } ?? ""
    let notes = (isRequired ? " Required." : "") + (isSecret && !form.isSecret ? " Secret." : "")
    return form.name.prefix(1).uppercased() + form.name.dropFirst() + range + "." + notes
  }

  /// A value of the right type for a setting without a default.
  private var placeholder: TOMLValue {
    switch form.schema["type"] {
    case "boolean": .boolean(false)
    case "integer", "number": .integer(0)
    case "array": .array([])
    default: .string(form.choices.first ?? "")
    }
  }
}
