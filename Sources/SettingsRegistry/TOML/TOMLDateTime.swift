/// A date, a time of day, or both, with or without an offset from UTC: the four kinds that TOML has.
public enum TOMLDateTime: Sendable, Hashable {
  /// A moment: date and time with the offset from UTC in minutes.
  case offset(Day, Time, minutes: Int)
  /// A date and time of an unnamed time zone.
  case local(Day, Time)
  /// A day.
  case date(Day)
  /// A time of any day.
  case time(Time)

  /// A day of the Gregorian calendar.
  public struct Day: Sendable, Hashable {
    public let year, month, day: Int
  }

  /// A time of day; digits finer than nanoseconds are cut off.
  public struct Time: Sendable, Hashable {
    public let hour, minute, second, nanosecond: Int
  }
}

extension TOMLDateTime: CustomStringConvertible {
  /// As TOML writes it (RFC 3339).
  public var description: String {
    switch self {
    case .offset(let day, let time, let minutes): "\(day)T\(time)\(Self.offset(minutes))"
    case .local(let day, let time): "\(day)T\(time)"
    case .date(let day): "\(day)"
    case .time(let time): "\(time)"
    }
  }

  private static func offset(_ minutes: Int) -> String {
    guard minutes != 0 else { return "Z" }
    let size = abs(minutes)
    return (minutes < 0 ? "-" : "+") + padded(size / 60, to: 2) + ":" + padded(size % 60, to: 2)
  }
}

extension TOMLDateTime.Day: CustomStringConvertible {
  /// `1979-05-27`.
  public var description: String { "\(padded(year, to: 4))-\(padded(month, to: 2))-\(padded(day, to: 2))" }
}

extension TOMLDateTime.Time: CustomStringConvertible {
  /// `07:32:00.5`.
  public var description: String {
    let whole = "\(padded(hour, to: 2)):\(padded(minute, to: 2)):\(padded(second, to: 2))"
    guard nanosecond > 0 else { return whole }
    let digits = padded(nanosecond, to: 9)
    return whole + "." + digits.prefix(through: digits.lastIndex { $0 != "0" } ?? digits.startIndex)
  }
}

private func padded(_ number: Int, to width: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
