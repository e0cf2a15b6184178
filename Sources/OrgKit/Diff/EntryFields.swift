/// The fields of an entry by name, as values.
struct EntryFields {
  /// The names in display order.
  private(set) var names: [String] = []
  private(set) var values: [String: String] = [:]

  /// The fields of a missing entry.
  init() {}

  init(headline: Headline?, section: Section) {
    set("keyword", headline?.keyword?.string)
    set("priority", headline?.priority?.string)
    set("title", headline?.title.collapsed.string)
    set("tags", headline.flatMap { $0.tags.isEmpty ? nil : $0.tags.map(\.string).joined(separator: " ") })
    for kind in Planning.Kind.allCases {
      set("\(kind.word)".dropLast().lowercased(), section.planning?[kind]?.string)
    }
    for property in section.drawer?.properties ?? [] {
      set("property \(property.key.string.uppercased())", property.value.collapsed.string)
    }
    let text = section.blocks.flatMap(\.whole)
    set("text", text.isEmpty ? nil : text.map(\.string).joined(separator: "\n"))
  }

  private mutating func set(_ name: String, _ value: String?) {
    guard let value else { return }
    if values[name] == nil { names.append(name) }
    values[name] = value
  }
}

extension OrgDiff.Field {
  /// Returns the fields that differ between two versions of an entry.
  static func differences(from old: EntryFields, to new: EntryFields) -> [OrgDiff.Field] {
    let names = new.names + old.names.filter { new.values[$0] == nil }
    // Compared as bytes: another Unicode form of the same characters is a change of the file.
    return names.filter { old.values[$0].map { Array($0.utf8) } != new.values[$0].map { Array($0.utf8) } }
      .map { OrgDiff.Field(name: $0, old: old.values[$0], new: new.values[$0]) }
  }
}
