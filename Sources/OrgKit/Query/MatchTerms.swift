/// Parses the terms of a match into conditions.
struct MatchTerms {
  typealias Condition = (OrgItem) -> Bool

  let groups: OrgTagGroups
  let now: OrgMoment

  /// Takes a tag, a pattern of tags, a level or a property with its value.
  func condition(_ rest: inout Substring) -> Condition? {
    if rest.first == "{" {
      guard let pattern = Self.pattern(&rest) else { return nil }
      return { item in (item.inheritedTags + item.tags).contains(where: pattern.matches) }
    }
    let word = Self.word(rest)
    let behind = rest[word.endIndex...]
    if let comparison = MatchComparison(behind), let condition = property(word, comparison, behind, &rest) {
      return condition
    }
    guard !word.isEmpty else { return nil }
    rest = behind
    return tag(word.replacingEscapedDashes)
  }

  /// Takes a state or a pattern of states.
  func state(_ rest: inout Substring) -> Condition? {
    if rest.first == "{" {
      guard let pattern = Self.pattern(&rest) else { return nil }
      return { pattern.matches($0.keyword ?? "") }
    }
    let word = rest.prefix { $0.isLetter || $0.isNumber || "_@#%".contains($0) }
    guard !word.isEmpty else { return nil }
    rest = rest[word.endIndex...]
    let state = String(word)
    return { $0.keyword == state }
  }

  private func tag(_ tag: String) -> Condition {
    guard let group = groups.expanded(tag) else { return { $0.tags.contains(tag) || $0.inheritedTags.contains(tag) } }
    let patterns = group.filter { $0.hasPrefix("{") }.compactMap { EmacsPattern(String($0.dropFirst().dropLast())) }
    let names = Set(group.map { $0.lowercased() })
    return { item in
      (item.inheritedTags + item.tags).contains { tag in
        names.contains(tag.lowercased()) || patterns.contains { $0.matches(tag) }
      }
    }
  }

  private static func word(_ text: Substring) -> Substring {
    var end = text.startIndex
    while end < text.endIndex {
      if text[end...].hasPrefix("\\-") {
        end = text.index(end, offsetBy: 2)
      } else if text[end].isLetter || text[end].isNumber || "_@#%".contains(text[end]) {
        end = text.index(after: end)
      } else {
        break
      }
    }
    return text[..<end]
  }

  private static func pattern(_ rest: inout Substring) -> EmacsPattern? {
    guard let end = rest.firstIndex(of: "}"), let pattern = EmacsPattern(String(rest[..<end].dropFirst())) else {
      return nil
    }
    rest = rest[rest.index(after: end)...]
    return pattern
  }

  private func property(
    _ word: Substring, _ comparison: MatchComparison, _ behind: Substring, _ rest: inout Substring
  ) -> Condition? {
    var value = behind.dropFirst(comparison.sign.count)
    let key = word.replacingEscapedDashes
    defer { rest = value }
    if key == "LEVEL", let number = Self.number(&value) { return { comparison.holds(Double($0.level), number) } }
    if value.first == "{" {
      guard let pattern = Self.pattern(&value) else { return nil }
      let isWanted = comparison.sign != "<>" && comparison.sign != "!="
      return { pattern.matches($0.value(ofMatched: key)) == isWanted }
    }
    if value.first == "\"" {
      guard let end = value.dropFirst().firstIndex(of: "\"") else { return nil }
      let text = String(value[value.index(after: value.startIndex)..<end])
      value = value[value.index(after: end)...]
      guard text.isTimestampText else { return { comparison.holds($0.value(ofMatched: key), text) } }
      let wanted = MatchedTime.seconds(of: text, now: now)
      return { item in
        MatchedTime.seconds(of: item.value(ofMatched: key)).map { comparison.holds($0, wanted) } ?? false
      }
    }
    guard let number = Self.number(&value) else { return nil }
    return { comparison.holds($0.value(ofMatched: key).leadingNumber, number) }
  }

  private static func number(_ rest: inout Substring) -> Double? {
    let digits = rest.prefix { $0.isNumber || "-.eE".contains($0) }
    guard let number = Double(digits) else { return nil }
    rest = rest[digits.endIndex...]
    return number
  }
}

/// The comparison of a property with a value.
struct MatchComparison {
  let sign: String

  /// Parses the operator at the start of a text.
  init?(_ text: Substring) {
    let signs = ["<=", "=<", ">=", "=>", "==", "<>", "!=", "<", ">", "="]
    guard let sign = signs.first(where: { text.hasPrefix($0) }) else { return nil }
    self.sign = sign
  }

