/// A change of a timestamp's text by an amount of time, as Org makes it.
struct TimestampShift {
  let amount: Int
  let unit: OrgTimeUnit
  let zone: OrgZone
  /// True if a delay of the first occurrence, `--2d`, is dropped.
  var dropsFirstDelay = false

  /// Returns the changed timestamp; nil if the text is none.
  func apply(to stamp: Bytes) -> String? {
    guard let old = OrgTimestamp(stamp) else { return nil }
    let new = moved(old)
    var extra = Self.extra(stamp)
    if dropsFirstDelay { extra = Self.withoutFirstDelay(extra) }
    if unit == .hour || unit == .minute { extra = withMovedEnd(extra) }
    let text = new.timestamp(isActive: old.isActive, withTime: old.time != nil).description
    return String(text.dropLast()) + extra + String(text.last ?? ">")
  }

  private func moved(_ old: OrgTimestamp) -> OrgMoment {
    var moment = OrgMoment(old)
    switch unit {
    case .minute: moment = moment.advanced(byMinutes: amount)
    case .hour: moment = moment.advanced(byMinutes: 60 * amount)
    case .day: moment.day = moment.day.advanced(by: amount)
    case .month: moment.day = OrgDay(year: old.year, month: old.month + amount, day: old.day)
    case .year: moment.day = OrgDay(year: old.year + amount, month: old.month, day: old.day)
    }
    return zone.existing(moment)
  }

  /// Returns the end of a time range and the cookies, as they are written.
  private static func extra(_ stamp: Bytes) -> String {
    let content = stamp.dropFirst().dropLast()
    var start = content.endIndex
    while true {
      let word = content[..<start].suffix(while: { !$0.isBlank })
      guard word.startIndex > content.startIndex, isCookie(word) else { break }
      start = content[..<word.startIndex].trimmedRight.endIndex
    }
    let last = content[..<start].suffix(while: { !$0.isBlank })
    if let dash = last.firstIndex(of: UInt8(ascii: "-")), last.endIndex - dash == 6, last.contains(.colon),
      last.startIndex > content.startIndex
    {
      start = dash
    }
    return content[start...].string
  }

  private static func isCookie(_ word: Bytes) -> Bool {
    let rest = word.drop { ".+-".utf8.contains($0) }
    let digits = rest.prefix { $0.isDigit }
    return rest.startIndex > word.startIndex && !digits.isEmpty && digits.endIndex < rest.endIndex
      && "hdwmy".utf8.contains(rest[digits.endIndex])
  }

  private static func withoutFirstDelay(_ extra: String) -> String {
    let words = extra.split(separator: " ", omittingEmptySubsequences: false)
    return words.filter { !($0.hasPrefix("--") && $0.dropFirst(2).first?.isNumber ?? false) }.joined(separator: " ")
  }

  /// Moves the end of a time range. By minutes it moves five, whatever the amount is, as in Org.
  private func withMovedEnd(_ extra: String) -> String {
    let time = extra.dropFirst().prefix(5).split(separator: ":")
    guard extra.hasPrefix("-"), time.count == 2, var hour = Int(written: time[0]), var minute = Int(written: time[1])
    else {
      return extra
    }
    if unit == .hour {
      hour += amount
    } else {
      let late = minute.remainder(by: 5)
      if late != 0 { minute += amount > 0 ? -late : 5 - late }
      minute += 5 * amount.signum()
    }
    if minute < 0 { (hour, minute) = (hour - 1, minute + 60) }
    if minute > 59 { (hour, minute) = (hour + 1, minute - 60) }
    let end = OrgTimestamp.Time(hour: hour.remainder(by: 24), minute: minute)
    return "-\(end)" + extra.dropFirst(6)
  }
}

extension ArraySlice<UInt8> {
  /// Returns the longest end of the text whose bytes all satisfy a condition.
  func suffix(while holds: (UInt8) -> Bool) -> Bytes {
    var start = endIndex
    while start > startIndex, holds(self[start - 1]) { start -= 1 }
    return self[start...]
  }
}
