internal import CPOSIX
import SyncKit

/// A timestamp for a terminal: `2026-01-15 09:30:00 +0100`, in the time zone of `TZ` or of the system. JSON and logs use UTC.
struct LocalTime: CustomStringConvertible {
  let description: String

  init(_ time: Timestamp) {
    let offset = posix_utc_offset(time.seconds)
    // Local time as if it were UTC, so that CivilTime can split it.
    let local = CivilTime(Timestamp(seconds: time.seconds + offset)).description
    description = "\(local.replacing("T", with: " ").dropLast()) \(Self.zone(offset))"
  }

  /// Returns the offset from UTC as hours and minutes: `+0100`.
  private static func zone(_ offset: Int64) -> String {
    let minutes = abs(offset) / 60
    let number = String(minutes / 60 * 100 + minutes % 60)
    return (offset < 0 ? "-" : "+") + String(repeating: "0", count: max(0, 4 - number.count)) + number
  }
}
