internal import GRDB
import OrgKit

/// A condition of SQL that all entries of a query fulfil, and perhaps others: terms that the tables cannot decide are left out.
struct QueryCondition {
  let sql: String
  let arguments: [(any DatabaseValueConvertible)?]
  /// True if no other entries fulfil the condition.
  let isExact: Bool
  /// The phrases of the query that have words.
  let phrases: [String]

  /// The condition for entries with the words of a pattern.
  static let match = "entry.id IN (SELECT rowid FROM words WHERE words MATCH ?)"

  /// A part of the condition; `isExact` if it holds for exactly the entries of its term.
  private struct Part {
    var sql: String
    var arguments: [(any DatabaseValueConvertible)?] = []
    var isExact = true

    static var anything: Part { Part(sql: "1", isExact: false) }
  }

  init(_ expression: OrgQuery.Expression, now: OrgMoment, tags: [String]) {
    let part = Self.part(expression, now, tags)
    (sql, arguments, isExact) = (part.sql, part.arguments, part.isExact)
    phrases = expression.phrases.filter { !OrgWords.words($0).isEmpty }
  }

  /// The pattern of FTS5 for words in sequence; the last one may be the beginning of a word.
  static func pattern(_ words: [String]) -> String { "\"\(words.joined(separator: " "))\" *" }

  private static func part(_ expression: OrgQuery.Expression, _ now: OrgMoment, _ tags: [String]) -> Part {
    switch expression {
    case .all(let parts): return combined(parts.map { part($0, now, tags) }, " AND ", none: "1")
    case .any(let parts): return combined(parts.map { part($0, now, tags) }, " OR ", none: "0")
    case .not(let inner):
      let inner = part(inner, now, tags)
      return inner.isExact ? Part(sql: "NOT (\(inner.sql))", arguments: inner.arguments) : .anything
    case .term(let term): return part(term, now, tags)
    }
  }

  private static func combined(_ parts: [Part], _ operation: String, none: String) -> Part {
    guard !parts.isEmpty else { return Part(sql: none) }
    return Part(
      sql: "(" + parts.map(\.sql).joined(separator: operation) + ")", arguments: parts.flatMap(\.arguments),
      isExact: parts.allSatisfy(\.isExact))
  }

  private static func part(_ term: OrgQueryTerm, _ now: OrgMoment, _ tags: [String]) -> Part {
    switch term {
    case .state(let state):
      state.lowercased() == "none" ? .anything : Part(sql: "state IS ?", arguments: [state.lowercased()])
    case .stateType("none"): Part(sql: "state IS NULL")
    case .stateType(let type): Part(sql: "(state IS NOT NULL AND done = \(type == "done" ? 1 : 0))")
    case .tag(let tag): tagged(tags.filter { $0.lowercased().contains(tag.lowercased()) }, "")
    case .ownTag(let tag): tagged(tags.filter { $0.lowercased().contains(tag.lowercased()) }, " AND own")
    case .priority(let priority, let isSet):
      Part(sql: isSet ? "priority IS ?" : "COALESCE(priority, 'B') = ?", arguments: [priority])
    case .date(let field, let comparison, let date): dated(field, comparison, date, now)
    case .property(let key, _): property([key.uppercased()])
    case .near: property(["COORDINATES", "LOCATION"])
    case .event(_, let isBefore): property([isBefore ? "BEFORE" : "AFTER"])
    case .words(let phrase):
      OrgWords.words(phrase).isEmpty ? .anything : Part(sql: match, arguments: [pattern(OrgWords.words(phrase))])
    case .book, .file, .path, .title, .match: .anything
    }
  }

  private static func tagged(_ names: [String], _ rest: String) -> Part {
    guard !names.isEmpty else { return Part(sql: "0") }
    let marks = names.map { _ in "?" }.joined(separator: ", ")
    return Part(sql: "entry.id IN (SELECT entry FROM tag WHERE name IN (\(marks))\(rest))", arguments: names)
  }

  /// The value is compared later.
  private static func property(_ keys: [String]) -> Part {
    let marks = keys.map { _ in "?" }.joined(separator: ", ")
    return Part(
      sql: "entry.id IN (SELECT entry FROM property WHERE key IN (\(marks)))", arguments: keys, isExact: false)
  }

  /// The day is compared here, a time of day later.
  private static func dated(
    _ field: OrgQueryTerm.DateField, _ comparison: OrgQueryTerm.DateComparison, _ date: QueryDate, _ now: OrgMoment
  ) -> Part {
    let columns: [OrgQueryTerm.DateField: String] = [
      .scheduled: "scheduled", .deadline: "deadline", .closed: "closed",
    ]
    guard let column = columns[field] else { return .anything }
    guard let (moment, _) = date.moment(now) else {
      return Part(sql: "\(column) IS \(comparison == .ne ? "NOT " : "")NULL")
    }
    let operation =
      switch comparison {
      case .eq: "="
      case .ne: "IS NOT NULL OR 0 <>"
      case .lt, .le: "<="
      case .gt, .ge: ">="
      }
    return Part(sql: "(\(column) \(operation) ?)", arguments: [moment.day.number], isExact: false)
  }
}

extension OrgQuery.Expression {
  /// The phrases to search.
  fileprivate var phrases: [String] {
    switch self {
    case .all(let parts), .any(let parts): parts.flatMap(\.phrases)
    case .not(let part): part.phrases
    case .term(.words(let phrase)): [phrase]
    case .term: []
    }
  }
}
