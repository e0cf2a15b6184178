/// A query in the words of Orgzly: `i.todo t.work s.le.3d .b.archive o.p ad.7`.
///
/// Terms side by side must all hold; `or` and brackets combine them, a point in front negates one. Words without an operator are
/// searched in title, tags and text; the last word of a phrase may be the beginning of one. `match:` introduces a match in Org's syntax up to the next blank.
public struct OrgQuery: Sendable {
  /// A condition, or a combination of conditions.
  package indirect enum Expression: Sendable, Hashable {
    case all([Expression])
    case any([Expression])
    case not(Expression)
    case term(OrgQueryTerm)
  }

  /// A criterion of the order of the results.
  struct Order: Sendable, Hashable {
    var key: String
    var isReversed: Bool
  }

  package let expression: Expression
  let order: [Order]
  /// True if the query orders its results as the files do.
  package var isInFileOrder: Bool { order.isEmpty }
  /// The number of days of an agenda, if the query is for one.
  public let agendaDays: Int?

  /// Parses a query. An unknown operator is an error, never a word to search.
  public init(_ text: String) throws(OrgQueryError) {
    var parser = QueryParser(text)
    expression = try parser.expression()
    (order, agendaDays) = (parser.order, parser.agendaDays)
  }

  /// Returns the items that the query selects, in its order.
  ///
  /// - Parameters:
  ///   - items: the items, in the order of the files.
  ///   - now: the wall time to which relative dates refer.
  ///   - groups: the tag groups of the files.
  ///   - text: returns the text of an entry; called only if the query has words.
  public func select(
    _ items: [OrgItem], now: OrgMoment, groups: OrgTagGroups = OrgTagGroups(), text: (OrgItem) -> String
  ) throws(OrgQueryError) -> [OrgItem] {
    try select(items, now: now, groups: groups) { item, phrase in OrgWords.has(phrase, in: text(item)) }
  }

  /// Returns the items that the query selects, in its order. `hasWords` says whether the text of an entry has the words of a phrase.
  package func select(
    _ items: [OrgItem], now: OrgMoment, groups: OrgTagGroups, hasWords: (OrgItem, String) -> Bool
  ) throws(OrgQueryError) -> [OrgItem] {
    let evaluation = try QueryEvaluation(expression, now: now, groups: groups)
    return QueryOrder(order).sorted(items.filter { evaluation.holds(for: $0, hasWords: hasWords) })
  }
}

/// One condition of a query.
package enum OrgQueryTerm: Sendable, Hashable {
  case book(String)
  case state(String)
  case stateType(String)
  case tag(String)
  case ownTag(String)
  case priority(String, isSet: Bool)
  case date(DateField, DateComparison, QueryDate)
  case property(String, String?)
  case near(latitude: Double, longitude: Double, metres: Double)
  case event(String, isBefore: Bool)
  case file(String)
  case path(String)
  case title(String)
  case words(String)
  case match(String)

  /// A date of an entry.
  package enum DateField: String, Sendable, Hashable { case scheduled, deadline, closed, event, created }

  /// A comparison of dates.
  package enum DateComparison: String, Sendable, Hashable { case eq, ne, lt, le, gt, ge }
}

/// A date in a query, relative to the time of the query.
package enum QueryDate: Sendable, Hashable {
  case none
  case day(Int)
  case months(Int)
  case minutes(Int)
  case fixed(OrgDay)

  /// Parses `today`, `tomorrow`, `3d`, `-1w`, `2m`, `1y`, `5h`, `now`, `none` or a date.
  init?(_ text: String) {
    switch text {
    case "none", "no", "null": self = .none
    case "today", "tod": self = .day(0)
    case "tomorrow", "tmrw", "tom": self = .day(1)
    case "yesterday": self = .day(-1)
    case "now": self = .minutes(0)
    default:
      if let day = OrgDay(iso: text) {
        self = .fixed(day)
        return
      }
      guard let unit = text.last, let count = Int(written: text.dropLast()) else { return nil }
      switch unit {
      case "d": self = .day(count)
      case "w": self = .day(count * 7)
      case "m": self = .months(count)
      case "y": self = .months(count * 12)
      case "h": self = .minutes(count * 60)
      default: return nil
      }
    }
  }

  /// Returns the moment, and true if it has a time of day; nil for "none".
  package func moment(_ now: OrgMoment) -> (moment: OrgMoment, hasTime: Bool)? {
    switch self {
    case .none: return nil
    case .day(let days): return (OrgMoment(day: now.day.advanced(by: days)), false)
    case .months(let months):
      let (year, month, day) = now.day.date
      return (OrgMoment(year: year, month: month + months, day: day), false)
    case .minutes(let minutes): return (now.advanced(byMinutes: minutes), true)
    case .fixed(let day): return (OrgMoment(day: day), false)
    }
  }
}
