/// A period such as `today`, `lastweek`, `2026-03` of a clock table.
struct ClockRange {
  let start: OrgMoment?
  let end: OrgMoment
  /// The period in words.
  let text: String

  /// Returns nil for a period that Org does not know.
  init?(_ key: String, now: OrgMoment, weekStart: Int = 1, monthStart: Int = 1) {
    guard let period = Period(key, now) else { return nil }
    let (year, month, _) = period.day.date
    switch period.unit {
    case "day":
      let first = period.day.advanced(by: period.shift)
      let (year, month, day) = first.date
      let name = OrgNames.weekdays[first.weekday - 1]
      text = "\(name), \(OrgNames.months[month - 1]) \(day < 10 ? "0" : "")\(day), \(year)"
      (start, end) = (OrgMoment(day: first), OrgMoment(day: first.advanced(by: 1)))
    case "week":
      let weekday = period.day.weekday % 7
      let back = weekday == 0 ? 7 - weekStart : weekday - weekStart
      let first = period.day.advanced(by: 7 * period.shift - back)
      let thursday = OrgDay(number: first.number + 4 - first.weekday)
      text = "week \(thursday.date.year)-W\(first.week < 10 ? "0" : "")\(first.week)"
      (start, end) = (OrgMoment(day: first), OrgMoment(day: first.advanced(by: 7)))
    case "month":
      let first = OrgDay(year: year, month: month + period.shift, day: monthStart)
      text = "\(OrgNames.months[first.date.month - 1]) \(first.date.year)"
      (start, end) = (
        OrgMoment(day: first), OrgMoment(day: OrgDay(year: year, month: month + period.shift + 1, day: monthStart))
      )
    case "quarter":
      let quarter = (month - 1) / 3 + period.shift
      let first = OrgDay(year: year, month: 3 * quarter + 1, day: 1)
      let names = ["1st", "2nd", "3rd", "4th"]
      text = "\(names[quarter.remainder(by: 4)]) quarter of \(first.date.year)"
      (start, end) = (OrgMoment(day: first), OrgMoment(day: OrgDay(year: year, month: 3 * quarter + 4, day: 1)))
    case "year":
      text = "the year \(year + period.shift)"
      start = OrgMoment(year: year + period.shift, month: 1, day: 1)
      end = OrgMoment(year: year + period.shift + 1, month: 1, day: 1)
    default:
      (start, end, text) = (nil, now, "now")
    }
  }

  /// A unit of time, a day in it, and a shift by whole units.
  private struct Period {
    var unit: String
    var day: OrgDay
    var shift = 0

    init?(_ key: String, _ now: OrgMoment) {
      day = now.day
      unit = ""
      if let match = key.wholeMatch(of: /(\d+)-(\d{1,2})-(\d{1,2})/) {
        (unit, day) = (
          "day",
          OrgDay(year: Int(written: match.1) ?? 0, month: Int(written: match.2) ?? 1, day: Int(written: match.3) ?? 1)
        )
      } else if let match = key.wholeMatch(of: /(\d+)-(\d{1,2})/) {
        (unit, day) = ("month", OrgDay(year: Int(written: match.1) ?? 0, month: Int(written: match.2) ?? 1, day: 1))
      } else if let match = key.wholeMatch(of: /(\d+)-[wW](\d{1,2})/) {
        let fourth = OrgDay(year: Int(written: match.1) ?? 0, month: 1, day: 4)
        (unit, day) = ("week", fourth.advanced(by: 1 - fourth.weekday + 7 * ((Int(written: match.2) ?? 1) - 1)))
      } else if let match = key.wholeMatch(of: /(\d+)-[qQ]([1-4])/) {
        (unit, day) = (
          "quarter", OrgDay(year: Int(written: match.1) ?? 0, month: 3 * (Int(written: match.2) ?? 1) - 2, day: 1)
        )
      } else if let match = key.wholeMatch(of: /\d+/) {
        (unit, day) = ("year", OrgDay(year: Int(written: match.output) ?? 0, month: 1, day: 1))
      } else {
        let name = String(key.prefix { $0.isLetter })
        let number = key.dropFirst(name.count)
        guard let known = Self.names[name], number.isEmpty || Int(written: number) != nil else { return nil }
        (unit, shift) = (known.unit, number.isEmpty ? known.shift : Int(written: number.drop { $0 == "+" }) ?? 0)
      }
    }

    private static let names: [String: (unit: String, shift: Int)] = [
      "today": ("day", 0), "day": ("day", 0), "yesterday": ("day", -1), "week": ("week", 0), "thisweek": ("week", 0),
      "lastweek": ("week", -1), "month": ("month", 0), "thismonth": ("month", 0), "lastmonth": ("month", -1),
      "quarter": ("quarter", 0), "thisq": ("quarter", 0), "lastq": ("quarter", -1), "year": ("year", 0),
      "thisyear": ("year", 0), "lastyear": ("year", -1), "untilnow": ("untilnow", 0),
    ]
  }
}
