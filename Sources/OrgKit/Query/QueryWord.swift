/// One word of a query: an operator with its value, or a word to search.
struct QueryWord {
  private let word: String
  private let column: Int

  init(_ word: String, column: Int) { (self.word, self.column) = (word, column) }

  func term() throws(OrgQueryError) -> OrgQueryTerm {
    guard let place = word.firstIndex(where: { $0 == "." || $0 == ":" }), place != word.startIndex,
      word[..<place].allSatisfy({ $0.isASCII && $0.isLetter || $0 == "-" }), word.index(after: place) < word.endIndex
    else { return .words(word) }
    let name = word[..<place].lowercased()
    let value = String(word[word.index(after: place)...])
    return try word[place] == "." ? orgzly(name, value) : spelled(name, value)
  }

  private func orgzly(_ name: String, _ value: String) throws(OrgQueryError) -> OrgQueryTerm {
    switch name {
    case "b": return .book(value)
    case "i": return .state(value)
    case "it": return .stateType(try choice(value, ["todo", "done", "none"]))
    case "t": return .tag(value)
    case "tn": return .ownTag(value)
    case "p": return .priority(value.uppercased(), isSet: false)
    case "ps": return .priority(value.uppercased(), isSet: true)
    case "s": return try date(.scheduled, .le, value)
    case "d": return try date(.deadline, .le, value)
    case "e": return try date(.event, .le, value)
    case "c": return try date(.closed, .eq, value)
    case "cr": return try date(.created, .eq, value)
    case "prop": return property(value)
    case "near": return try near(value)
    case "before": return .event(value, isBefore: true)
    case "after": return .event(value, isBefore: false)
    case "file": return .file(value)
    case "path": return .path(value)
    case "text": return .words(value)
    default:
      throw OrgQueryError(
        column: column, "unknown operator \(name).; to search for the word, write \"\(word)\" in quotes")
    }
  }

  /// The spellings of org-ql.
  private func spelled(_ name: String, _ value: String) throws(OrgQueryError) -> OrgQueryTerm {
    switch name {
    case "todo": return .state(value)
    case "done": return .stateType("done")
    case "tags", "tag": return .tag(value)
    case "ltags", "tags-local": return .ownTag(value)
    case "heading", "h": return .title(value)
    case "path", "file": return .file(value)
    case "outline-path", "olp": return .path(value)
    case "priority": return .priority(value.uppercased(), isSet: true)
    case "property": return property(value.parts(between: "=").joined(separator: "."))
    case "rifle", "smart", "regexp": return .words(value)
    case "ts", "ts-active": return try spelledDate(.event, value)
    case "deadline": return try spelledDate(.deadline, value)
    case "scheduled": return try spelledDate(.scheduled, value)
    case "closed": return try spelledDate(.closed, value)
    case "match": return .match(value)
    default:
      throw OrgQueryError(
        column: column, "unknown operator \(name):; to search for the word, write \"\(word)\" in quotes")
    }
  }

  private func choice(_ value: String, _ choices: [String]) throws(OrgQueryError) -> String {
    guard choices.contains(value.lowercased()) else {
      throw OrgQueryError(column: column, "expected \(choices.joined(separator: ", ")), not \(value)")
    }
    return value.lowercased()
  }

  private func date(
    _ field: OrgQueryTerm.DateField, _ usual: OrgQueryTerm.DateComparison, _ value: String
  ) throws(OrgQueryError) -> OrgQueryTerm {
    let parts = value.lowercased().split(separator: ".", maxSplits: 1).map(String.init)
    let comparison = parts.count == 2 ? OrgQueryTerm.DateComparison(rawValue: parts[0]) : usual
    guard let comparison, let date = QueryDate(parts.last ?? "") else {
      throw OrgQueryError(
        column: column,
        "expected a date such as today, 3d, -1w, none or 2026-03-10, after eq, ne, lt, le, gt or ge; not \(value)")
    }
    return .date(field, comparison, date)
  }

  /// `on=today`, `to=3d`, `from=-1w`, or a date alone, which means that day.
  private func spelledDate(_ field: OrgQueryTerm.DateField, _ value: String) throws(OrgQueryError) -> OrgQueryTerm {
    let parts = value.split(separator: "=", maxSplits: 1).map(String.init)
    let comparisons: [String: OrgQueryTerm.DateComparison] = ["on": .eq, "to": .le, "from": .ge]
    guard parts.count == 2 else { return try date(field, .eq, value) }
    guard let comparison = comparisons[parts[0]] else {
      throw OrgQueryError(column: column, "expected on=, to= or from= and a date, not \(value)")
    }
    // org-ql counts days by plain numbers.
    return try date(field, comparison, Int(written: parts[1]) == nil ? parts[1] : parts[1] + "d")
  }

  private func property(_ value: String) -> OrgQueryTerm {
    let parts = value.split(separator: ".", maxSplits: 1).map(String.init)
    return .property(parts[0], parts.count > 1 ? parts[1] : nil)
  }

  private func near(_ value: String) throws(OrgQueryError) -> OrgQueryTerm {
    let parts = value.split(separator: ",").map(String.init)
    let metres = parts.count > 2 ? Self.metres(parts[2]) : 500
    guard parts.count >= 2, let latitude = Double(parts[0]), let longitude = Double(parts[1]), let metres,
      abs(latitude) <= 90, abs(longitude) <= 180
    else {
      throw OrgQueryError(column: column, "near. expects latitude,longitude and a radius, such as near.48.2,16.3,500m")
    }
    return .near(latitude: latitude, longitude: longitude, metres: metres)
  }

  private static func metres(_ text: String) -> Double? {
    if text.hasSuffix("km") { return Double(text.dropLast(2)).map { $0 * 1_000 } }
    return Double(text.hasSuffix("m") ? text.dropLast() : text[...])
  }
}
