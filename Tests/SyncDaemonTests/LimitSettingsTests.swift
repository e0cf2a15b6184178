import SyncKit
import Testing

@testable import SyncDaemon

@Suite("The settings that limit transfers") struct LimitSettingsTests {
  /// Returns the rate at a time such as `Tue 09:30`, in KiB a second.
  private func rate(_ text: String, _ day: Int, _ hour: Int, _ minute: Int = 0) throws -> Int? {
    try #require(TransferRate(text: text)).rate(atMinuteOfWeek: (day * 24 + hour) * 60 + minute).map { $0 >> 10 }
  }

  @Test("a timetable of rclone's manual means what the manual says")
  func timetable() throws {
    let daily = "08:00,512k 12:00,10M 13:00,512k 18:00,30M 23:00,off"
    #expect(try rate(daily, 3, 8) == 512)
    #expect(try rate(daily, 3, 11, 59) == 512)
    #expect(try rate(daily, 3, 12) == 10 << 10)
    #expect(try rate(daily, 3, 22, 59) == 30 << 10)
    #expect(try rate(daily, 3, 23) == nil)
    #expect(try rate(daily, 0, 7, 59) == nil)
    let weekly = "Mon-00:00,512k Fri-23:59,10M Sat-10:00,1M Sun-20:00,off"
    #expect(try rate(weekly, 1, 0) == 512)
    #expect(try rate(weekly, 5, 23, 58) == 512)
    #expect(try rate(weekly, 5, 23, 59) == 10 << 10)
    #expect(try rate(weekly, 6, 10) == 1 << 10)
    #expect(try rate(weekly, 0, 19) == 1 << 10)
    #expect(try rate(weekly, 0, 20) == nil)
    #expect(try rate("1.5M", 2, 2) == 1536)
  }

  @Test(
    "a rate needs a unit and a sensible value",
    arguments: [
      "", "1", "1m", "9k", "0", "-1M", "1M 2M", "25:00,1M", "24:00,1M", "8:00,1M", "Foo-08:00,1M", "08:00", "a,1M",
    ])
  func mistakes(text: String) { #expect(TransferRate(text: text) == nil) }

  @Test("hours may go over midnight")
  func spans() throws {
    let night = try #require(ClockSpan(text: "22:00-07:00"))
    #expect(
      [22 * 60, 0, 7 * 60 - 1].allSatisfy(night.contains)
        && ![7 * 60, 12 * 60, 22 * 60 - 1].contains(where: night.contains))
    let noon = try #require(ClockSpan(text: "12:00-13:30"))
    #expect(noon.contains(minuteOfDay: 13 * 60 + 29) && !noon.contains(minuteOfDay: 13 * 60 + 30))
    #expect(try (0..<1_440).allSatisfy(#require(ClockSpan(text: "00:00-24:00")).contains))
    for text in ["22:00", "22:00-22:00", "7-9", "22:00-25:00", ""] { #expect(ClockSpan(text: text) == nil) }
  }

  @Test("a remote waits for the first condition that does not hold; an unknown state does not count")
  func conditions() {
    var daemon = DaemonSettings()
    daemon.onlyOn = [.mains, .unmetered]
    let now = Timestamp(seconds: 1_700_000_000)
    let all = Restraint(RemoteSettings(), daemon)
    #expect(all.reason(at: now, MachineState()) == nil)
    #expect(all.reason(at: now, MachineState(isOnBattery: true))?.contains("mains") == true)
    #expect(all.reason(at: now, MachineState(isOnBattery: false, isMetered: true))?.contains("metered") == true)
    var remote = RemoteSettings()
    remote.onlyOn = []
    #expect(Restraint(remote, daemon).isNone)
    remote.quietHours = [ClockSpan(text: "00:00-24:00")].compactMap(\.self)
    #expect(Restraint(remote, daemon).reason(at: now, MachineState())?.contains("24:00") == true)
  }
}