  func holds<Value: Comparable>(_ left: Value, _ right: Value) -> Bool {
    switch sign {
    case "<": left < right
    case ">": left > right
    case "<=", "=<": left <= right
    case ">=", "=>": left >= right
    case "<>", "!=": left != right
    default: left == right
    }
  }
}

extension OrgItem {
  /// Returns the value of a property in a match; empty if the entry does not have it.
  func value(ofMatched key: String) -> String {
    switch key.uppercased() {
    case "TODO": keyword ?? ""
    case "PRIORITY": priority ?? Character(UnicodeScalar(UInt8(clamping: priorities.usual))).description
    case "CATEGORY": category
    case "ITEM": title
    case "LEVEL": String(level)
    case "FILE": file
    case "TAGS": tags.isEmpty ? "" : ":\(tags.joined(separator: ":")):"
    case "ALLTAGS": allTags.isEmpty ? "" : ":\(allTags.joined(separator: ":")):"
    case "DEADLINE": deadline?.timestamp?.description ?? ""
    case "SCHEDULED": scheduled?.timestamp?.description ?? ""
    case "CLOSED": closed?.description ?? ""
    case "TIMESTAMP": (timestamps.first ?? ranges.first?.first)?.description ?? ""
    case "TIMESTAMP_IA": inactiveTimestamps.first?.description ?? ""
    default: self[property: key] ?? ""
    }
  }
}

/// Times in a match: timestamps, and `<now>`, `<today>`, `<+1w>` and the like.
enum MatchedTime {
  /// Returns the minutes since 1970 of the time that a match names; 0 if it is not a time.
  static func seconds(of text: String, now: OrgMoment) -> Int {
    let content = String(text.dropFirst().dropLast())
    switch content {
    case "now": return now.wallMinutes
    case "today": return OrgMoment(day: now.day).wallMinutes
    case "tomorrow": return OrgMoment(day: now.day.advanced(by: 1)).wallMinutes
    case "yesterday": return OrgMoment(day: now.day.advanced(by: -1)).wallMinutes
    default: break
    }
    if let sign = content.first, "+-".contains(sign), let unit = content.last,
      let count = Int(written: content.dropLast())
    {
      switch unit {
      case "h": return now.advanced(byMinutes: count * 60).wallMinutes
      case "d": return OrgMoment(day: now.day.advanced(by: count)).wallMinutes
      case "w": return OrgMoment(day: now.day.advanced(by: count * 7)).wallMinutes
      case "m": return shifted(now, months: count)
      case "y": return shifted(now, months: count * 12)
      default: break
      }
    }
    return seconds(of: text) ?? 0
  }

  private static func shifted(_ now: OrgMoment, months: Int) -> Int {
    let (year, month, day) = now.day.date
    return OrgMoment(year: year, month: month + months, day: day).wallMinutes
  }

  /// Returns the minutes since 1970 of the first timestamp in a text; nil if there is none.
  static func seconds(of text: String) -> Int? {
    let bytes = Array(text.utf8)[...]
    var stamp = bytes.firstTimestamp(isActive: true) ?? bytes.firstTimestamp(isActive: false)
    // A date may lack the weekday.
    if stamp == nil, let moment = OrgMoment(text) { return moment.wallMinutes }
    if stamp == nil, text.count == 12 { stamp = bytes }
    return stamp.flatMap { OrgTimestamp($0) }.map { OrgMoment($0).wallMinutes }
  }
}

extension StringProtocol {
  /// The text with `\-` replaced by `-`.
  fileprivate var replacingEscapedDashes: String { String(self).parts(between: "\\-").joined(separator: "-") }

  /// True for a time in brackets: `<2026-03-31>`, `[2026-03-31 Tue]`, `<+1w>`.
  fileprivate var isTimestampText: Bool {
    count > 2 && (first == "<" || first == "[") && (last == ">" || last == "]")
  }

  /// The number at the start of a text, 0 if there is none (string-to-number).
  var leadingNumber: Double {
    let text = drop { $0.isWhitespace }
    var end = text.startIndex
    var hasPoint = false
    while end < text.endIndex {
      let character = text[end]
      if character == ".", !hasPoint {
        hasPoint = true
      } else if !(character.isASCII && character.isNumber) && !(end == text.startIndex && "+-".contains(character)) {
        break
      }
      end = text.index(after: end)
    }
    return Double(text[..<end]) ?? 0
  }
}
