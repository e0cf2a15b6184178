/// The announcement of a date of an entry: the first or the second one.
public struct OrgAlert: Sendable, Hashable {
  /// The kind of date.
  public enum Kind: String, Sendable, CaseIterable {
    /// The scheduled date.
    case scheduled
    /// The deadline.
    case deadline
    /// An active timestamp in title or text, or the first one of a range.
    case timestamp
  }

  /// The entry.
  public var item: OrgItem
  /// The kind of date.
  public var kind: Kind
  /// The wall time of the date. A date without a time has that of ``OrgAlertRules/dayMinute``.
  public var date: OrgMoment
  /// True if the date has a time of day.
  public var hasTime: Bool
  /// 1 for the first alert, 2 for the second one.
  public var number: Int
  /// The time at which the alert is due, in seconds since 1970.
  public var due: Int

  /// The identifier of this date of the entry: 16 hexadecimal digits. It stays the same while the date does, and the entry keeps its
  /// ID, or without one its file and titles.
  public let dateID: String

  /// The identifier of the alert.
  public let id: String

  init(_ item: OrgItem, _ kind: Kind, _ date: OrgMoment, hasTime: Bool, number: Int, due: Int) {
    (self.item, self.kind, self.date, self.hasTime) = (item, kind, date, hasTime)
    (self.number, self.due) = (number, due)
    let entry = item.id.map { [$0] } ?? [item.file] + item.path
    let parts = entry + [kind.rawValue, "\(date.wallMinutes)", hasTime ? "time" : "day"]
    let digits = String(UInt64(bitPattern: stableFingerprint(Array(parts.joined(separator: "\u{1F}").utf8))), radix: 16)
    dateID = String(repeating: "0", count: 16 - digits.count) + digits
    id = "\(dateID)-\(number)"
  }
}

extension OrgAlert: Comparable {
  /// Alerts that are due earlier come first, then those of earlier entries.
  public static func < (left: OrgAlert, right: OrgAlert) -> Bool {
    (left.due, left.item.file, left.item.line, left.id) < (right.due, right.item.file, right.item.line, right.id)
  }
}

/// When dates are announced.
public struct OrgAlertRules: Sendable, Hashable {
  /// The minutes from the first alert to a time; nil for none. The property `APPT_WARNTIME` of an entry has priority.
  public var first: Int? = 15
  /// The minutes from the second alert to a date; nil for none.
  public var second: Int? = 0
  /// The minutes from the first alert to a deadline, with or without a time; nil for none.
  public var deadlineFirst: Int? = 1_440
  /// The minute of the day that counts as the time of dates without one.
  public var dayMinute = 540
  /// The kinds of dates that are announced.
  public var kinds = Set(OrgAlert.Kind.allCases)

  /// The defaults.
  public init() {}

  /// Returns the numbers of the alerts of a date, with the minutes from each to the date.
  func leads(_ kind: OrgAlert.Kind, hasTime: Bool, of item: OrgItem) -> [(number: Int, minutes: Int)] {
    let own = hasTime ? Self.ownLead(of: item) : nil
    let first = own ?? (kind == .deadline ? deadlineFirst : hasTime ? self.first : nil)
    let alerts = [(1, first == second ? nil : first), (2, second)]
    return alerts.compactMap { number, minutes in minutes.map { (number, $0) } }
  }

  /// The greatest number of whole days from an alert to its date that an item needs.
  func longestLead(of item: OrgItem?) -> Int {
    let leads = [item.flatMap(Self.ownLead) ?? 0, first ?? 0, second ?? 0, deadlineFirst ?? 0]
    return max(0, leads.max() ?? 0) / 1_440 + 1
  }

  /// The minutes that an entry sets by its property, up to a year.
  private static func ownLead(of item: OrgItem) -> Int? {
    item[property: "APPT_WARNTIME"].flatMap { Int(written: $0) }.flatMap { $0 < 0 ? nil : min($0, maximum) }
  }

  /// The longest time from an alert to its date that counts: a year.
  private static let maximum = 366 * 1_440
}
