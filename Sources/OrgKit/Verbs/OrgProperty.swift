/// Returns the value of a property of a place, as `org-entry-get` does it: also of a special property such as `TODO`.
///
/// - Parameter inherits: true if the values of parents and of the file count.
public func property(
  _ key: String, at place: OrgPlace, inherits: Bool, in files: inout OrgFileSet, _ context: OrgContext
) throws(Refusal) -> String? {
  var editor = OrgEditor(files, context)
  try editor.visit(place)
  let value = editor.propertyValue(key, inherits: inherits)
  files = editor.files
  return value
}

extension OrgEditor {
  fileprivate mutating func propertyValue(_ key: String, inherits: Bool) -> String? {
    if let heading, let special = specialProperty(key.uppercased(), heading) { return special.isEmpty ? nil : special }
    let value =
      inherits || key.uppercased() == "CATEGORY" ? inheritedProperty(key, heading) : localProperty(key, heading)
    if value == nil, key.uppercased() == "CATEGORY" { return category(heading) }
    return value == "nil" ? nil : value
  }

  /// Returns the category of an entry: its own or inherited property, the file's, or the name of the file.
  mutating func category(_ heading: Int?) -> String {
    if let value = inheritedProperty("CATEGORY", heading) ?? options.lines("CATEGORY").last { return value }
    let name = buffer.path.split(separator: "/").last.map(String.init) ?? ""
    return name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name
  }

  /// Returns the value of a property that is a part of the entry; empty if the entry lacks it, nil for other properties.
  private mutating func specialProperty(_ key: String, _ heading: Int) -> String? {
    switch key {
    case "TODO": return keyword(heading) ?? ""
    case "PRIORITY":
      return parts(heading).priority.map { buffer.text[$0.dropFirst(2).dropLast()].string }
        ?? UnicodeScalar(UInt32(value("org-priority-default", default: .number(66)).number ?? 66)).map { String($0) }
    case "ITEM": return title(heading)
    case "TAGS":
      let own = tags(heading)
      return own.isEmpty ? "" : ":\(own.joined(separator: ":")):"
    case "ALLTAGS":
      let all = inheritedTags(heading) + tags(heading)
      return all.isEmpty ? "" : ":\(all.joined(separator: ":")):"
    case "SCHEDULED": return planningStamp(.scheduled, heading) ?? ""
    case "DEADLINE": return planningStamp(.deadline, heading) ?? ""
    case "CLOSED": return planningStamp(.closed, heading) ?? ""
    case "FILE": return files.absolute(buffer.path)
    default: return nil
    }
  }
}

extension OrgDateReader.Reading {
  /// The date as Org writes it for programs: `2026-03-12 10:00-11:30`.
  public var typed: String {
    let (year, month, day) = moment.day.date
    func padded(_ number: Int, _ width: Int) -> String {
      String(repeating: "0", count: max(0, width - String(number).count)) + String(number)
    }
    let date = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    return hasTime ? "\(date) \(moment.time)" + (end.map { "-\($0)" } ?? "") : date
  }
}
