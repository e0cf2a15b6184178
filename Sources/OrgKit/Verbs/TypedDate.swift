/// A typed date on its way to be read: its parts are taken out and written in a uniform way, in Org's order.
struct TypedDate {
  private(set) var text: String
  private let now: OrgMoment
  private let standard: OrgMoment
  /// A distance such as `+2w` or `++1d`.
  private(set) var delta: (count: Int, unit: String, isFromStandard: Bool)?
  /// An ISO week such as `2026-W20-3`.
  private(set) var week: (year: Int?, number: Int, weekday: Int?)?
  /// True if a date was given without its year.
  private(set) var lacksYear = false
  /// The end of a time range.
  private(set) var end: OrgTimestamp.Time?

  init(_ text: String, now: OrgMoment, standard: OrgMoment) {
    (self.text, self.now, self.standard) = (text, now, standard)
  }

  mutating func normalize() {
    if text.filter({ $0 != " " && $0 != "\t" }) == "." { text = "+0" }
    takeDelta()
    takeWeek()
    takeISODate()
    takeEuropeanDate()
    takeAmericanDate()
    for _ in 1...2 { takeTwelveHourTime() }
    for _ in 1...2 { takeHourTime() }
    takeDuration()
    takeEnd()
  }

  private mutating func takeDelta() {
    let pattern =
      /[ \t]*([-+]{0,2})([0-9]+)?([hdwmy]|(sunday|monday|tuesday|wednesday|thursday|friday|saturday|sun|mon|tue|wed|thu|fri|sat))?([ \t]|$)/
      .ignoresCase()
    guard let match = text.prefixMatch(of: pattern) else { return }
    let (signs, weekday) = (match.1, match.4)
    guard !signs.isEmpty || weekday != nil else { return }
    let isBack = signs.last == "-"
    let isFromStandard = signs.count == 2
    let count = match.2.flatMap { Int(written: $0) } ?? 1
    if let weekday, let number = TimeSlots.weekday(weekday.lowercased()) {
      let present = (isFromStandard ? standard : now).day.weekday % 7
      var days = (number - present + 7) % 7
      if days == 0 { days = 7 }
      if isBack { days = days == 7 ? -7 : days - 7 }
      if count > 1 { days += (count - 1) * (isBack ? -7 : 7) }
      delta = (days, "d", isFromStandard)
    } else {
      delta = (isBack ? -count : count, match.3.map { $0.lowercased() } ?? "d", isFromStandard)
    }
    text.removeSubrange(match.range)
  }

  private mutating func takeWeek() {
    let pattern = /\b(?:([0-9]+)-)?[wW]([0-9]{1,2})(?:-([0-6]))?([ \t]|$)/
    guard let match = text.firstMatch(of: pattern) else { return }
    week = (
      match.1.flatMap { Int(written: $0) }.map(fullYear), Int(written: match.2) ?? 1,
      match.3.flatMap { Int(written: $0) }
    )
    text.removeSubrange(match.range)
  }

  private mutating func takeISODate() {
    let pattern = /^ *(([0-9]+)-)?([0-1]?[0-9])-([0-3]?[0-9])([^-0-9]|$)/
    guard let match = text.firstMatch(of: pattern) else { return }
    lacksYear = match.2 == nil
    let year = fullYear(match.2.flatMap { Int(written: $0) } ?? now.day.date.year)
    replace(match.range, year, match.3, match.4, with: match.5)
  }

  private mutating func takeEuropeanDate() {
    let pattern = /^ *(3[01]|0?[1-9]|[12][0-9])\. ?(0?[1-9]|1[012])\.( ?[1-9][0-9]{3})?/
    guard let match = text.firstMatch(of: pattern) else { return }
    if match.3 == nil { lacksYear = true }
    let year = match.3.flatMap { Int(written: $0.drop { $0 == " " }) } ?? now.day.date.year
    replace(match.range, year, match.2, match.1, with: "")
  }

  private mutating func takeAmericanDate() {
    let pattern = /^ *(0?[1-9]|1[012])\/(0?[1-9]|[12][0-9]|3[01])(\/([0-9]+))?([^\/0-9]|$)/
    guard let match = text.firstMatch(of: pattern) else { return }
    if match.4 == nil { lacksYear = true }
    let year = fullYear(match.4.flatMap { $0 }.flatMap { Int(written: $0) } ?? now.day.date.year)
    replace(match.range, year, match.1, match.2, with: match.5)
  }

  private mutating func replace(
    _ range: Range<String.Index>, _ year: Int, _ month: Substring, _ day: Substring, with rest: Substring
  ) {
    let digits = [(String(year), 4), (String(Int(written: month) ?? 0), 2), (String(Int(written: day) ?? 0), 2)]
    let date = digits.map { String(repeating: "0", count: max(0, $0.1 - $0.0.count)) + $0.0 }.joined(separator: "-")
    text.replaceSubrange(range, with: date + rest)
  }

  /// True if a time in 24 hours stands alone, which ends the search for other forms.
  private var hasPlainTime: Bool { text.firstMatch(of: /(^|[^+])[012]?[0-9]:[0-9][0-9]([ \t\n]|$)/) != nil }

