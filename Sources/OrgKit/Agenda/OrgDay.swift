/// A calendar day, independent of time zones.
public struct OrgDay: Hashable, Sendable {
  /// The number of days since 1 January 1970.
  public let number: Int

  /// The day with this number.
  public init(number: Int) { self.number = number }

  /// The day of a date. Months and days out of range overflow, as in Org: the 31st of February is early in March. A number beyond a
  /// thousand million counts as that.
  public init(year: Int, month: Int, day: Int) {
    let (year, month, day) = (year.boundedAsWritten, month.boundedAsWritten, day.boundedAsWritten)
    // Converts a date to days, as in Howard Hinnant's "chrono-Compatible Low-Level Date Algorithms".
    let months = year * 12 + month - 3
    let (shiftedYear, shiftedMonth) = (months.quotient(by: 12), months.remainder(by: 12))
    let era = shiftedYear.quotient(by: 400)
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * shiftedMonth + 2) / 5 + day - 1
    number = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// Year, month from 1 to 12, and day of the month.
  public var date: (year: Int, month: Int, day: Int) {
    let shifted = number + 719_468
    let era = shifted.quotient(by: 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }

  /// The weekday, from 1 for Monday to 7 for Sunday.
  public var weekday: Int { (number + 3).remainder(by: 7) + 1 }

  /// The ISO 8601 week number: a week belongs to the year of its Thursday.
  public var week: Int {
    let thursday = OrgDay(number: number + 4 - weekday)
    return (thursday.number - OrgDay(year: thursday.date.year, month: 1, day: 1).number) / 7 + 1
  }
}

extension OrgDay: Strideable {
  /// Returns the number of days to another day.
  public func distance(to other: OrgDay) -> Int { other.number - number }

  /// Returns the day a number of days later.
  public func advanced(by days: Int) -> OrgDay { OrgDay(number: number + days) }
}

extension Int {
  /// The quotient rounded down, also for negative numbers.
  func quotient(by divisor: Int) -> Int { self >= 0 ? self / divisor : (self - divisor + 1) / divisor }

  /// The remainder of the floored division; never negative.
  func remainder(by divisor: Int) -> Int { self - quotient(by: divisor) * divisor }
}
