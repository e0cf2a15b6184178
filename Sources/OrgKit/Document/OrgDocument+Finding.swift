extension OrgDocument {
  /// Returns the first entry with this property `ID`.
  public func entry(id: String) -> OrgEntry? { firstEntry("id", id) }

  /// Returns the first entry with this property `CUSTOM_ID`.
  public func entry(customID: String) -> OrgEntry? { firstEntry("custom_id", customID) }

  /// Returns the entry at the end of a path of titles, from the top; the first one if titles repeat.
  public func entry(path: [String]) -> OrgEntry? {
    var found: OrgEntry?
    for title in path {
      let candidates = found?.children ?? topLevelEntries
      guard let next = candidates.first(where: { $0.headline.title.elementsEqual(title.utf8) }) else { return nil }
      found = next
    }
    return found
  }

  /// Returns the entry at an outline path such as `Projects/House`; a slash in a title is written `\/`.
  public func entry(outlinePath: String) -> OrgEntry? {
    var titles = [""]
    var isEscaped = false
    // Unicode scalars, because a slash followed by a combining accent is still a slash.
    for character in outlinePath.unicodeScalars {
      switch character {
      case "\\" where !isEscaped: isEscaped = true
      case "/" where !isEscaped: titles.append("")
      default:
        if isEscaped, character != "/" { titles[titles.count - 1].unicodeScalars.append("\\") }
        titles[titles.count - 1].unicodeScalars.append(character)
        isEscaped = false
      }
    }
    return entry(path: titles)
  }

  private func firstEntry(_ key: StaticString, _ value: String) -> OrgEntry? {
    outline.nodes.indices.dropFirst().first { outline.drawer($0)?[key]?.elementsEqual(value.utf8) ?? false }
      .map { self[OrgEntry.Index($0)] }
  }
}
