internal import CPOSIX
internal import OrgKit
internal import SyncKit

/// A moment in the time of this place, by which Org reckons.
struct LocalTime: Hashable, Sendable {
  let day: OrgDay
  /// As Emacs stamps files with it: `2026-01-15 09:00:00`.
  let stamp: String

  init(_ time: Timestamp) {
    var parts = [CInt](repeating: 0, count: 6)
    unsafe posix_local_time(time.seconds, &parts)
    let (year, month, date) = (Int(parts[0]), Int(parts[1]), Int(parts[2]))
    day = OrgDay(year: year, month: month, day: date)
    // Places differ in whole minutes, so seconds are the same everywhere.
    let clock = [Int(parts[4]), Int(parts[5]), CivilTime(time).second].map(Self.twoDigits).joined(separator: ":")
    stamp = "\(year)-\(Self.twoDigits(month))-\(Self.twoDigits(date)) \(clock)"
  }

  private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
