/// A diary expression that is known without Lisp, such as `(diary-float t 2 2)`.
struct DiaryExpression {
  private let function: String
  private let arguments: [OrgValue]
  /// True if a list is not quoted: Emacs would call its first element.
  private let hasUnquotedList: Bool

  /// Parses an expression; returns nil for one that only Emacs can evaluate.
  init?(_ form: String) {
    guard let elements = OrgValue(lisp: form)?.elements, let name = elements.first?.symbol, Self.known.contains(name)
    else {
      return nil
    }
    hasUnquotedList = form.dropFirst().hasUnquotedList
    (function, arguments) = (name, Array(elements.dropFirst()))
  }

  private static let known: Set<String> = [
    "diary-anniversary", "diary-birthday", "org-anniversary", "diary-block", "org-block", "diary-cyclic", "org-cyclic",
    "diary-date", "org-date", "diary-float", "org-class", "org-calendar-holiday",
  ]

  /// Returns the text of the entry if it applies to a day; `%d` and `%s` become the number of years or repetitions and its ending.
  func entry(_ text: String, on day: OrgDay) -> String? {
    if hasUnquotedList { return nil }
    return switch function {
    case "diary-anniversary", "diary-birthday": anniversary(numbers.american, text, day)
    case "org-anniversary": anniversary(numbers, text, day)
    case "diary-block": block(numbers.american, text, day)
    case "org-block": block(numbers, text, day)
    case "diary-cyclic": cyclic(numbers.first, Array(numbers.dropFirst()).american, text, day)
    case "org-cyclic": cyclic(numbers.first, Array(numbers.dropFirst()), text, day)
    case "diary-date": isDate(order: [2, 0, 1], day) ? text : nil
    case "org-date": isDate(order: [0, 1, 2], day) ? text : nil
    case "diary-float": float(day) ? text : nil
    case "org-class": isClass(day) ? text : nil
    default: Holidays.on(day).isEmpty ? nil : Holidays.on(day).joined(separator: "; ")
    }
  }

  private var numbers: [Int] { arguments.prefix { $0.number != nil }.compactMap(\.number) }

  private func anniversary(_ date: [Int], _ text: String, _ day: OrgDay) -> String? {
    guard date.count >= 3 else { return nil }
    let (year, month, number) = day.date
    let years = date[0] == 0 ? 100 : year - date[0]
    var (wantedMonth, wantedDay) = (date[1], date[2])
    // Without a 29 February the anniversary is on 1 March.
    if (wantedMonth, wantedDay) == (2, 29), OrgDay(year: year, month: 2, day: 29).date.month == 3 {
      (wantedMonth, wantedDay) = (3, 1)
    }
    return years > 0 && (month, number) == (wantedMonth, wantedDay) ? text.counting(years) : nil
  }

  private func block(_ dates: [Int], _ text: String, _ day: OrgDay) -> String? {
    guard dates.count >= 6 else { return nil }
    let first = OrgDay(year: dates[0], month: dates[1], day: dates[2])
    let last = OrgDay(year: dates[3], month: dates[4], day: dates[5])
    return first <= day && day <= last ? text : nil
  }

  private func cyclic(_ interval: Int?, _ date: [Int], _ text: String, _ day: OrgDay) -> String? {
    guard let interval, interval > 0, date.count >= 3 else { return nil }
    let days = OrgDay(year: date[0], month: date[1], day: date[2]).distance(to: day)
    return days >= 0 && days % interval == 0 ? text.counting(days / interval) : nil
  }

  /// Compares year, month and day, each a number, a list of numbers or `t`.
  private func isDate(order: [Int], _ day: OrgDay) -> Bool {
    guard arguments.count >= 3 else { return false }
    let (year, month, number) = day.date
    return zip(order, [year, month, number]).allSatisfy { arguments[$0].admits($1) }
  }

  /// The n-th weekday after or before a day of a month, which may lie in the next or previous month.
  private func float(_ day: OrgDay) -> Bool {
    guard arguments.count >= 3, let weekday = arguments[1].number, let nth = arguments[2].number, nth != 0,
      weekday.remainder(by: 7) == day.weekday % 7
    else { return false }
    let fixed = arguments.count > 3 ? arguments[3].number : nil
    let start = nth > 0 ? -7 * nth + 1 : 7 * (-nth - 1)
    return (start..<start + 7).contains { offset in
      let base = day.advanced(by: offset)
      let date = base.date
      let wanted = fixed ?? (nth > 0 ? 1 : OrgDay(year: date.year, month: date.month + 1, day: 0).date.day)
      return date.day == wanted && arguments[0].admits(date.month)
    }
  }

  private func isClass(_ day: OrgDay) -> Bool {
    guard numbers.count >= 7, numbers[6] == day.weekday % 7,
      block(Array(numbers.prefix(6)), "", day) != nil
    else { return false }
    let skipped = arguments.dropFirst(7)
    if skipped.contains(where: { $0.number == day.week }) { return false }
    let holidays = Holidays.on(day)
    if !holidays.isEmpty, skipped.contains(.symbol("holidays")) { return false }
    return !skipped.contains { $0.text.map(holidays.contains) ?? false }
  }
}

