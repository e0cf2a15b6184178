import OrgKit
public import SettingsRegistry
import SyncKit

/// A span of each day, such as `22:00-07:00`.
public struct ClockSpan: TextSettingValue, Hashable {
  /// The span as written.
  public let text: String
  private let start: Int
  private let end: Int

  public static var form: SettingForm {
    SettingForm(
      "a span of each day such as \"22:00-07:00\"",
      schema: ["type": "string", "pattern": "^[0-9]{2}:[0-9]{2}-[0-9]{2}:[0-9]{2}$"])
  }

  /// Nil if `text` is not two different times of day.
  public init?(text: String) {
    let times = text.split(separator: "-", omittingEmptySubsequences: false).map { ClockTime(String($0)) }
    guard times.count == 2, let start = times[0], let end = times[1], start != end else { return nil }
    (self.text, self.start, self.end) = (text, start.minutes, end.minutes)
  }

  /// Returns true if the span contains this minute of the day. A span whose end comes before its start goes over midnight.
  public func contains(minuteOfDay minute: Int) -> Bool {
    start < end ? start <= minute && minute < end : start <= minute || minute < end
  }

  /// The end of the span, as a time of day.
  var endText: String { text.split(separator: "-").last.map(String.init) ?? "" }
}

/// A timestamp in the time zone of the process, as days and minutes.
struct LocalClock {
  /// Minutes since the beginning of the week, on Sunday.
  let minuteOfWeek: Int

  init(_ time: Timestamp) {
    let week = 7 * 24 * 60
    // 1970 began on a Thursday.
    let minutes = OrgZone.local.moment(at: Int(time.seconds)).wallMinutes + 4 * 24 * 60
    minuteOfWeek = (minutes % week + week) % week
  }

  /// Minutes since midnight.
  var minuteOfDay: Int { minuteOfWeek % (24 * 60) }
}
