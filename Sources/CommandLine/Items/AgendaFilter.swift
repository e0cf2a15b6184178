import ArgumentParser
import OrgKit

/// The filters of an agenda.
struct AgendaFilter: ParsableArguments {
  @Option(help: "Only entries with these tags, and without those after a minus, such as work or +work-boss.")
  var tag: String?

  @Option(help: "Only entries of this category.")
  var category: String?

  @Option(help: "Only entries whose line matches this regular expression in Emacs' syntax.")
  var regexp: String?

  @Option(help: "Only entries with at most this effort, such as 0:30.")
  var effort: String?

  /// Returns the rows that pass; headings and the time grid always do.
  func filtered(_ rows: [OrgAgendaRow]) throws -> [OrgAgendaRow] {
    let tags = try tag.map(Self.terms) ?? []
    let pattern = try regexp.map { text in
      guard let pattern = EmacsPattern(text) else { throw ValidationError("--regexp is invalid: \(text)") }
      return pattern
    }
    let limit = try effort.map { text in
      guard let minutes = OrgItem.minutes(text) else { throw ValidationError("--effort expects 0:30, not \(text)") }
      return minutes
    }
    if tags.isEmpty, pattern == nil, limit == nil, category == nil { return rows }
    return rows.filter { row in
      guard row.isEntry else { return true }
      if let category, row.category.lowercased() != category.lowercased() { return false }
      if let pattern, !pattern.matches(AgendaLine.text(of: row)) { return false }
      if let limit, (row.item?.effort ?? .max) > limit { return false }
      return tags.allSatisfy { row.tags.contains($0.tag) == $0.isWanted }
    }
  }

  /// Splits `+work-boss` into tags and whether each is wanted.
  private static func terms(_ text: String) throws -> [(tag: String, isWanted: Bool)] {
    var (terms, rest) = ([(tag: String, isWanted: Bool)](), text[...])
    while let first = rest.first {
      if "+-".contains(first) { rest.removeFirst() }
      let tag = rest.prefix { !"+-".contains($0) }
      guard !tag.isEmpty else { throw ValidationError("--tag expects tags such as +work-boss, not \(text)") }
      terms.append((String(tag), first != "-"))
      rest = rest[tag.endIndex...]
    }
    return terms
  }
}