extension [Int] {
  /// Month, day and year in the order year, month, day.
  fileprivate var american: [Int] {
    var dates: [Int] = []
    var rest = self[...]
    while rest.count >= 3 {
      let date = Array(rest.prefix(3))
      dates += [date[2], date[0], date[1]]
      rest = rest.dropFirst(3)
    }
    // An anniversary may lack the year.
    return dates.isEmpty && count == 2 ? [0, self[0], self[1]] : dates
  }
}

extension OrgValue {
  /// Returns true for `t`, the number itself and a list that contains it.
  fileprivate func admits(_ wanted: Int) -> Bool {
    switch self {
    case .yes: true
    case .number(let number): number == wanted
    case .list(let elements): elements.contains(.number(wanted))
    default: false
    }
  }
}

extension String {
  /// Replaces the first `%d` or `%s` by a number, and a second `%s` by its ordinal ending; nil for a format that Emacs refuses.
  fileprivate func counting(_ number: Int) -> String? {
    var (result, rest, used) = ("", self[...], 0)
    while let percent = rest.firstIndex(of: "%") {
      result += rest[..<percent]
      let kind = rest[rest.index(after: percent)...].first
      switch (kind, used) {
      case ("%", _): result += "%"
      case ("d", 0), ("s", 0): result += String(number)
      case ("s", 1): result += number.ordinalEnding
      default: return nil
      }
      if kind != "%" { used += 1 }
      rest = rest[rest.index(percent, offsetBy: 2)...]
    }
    return result + rest
  }
}

extension Substring {
  /// True if there is an opening bracket without a quote before it, outside strings.
  fileprivate var hasUnquotedList: Bool {
    var (previous, isQuoted) = (Character(" "), false)
    for character in self {
      if character == "\"" { isQuoted.toggle() }
      if character == "(", !isQuoted, previous != "'" { return true }
      previous = character
    }
    return false
  }
}

extension Int {
  /// The ending of an ordinal number: 1st, 2nd, 3rd, 11th.
  fileprivate var ordinalEnding: String {
    let tens = self % 100
    if (11...13).contains(tens) { return "th" }
    return switch self % 10 {
    case 1: "st"
    case 2: "nd"
    case 3: "rd"
    default: "th"
    }
  }
}

/// The holidays of Emacs' calendar that need no astronomy.
enum Holidays {
  private static let fixed: [(month: Int, day: Int, name: String)] = [
    (1, 1, "New Year's Day"), (2, 2, "Groundhog Day"), (2, 14, "Valentine's Day"), (3, 17, "St. Patrick's Day"),
    (4, 1, "April Fools' Day"), (6, 14, "Flag Day"), (7, 4, "Independence Day"), (10, 31, "Halloween"),
    (11, 11, "Veteran's Day"), (12, 25, "Christmas"),
  ]
  /// The n-th weekday of a month, 0 for Sunday.
  private static let floating: [(month: Int, weekday: Int, nth: Int, name: String)] = [
    (1, 1, 3, "Martin Luther King Day"), (2, 1, 3, "President's Day"), (5, 0, 2, "Mother's Day"),
    (5, 1, -1, "Memorial Day"), (6, 0, 3, "Father's Day"), (9, 1, 1, "Labor Day"), (10, 1, 2, "Columbus Day"),
    (11, 4, 4, "Thanksgiving"),
  ]

  /// Returns the names of the holidays on a day.
  static func on(_ day: OrgDay) -> [String] {
    let (year, month, number) = day.date
    var names = fixed.filter { ($0.month, $0.day) == (month, number) }.map(\.name)
    names += floating.filter { holiday in
      let form = "(diary-float \(holiday.month) \(holiday.weekday) \(holiday.nth))"
      return holiday.month == month && DiaryExpression(form)?.entry("", on: day) != nil
    }.map(\.name)
    let easter = easter(of: year)
    if day == easter { names.append("Easter Sunday") }
    if day == easter.advanced(by: -2) { names.append("Good Friday") }
    return names
  }

  /// The Gregorian Easter Sunday (Oudin's algorithm).
  private static func easter(of year: Int) -> OrgDay {
    let century = year / 100
    let golden = year % 19
    let correction = (century - century / 4 - (8 * century + 13) / 25 + 19 * golden + 15) % 30
    let moon = correction - (correction / 28) * (1 - (29 / (correction + 1)) * ((21 - golden) / 11))
    let weekday = (year + year / 4 + moon + 2 - century + century / 4) % 7
    let offset = moon - weekday
    let month = 3 + (offset + 40) / 44
    return OrgDay(year: year, month: month, day: offset + 28 - 31 * (month / 4))
  }
}
