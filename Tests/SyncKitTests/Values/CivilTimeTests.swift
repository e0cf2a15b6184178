import Testing

@testable import SyncKit

@Suite("Calendar dates")
struct CivilTimeTests {
  @Test(
    "dates match the calendar",
    arguments: [
      (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"), (86_399, "1970-01-01T23:59:59Z"),
      (951_782_399, "2000-02-28T23:59:59Z"), (951_782_400, "2000-02-29T00:00:00Z"),
      (951_868_800, "2000-03-01T00:00:00Z"),
      (1_709_210_096, "2024-02-29T12:34:56Z"), (1_740_787_199, "2025-02-28T23:59:59Z"),
      (1_740_787_200, "2025-03-01T00:00:00Z"), (2_147_483_648, "2038-01-19T03:14:08Z"),
      (4_107_542_400, "2100-03-01T00:00:00Z"), (4_107_542_399, "2100-02-28T23:59:59Z"),
      (-2_203_891_200, "1900-03-01T00:00:00Z"), (-2_203_891_201, "1900-02-28T23:59:59Z"),
      (-86_400, "1969-12-31T00:00:00Z"), (-86_401, "1969-12-30T23:59:59Z"),
    ])
  func table(seconds: Int64, expected: String) {
    #expect(CivilTime(Timestamp(seconds: seconds)).description == expected)
  }

  @Test("each day is one later, for four hundred years")
  func everyDay() {
    var (year, month, day) = (1770, 1, 1)
    for number in -73_048...100_000 {
      let time = CivilTime(Timestamp(seconds: Int64(number) * 86_400 + 1))
      guard (time.year, time.month, time.day) == (year, month, day) else {
        Issue.record("day \(number) is not \(year)-\(month)-\(day) but \(time)")
        return
      }
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      let length = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
      day += 1
      if day > length { (month, day) = (month + 1, 1) }
      if month > 12 { (year, month) = (year + 1, 1) }
    }
  }

  @Test("every timestamp of a server or a disk has a date", arguments: [Int64.min, .min + 1, -1, 0, 1, .max])
  func extremes(nanoseconds: Int64) {
    let time = Timestamp(nanoseconds: nanoseconds)
    #expect(time.seconds == Int64((Double(nanoseconds) / 1e9).rounded(.down)) || abs(nanoseconds) > 1 << 53)
    #expect((1677...2262).contains(CivilTime(time).year))
    #expect((1677...2262).contains(CivilTime(Timestamp(seconds: nanoseconds)).year))
  }
}
