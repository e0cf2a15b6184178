import CPOSIX
import SyncKit
import Testing

@testable import CommandLine

@Suite("Times on the command line")
struct PointInTimeTests {
  /// 2026-11-23 13:00 in UTC.
  private static let now = Timestamp(seconds: 1_795_438_800)

  private func seconds(_ text: String) -> Int64? { PointInTime(text, now: Self.now)?.time.seconds }

  /// The local time: year, month, day, weekday, hour and minute.
  private func clock(_ seconds: Int64) -> [CInt] {
    var parts = [CInt](repeating: 0, count: 6)
    unsafe posix_local_time(seconds, &parts)
    return parts
  }

  @Test(arguments: [
    ("2026-11-23T13:00:00Z", 0), ("2026-11-23 13:00Z", 0), ("2026-11-23T13:00:30Z", 30),
    ("2026-11-23T15:00:00+02:00", 0), ("2026-11-23T09:30:00-03:30", 0), ("2026-11-22T13:00:00Z", -86_400),
    ("1969-12-31T23:59:59Z", -1_795_438_801),
  ])
  func `a time with an offset means the same in every time zone`(text: String, difference: Int64) {
    #expect(seconds(text) == Self.now.seconds + difference)
  }

  @Test(
    arguments: [
      ("90m", 5_400), ("2h", 7_200), ("3d", 259_200), ("1h30m", 5_400), ("2h ago", 7_200), ("1 hour ago", 3_600),
      ("90 minutes ago", 5_400), ("2 days ago", 172_800), ("1 week ago", 604_800),
    ] as [(String, Int64)])
  func `a duration is a time before now`(text: String, length: Int64) {
    #expect(seconds(text) == Self.now.seconds - length)
  }

  @Test func `a time without an offset is local`() throws {
    let parts = clock(try #require(seconds("2026-07-15 08:05")))
    #expect([parts[0], parts[1], parts[2], parts[4], parts[5]] == [2026, 7, 15, 8, 5])
    let day = clock(try #require(seconds("2026-11-20")))
    #expect([day[0], day[1], day[2], day[4], day[5]] == [2026, 11, 20, 0, 0])
  }

  @Test func `today and yesterday begin at midnight`() throws {
    let (today, yesterday) = (try #require(seconds("today")), try #require(seconds("yesterday")))
    #expect(clock(today)[2] == clock(Self.now.seconds)[2] && today <= Self.now.seconds)
    #expect(clock(yesterday)[2] == clock(today - 1)[2] && clock(yesterday)[4...] == [0, 0])
  }

  @Test(arguments: [
    "", "soon", "-2h", "0s", "2026-02-30", "2026-13-01", "2026-11-20 24:00", "2026-11-20 08:60", "2026-11-20 8",
    "2026-11-20T08:00:00+25:00", "2026-11-20T08:00:00+01:75", "26-11-20", "2026-11-20 08:00 ",
    "ago", "2 ago", "2 years ago", "two hours ago", "99999999999999999999 weeks ago",
  ])
  func `text that is not a time is refused`(text: String) { #expect(seconds(text) == nil) }
}
