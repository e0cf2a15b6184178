/// A match of tags, properties and states in Org's full syntax: `work+PRIORITY="A"/NEXT`, `{^proj}-LEVEL<3`,
/// `DEADLINE<"<+1w>"`.
///
/// ``OrgMatch`` is the part of this syntax that is safe for sharing: there every term has one exact meaning.
public struct OrgMatcher {
  private let alternatives: [[Term]]
  private let states: [[Term]]
  /// True for `/!`: only tasks that are not done.
  private let isForOpenTasks: Bool

  private struct Term {
    var isWanted: Bool
    var holds: (OrgItem) -> Bool
  }

  /// Parses a match. Groups of tags are expanded; `now` is the time to which relative dates such as `<+1w>` refer.
  public init(_ text: String, groups: OrgTagGroups = OrgTagGroups(), now: OrgMoment) throws(OrgQueryError) {
    let (tags, states) = Self.split(text)
    let parser = MatchTerms(groups: groups, now: now)
    let isForOpenTasks = states?.hasPrefix("!") ?? false
    self.isForOpenTasks = isForOpenTasks
    let behind = states.map { isForOpenTasks ? $0.dropFirst() : $0 } ?? ""
    alternatives = try Self.alternatives(tags, in: text) { rest, isWanted in
      parser.condition(&rest).map { Term(isWanted: isWanted, holds: $0) }
    }
    self.states = try Self.alternatives(behind, in: text) { rest, isWanted in
      parser.state(&rest).map { Term(isWanted: isWanted, holds: $0) }
    }
  }

  /// Returns true if an item is selected.
  public func selects(_ item: OrgItem) -> Bool {
    if isForOpenTasks, !item.isOpenTask { return false }
    return Self.hold(alternatives, item) && Self.hold(states, item)
  }

  private static func hold(_ alternatives: [[Term]], _ item: OrgItem) -> Bool {
    alternatives.isEmpty || alternatives.contains { $0.allSatisfy { $0.holds(item) == $0.isWanted } }
  }

  /// The part before the last slash outside quotes and brackets, and the states behind it.
  private static func split(_ text: String) -> (Substring, Substring?) {
    var (isQuoted, isPattern, slash) = (false, false, String.Index?.none)
    for place in text.indices {
      switch text[place] {
      case "\"": isQuoted.toggle()
      case "{" where !isQuoted: isPattern = true
      case "}" where !isQuoted: isPattern = false
      case "/" where !isQuoted && !isPattern: slash = place
      default: break
      }
    }
    guard let slash else { return (text[...], nil) }
    var tags = text[..<slash]
    while tags.last == "/" { tags = tags.dropLast() }
    return (tags, text[text.index(after: slash)...])
  }

  private static func alternatives(
    _ text: Substring, in whole: String, _ take: (inout Substring, Bool) -> Term?
  ) throws(OrgQueryError) -> [[Term]] {
    var (alternatives, terms, rest) = ([[Term]](), [Term](), text.drop { $0 == " " })
    while !rest.isEmpty {
      if rest.first == "|" {
        rest = rest.dropFirst()
        alternatives.append(terms)
        terms = []
        continue
      }
      if rest.first == "&" { rest = rest.dropFirst() }
      let sign = rest.first.flatMap { "+-:".contains($0) ? $0 : nil }
      if sign != nil { rest = rest.dropFirst() }
      if rest.allSatisfy(\.isWhitespace) { break }
      let column = whole.distance(from: whole.startIndex, to: rest.startIndex) + 1
      guard let term = take(&rest, sign != "-") else {
        throw OrgQueryError(column: column, "expected a tag, a property with its value, or a pattern in braces")
      }
      terms.append(term)
      rest = rest.drop { $0 == " " }
    }
    return terms.isEmpty ? alternatives : alternatives + [terms]
  }
}

/// An error in a query or match, with the column at which it was found.
public struct OrgQueryError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The column, counted from 1.
  public let column: Int
  /// The reason.
  public let reason: String

  init(column: Int, _ reason: String) { (self.column, self.reason) = (column, reason) }

  /// The reason with the column.
  public var description: String { "column \(column): \(reason)" }
}
