/// A query with its matches compiled, for one time.
struct QueryEvaluation {
  private let expression: OrgQuery.Expression
  private let now: OrgMoment
  private var matchers: [String: OrgMatcher] = [:]

  init(_ expression: OrgQuery.Expression, now: OrgMoment, groups: OrgTagGroups) throws(OrgQueryError) {
    (self.expression, self.now) = (expression, now)
    for match in expression.matches { matchers[match] = try OrgMatcher(match, groups: groups, now: now) }
  }

  /// Returns true if an item is selected; `hasWords` is called only for phrases.
  func holds(for item: OrgItem, hasWords: (OrgItem, String) -> Bool) -> Bool { holds(expression, item, hasWords) }

  private func holds(
    _ expression: OrgQuery.Expression, _ item: OrgItem, _ hasWords: (OrgItem, String) -> Bool
  ) -> Bool {
    switch expression {
    case .all(let parts): parts.allSatisfy { holds($0, item, hasWords) }
    case .any(let parts): parts.contains { holds($0, item, hasWords) }
    case .not(let part): !holds(part, item, hasWords)
    case .term(let term): holds(term, item, hasWords)
    }
  }

  private func holds(_ term: OrgQueryTerm, _ item: OrgItem, _ hasWords: (OrgItem, String) -> Bool) -> Bool {
    switch term {
    case .book(let name): item.book.lowercased() == name.lowercased()
    case .state(let state): (item.keyword ?? "none").lowercased() == state.lowercased()
    case .stateType(let type): type == (item.keyword == nil ? "none" : item.isDone ? "done" : "todo")
    case .tag(let tag): item.allTags.contains { $0.lowercased().range(behind: tag.lowercased()) != nil }
    case .ownTag(let tag): item.tags.contains { $0.lowercased().range(behind: tag.lowercased()) != nil }
    case .priority(let priority, let isSet): (item.priority ?? (isSet ? nil : "B"))?.uppercased() == priority
    case .date(let field, let comparison, let date): holds(item.stamps(of: field), comparison, date)
    case .property(let key, let value): holds(item[property: key], value)
    case .near(let latitude, let longitude, let metres):
      item.location.map { $0.distance(latitude, longitude) <= max(metres, item.locationRadius ?? 0) } ?? false
    case .event(let name, let isBefore):
      item[property: isBefore ? "BEFORE" : "AFTER"]?.lowercased() == name.lowercased()
    case .file(let pattern): item.file.matches(glob: pattern)
    case .path(let title): item.path.contains { $0.lowercased().range(behind: title.lowercased()) != nil }
    case .title(let title): item.title.lowercased().range(behind: title.lowercased()) != nil
    case .words(let words): hasWords(item, words)
    case .match(let match): matchers[match]?.selects(item) ?? false
    }
  }

  private func holds(_ value: String?, _ wanted: String?) -> Bool {
    guard let wanted else { return value != nil }
    return value?.lowercased() == wanted.lowercased()
  }

  private func holds(
    _ stamps: [OrgTimestamp], _ comparison: OrgQueryTerm.DateComparison, _ date: QueryDate
  ) -> Bool {
    guard let (moment, hasTime) = date.moment(now) else { return stamps.isEmpty == (comparison != .ne) }
    return stamps.contains { stamp in
      let value = hasTime ? OrgMoment(stamp).wallMinutes : stamp.date.number
      let wanted = hasTime ? moment.wallMinutes : moment.day.number
      return switch comparison {
      case .eq: value == wanted
      case .ne: value != wanted
      case .lt: value < wanted
      case .le: value <= wanted
      case .gt: value > wanted
      case .ge: value >= wanted
      }
    }
  }
}

extension OrgQuery.Expression {
  /// The matches in Org's syntax.
  fileprivate var matches: [String] {
    switch self {
    case .all(let parts), .any(let parts): parts.flatMap(\.matches)
    case .not(let part): part.matches
    case .term(.match(let match)): [match]
    case .term: []
    }
  }
}

extension OrgItem {
  /// The name of the file without folders and ending.
  var book: String {
    let name = file.split(separator: "/").last ?? ""
    return String(name.lastIndex(of: ".").map { name[..<$0] } ?? name)
  }

