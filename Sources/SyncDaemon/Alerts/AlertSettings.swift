package import OrgKit
public import SyncKit

/// The table `[alerts]`: which dates of entries the service announces, when and how.
public struct AlertSettings: PluginSettings {
  @Setting("As a service: announce the dates of entries.")
  public var on = true
  @Setting(
    "First alert, this long before a time, or off. The property APPT_WARNTIME of an entry, in minutes, has priority.")
  public var first = AlertLead(.seconds(900))
  @Setting("Second alert, this long before a date, or off.")
  public var second = AlertLead(.zero)
  @Setting("First alert of a deadline, this long before it, or off.")
  public var deadlineFirst = AlertLead(.seconds(86_400))
  @Setting("Time of day for the alerts of dates without a time.")
  public var dayTime = DayTime(minutes: 540)
  @Setting("Kinds of dates to announce.")
  public var kinds: [AlertKind] = AlertKind.allCases
  @Setting("Query that selects the entries, in the words of `syncd search`.")
  public var query = ".t.silent"
  @Setting("Show no alerts in these hours, but after them.")
  public var quietHours: [ClockSpan] = []
  @Setting("Show the titles of entries.")
  public var showTitles = true
  @Setting(
    "Command to run for each alert, without a shell, with the alert as JSON on standard input. Default: notify-send, if there is a desktop session."
  )
  public var command: [String] = []

  public init() {}

  public var contradictions: [String] {
    do {
      _ = try OrgQuery(query)
      return []
    } catch { return ["`query` of [alerts] is not a query: \(error)"] }
  }

  /// The rules for planning.
  package var rules: OrgAlertRules {
    var rules = OrgAlertRules()
    (rules.first, rules.second, rules.deadlineFirst) = (first.minutes, second.minutes, deadlineFirst.minutes)
    rules.dayMinute = dayTime.minutes
    rules.kinds = Set(kinds.map(\.kind))
    return rules
  }
}

/// The kinds of dates that can be announced.
public enum AlertKind: String, Sendable, CaseIterable, SettingValue {
  /// The scheduled date.
  case scheduled
  /// The deadline.
  case deadline
  /// An active timestamp in title or text.
  case timestamp

  var kind: OrgAlert.Kind {
    switch self {
    case .scheduled: .scheduled
    case .deadline: .deadline
    case .timestamp: .timestamp
    }
  }
}

/// The time from an alert to its date: a duration, or `off` for no alert.
public struct AlertLead: TextSettingValue, Hashable {
  private let duration: Duration?

  /// An alert this long before the date.
  public init(_ duration: Duration) { self.duration = duration }

  public static var form: SettingForm {
    SettingForm(
      "a duration such as \"15m\", or \"off\"",
      schema: ["type": "string", "pattern": "^(off|(?=.)([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?)$"])
  }

  public init?(text: String) {
    guard text != "off" else {
      duration = nil
      return
    }
    guard let duration = Duration(text: text) else { return nil }
    self.duration = duration
  }

  public var text: String { duration?.text ?? "off" }

  /// The whole minutes; nil for no alert.
  var minutes: Int? { duration.map { Int($0.components.seconds / 60) } }
}

/// A time of day such as `09:00`.
public struct DayTime: TextSettingValue, Hashable {
  /// Minutes since midnight.
  public let minutes: Int

  /// A minute of the day, 0 to 1439.
  public init(minutes: Int) { self.minutes = minutes }

  public static var form: SettingForm {
    SettingForm(
      "a time of day such as \"09:00\"", schema: ["type": "string", "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$"])
  }

  public init?(text: String) {
    guard let time = ClockTime(text), time.minutes < 24 * 60 else { return nil }
    minutes = time.minutes
  }

  public var text: String { "\(OrgTimestamp.Time(hour: minutes / 60, minute: minutes % 60).padded)" }
}
