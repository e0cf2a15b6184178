internal import CPOSIX
internal import OrgKit
internal import SyncKit

/// A timestamp in local time, which Org's dates use.
struct LocalTime: Hashable, Sendable {
  let day: OrgDay
  /// The time as Emacs stamps files: `2026-01-15 09:00:00`.
  let stamp: String

  init(_ time: Timestamp) {
    var parts = [CInt](repeating: 0, count: 6)
    unsafe posix_local_time(time.seconds, &parts)
    let (year, month, date) = (Int(parts[0]), Int(parts[1]), Int(parts[2]))
    day = OrgDay(year: year, month: month, day: date)
    // UTC offsets are whole minutes, so the seconds are the same.
    let clock = [Int(parts[4]), Int(parts[5]), CivilTime(time).second].map(Self.twoDigits).joined(separator: ":")
    stamp = "\(year)-\(Self.twoDigits(month))-\(Self.twoDigits(date)) \(clock)"
  }

  private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