  private mutating func takeTwelveHourTime() {
    guard !hasPlainTime, let match = text.firstMatch(of: /([012]?[0-9])(:([0-5][0-9]))?(am|AM|pm|PM)\b/) else { return }
    var hour = Int(written: match.1) ?? 0
    let isAfternoon = match.4.lowercased() == "pm"
    if hour == 12, !isAfternoon { hour = 0 } else if isAfternoon, hour < 12 { hour += 12 }
    let minute = match.3.flatMap { Int(written: $0) } ?? 0
    text.replaceSubrange(match.range, with: OrgTimestamp.Time(hour: hour, minute: minute).description)
  }

  private mutating func takeHourTime() {
    guard !hasPlainTime else { return }
    if let match = text.firstMatch(of: /([012]?[0-9])?h([0-5][0-9])/) {
      let time = OrgTimestamp.Time(hour: match.1.flatMap { Int(written: $0) } ?? 0, minute: Int(written: match.2) ?? 0)
      text.replaceSubrange(match.range, with: time.description)
    } else if let match = text.firstMatch(of: /([012]?[0-9])h\b/) {
      text.replaceSubrange(
        match.range, with: OrgTimestamp.Time(hour: Int(written: match.1) ?? 0, minute: 0).description)
    }
  }

  private mutating func takeDuration() {
    guard let match = text.firstMatch(of: /([012]?[0-9]):([0-6][0-9])\+([012]?[0-9])(:([0-5][0-9]))?/) else { return }
    let (hour, minute) = (Int(written: match.1) ?? 0, Int(written: match.2) ?? 0)
    var (endHour, endMinute) = (
      hour + (Int(written: match.3) ?? 0), minute + (match.5.flatMap { $0 }.flatMap { Int(written: $0) } ?? 0)
    )
    if endMinute >= 60 { (endHour, endMinute) = (endHour + 1, endMinute - 60) }
    let (start, end) = (
      OrgTimestamp.Time(hour: hour, minute: minute), OrgTimestamp.Time(hour: endHour, minute: endMinute)
    )
    text.replaceSubrange(match.range, with: "\(start)-\(end)")
  }

  private mutating func takeEnd() {
    let pattern = /\b[012]?[0-9]:[0-5][0-9]\b(--?([012]?[0-9]):([0-5][0-9])\b)/
    guard let first = text.firstMatch(of: /\b[012]?[0-9]:[0-5][0-9]\b/),
      let match = text[first.range.lowerBound...].prefixMatch(of: pattern)
    else { return }
    end = OrgTimestamp.Time(hour: Int(written: match.2) ?? 0, minute: Int(written: match.3) ?? 0)
    text.removeSubrange(match.1.startIndex..<match.1.endIndex)
  }

  /// Returns the year that a number of two digits stands for.
  private func fullYear(_ year: Int) -> Int {
    if year >= 100 { return year }
    let (century, offset) = (now.day.date.year / 100, year - now.day.date.year % 100)
    if offset > 30 { return (century - 1) * 100 + year }
    return offset > -70 ? century * 100 + year : (century + 1) * 100 + year
  }
}

/// The parts of a date that Emacs' `parse-time-string` finds.
struct TimeSlots {
  private(set) var minute: Int?
  private(set) var hour: Int?
  private(set) var day: Int?
  private(set) var month: Int?
  private(set) var year: Int?
  /// 0 for Sunday.
  private(set) var weekday: Int?

  init(_ text: String) {
    let words = text.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) && !"+-:".contains($0) }
    for word in words { take(String(word)) }
  }

  private mutating func take(_ word: String) {
    if let number = word.allSatisfy(\.isNumber) ? Int(written: word) : nil { return take(number) }
    if weekday == nil, let found = Self.weekday(word) {
      weekday = found
    } else if month == nil, let found = Self.month(word) {
      month = found
    } else if year == nil, month == nil, day == nil, word.count == 10,
      let found = word.wholeMatch(of: /(\d{4})-(\d\d)-(\d\d)/)
    {
      (year, month, day) = (Int(written: found.1), Int(written: found.2), Int(written: found.3))
    } else if hour == nil, let found = word.wholeMatch(of: /(\d{1,2}):(\d\d)(:\d\d)?/) {
      (hour, minute) = (Int(written: found.1), Int(written: found.2))
    }
  }

  private mutating func take(_ number: Int) {
    if day == nil, 1...31 ~= number {
      day = number
    } else if year == nil, number >= 100 {
      year = number
    } else if year == nil, 50...110 ~= number {
      year = 1900 + number
    } else if year == nil, 0...49 ~= number {
      year = 2000 + number
    }
  }

  /// Returns the number of a weekday's English name or abbreviation, 0 for Sunday.
  static func weekday(_ name: String) -> Int? {
    let names = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
    return names.firstIndex { $0 == name || name.count == 3 && $0.hasPrefix(name) }
  }

  private static func month(_ name: String) -> Int? {
    let names = [
      "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
      "december",
    ]
    return names.firstIndex { $0 == name || name.count == 3 && $0.hasPrefix(name) }.map { $0 + 1 }
  }
}
