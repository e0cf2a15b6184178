/// A point of wall time: a day and a minute of it. It has no zone.
public struct OrgMoment: Hashable, Comparable, Sendable {
  /// The day.
  public var day: OrgDay
  /// The minute of the day, 0 to 1439.
  public var minute: Int

  /// A minute of a day; minutes out of range move the day.
  public init(day: OrgDay, minute: Int = 0) {
    self.day = day.advanced(by: minute.quotient(by: 1440))
    self.minute = minute.remainder(by: 1440)
  }

  /// The moment of a date and a time of day.
  public init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0) {
    self.init(day: OrgDay(year: year, month: month, day: day), minute: hour * 60 + minute)
  }

  /// Parses `2026-03-10 14:30` or `2026-03-10T14:30:05`; seconds are ignored. Returns nil for anything else.
  public init?(_ text: String) {
    let numbers = text.split { !$0.isASCII || !$0.isNumber }.map { Int(written: $0) ?? 0 }
    guard [3, 5, 6].contains(numbers.count), 1...12 ~= numbers[1], 1...31 ~= numbers[2] else { return nil }
    let time = numbers.count > 3 ? (numbers[3], numbers[4]) : (0, 0)
    guard 0...23 ~= time.0, 0...59 ~= time.1 else { return nil }
    self.init(year: numbers[0], month: numbers[1], day: numbers[2], hour: time.0, minute: time.1)
  }

  /// The start of a timestamp; midnight if it has no time.
  public init(_ stamp: OrgTimestamp) {
    let time = stamp.time ?? OrgTimestamp.Time(hour: 0, minute: 0)
    self.init(
      year: stamp.year, month: stamp.month, day: stamp.day, hour: time.hour, minute: time.minute)
  }

  /// The hour and minute.
  public var time: OrgTimestamp.Time { OrgTimestamp.Time(hour: minute / 60, minute: minute % 60) }

  /// The minutes since 1 January 1970, 00:00 of the same wall clock.
  public var wallMinutes: Int { day.number * 1440 + minute }

  /// Returns the moment a number of wall minutes later.
  public func advanced(byMinutes minutes: Int) -> OrgMoment { OrgMoment(day: day, minute: minute + minutes) }

  /// Earlier moments come first.
  public static func < (left: OrgMoment, right: OrgMoment) -> Bool { left.wallMinutes < right.wallMinutes }

  /// Returns the timestamp of the moment, with the time of day if wanted.
  public func timestamp(isActive: Bool, withTime: Bool = true) -> OrgTimestamp {
    let (year, month, day) = day.date
    return OrgTimestamp(year: year, month: month, day: day, time: withTime ? time : nil, isActive: isActive)
  }
}