  fileprivate func stamps(of field: OrgQueryTerm.DateField) -> [OrgTimestamp] {
    switch field {
    case .scheduled: scheduled?.timestamp.map { [$0] } ?? []
    case .deadline: deadline?.timestamp.map { [$0] } ?? []
    case .closed: closed.map { [$0] } ?? []
    case .event: timestamps + ranges.map(\.first)
    case .created: self[property: "CREATED"].flatMap { OrgTimestamp($0) }.map { [$0] } ?? []
    }
  }
}

/// A place on Earth in degrees.
public struct OrgLocation: Sendable, Hashable {
  /// The latitude, north is positive.
  public var latitude: Double
  /// The longitude, east is positive.
  public var longitude: Double

  /// Parses `48.2082,16.3738`, also with `geo:` in front and parameters behind.
  public init?(_ text: String) {
    var text = text.trimmedBlanks
    if text.hasPrefix("geo:") { text = text.dropFirst(4) }
    let parts = text.prefix { $0 != ";" }.split(separator: ",").map { Double(String($0.trimmedBlanks)) }
    guard parts.count >= 2, let latitude = parts[0], let longitude = parts[1], abs(latitude) <= 90,
      abs(longitude) <= 180
    else { return nil }
    (self.latitude, self.longitude) = (latitude, longitude)
  }

  /// Returns the distance in metres on a sphere (haversine formula, mean radius of the Earth).
  public func distance(_ latitude: Double, _ longitude: Double) -> Double {
    let radians = { (degrees: Double) in degrees * .pi / 180 }
    let north = Self.halfSine(radians(latitude - self.latitude))
    let east = Self.halfSine(radians(longitude - self.longitude))
    let shrink = Self.cosine(radians(latitude)) * Self.cosine(radians(self.latitude))
    return 2 * 6_371_008.8 * Self.arcSine((north * north + shrink * east * east).squareRoot())
  }

  private static func halfSine(_ angle: Double) -> Double { sine(angle / 2) }

  // OrgKit has no mathematics library; the series converge for the angles of coordinates.
  private static func sine(_ angle: Double) -> Double {
    var (term, sum) = (angle, angle)
    for step in 1..<20 {
      term *= -angle * angle / Double(2 * step * (2 * step + 1))
      sum += term
    }
    return sum
  }

  private static func cosine(_ angle: Double) -> Double { sine(.pi / 2 - angle) }

  /// Newton's method on the sine.
  private static func arcSine(_ value: Double) -> Double {
    let value = min(max(value, 0), 1)
    var angle = value
    for _ in 0..<60 {
      let slope = cosine(angle)
      guard abs(slope) > 1e-9 else { break }
      let step = (sine(angle) - value) / slope
      angle -= step
      if abs(step) < 1e-15 { break }
    }
    return min(max(angle, 0), .pi / 2)
  }
}

extension OrgItem {
  /// The place of the entry: the property `COORDINATES`, or `LOCATION` if it is a pair of coordinates.
  public var location: OrgLocation? {
    (self[property: "COORDINATES"] ?? self[property: "LOCATION"]).flatMap { OrgLocation($0) }
  }

  /// The radius of the place in metres, if it is set.
  public var locationRadius: Double? {
    self[property: "LOCATION_RADIUS"].flatMap { Double(String($0.trimmedBlanks)) }
  }
}

extension String {
  /// Returns true if the text matches a pattern with `*` and `?`; a pattern without a slash matches the last part of a path.
  func matches(glob pattern: String) -> Bool {
    let name = pattern.contains("/") ? self[...] : split(separator: "/").last ?? ""
    return Self.matches(Array(name), Array(pattern))
  }

  private static func matches(_ text: [Character], _ pattern: [Character]) -> Bool {
    var (place, wanted, star, retry) = (0, 0, Int?.none, 0)
    while place < text.count {
      if wanted < pattern.count, pattern[wanted] == "*" {
        (star, retry) = (wanted, place)
        wanted += 1
      } else if wanted < pattern.count, pattern[wanted] == "?" || pattern[wanted] == text[place] {
        (place, wanted) = (place + 1, wanted + 1)
      } else if let last = star {
        retry += 1
        (place, wanted) = (retry, last + 1)
      } else {
        return false
      }
    }
    return pattern[wanted...].allSatisfy { $0 == "*" }
  }
}
