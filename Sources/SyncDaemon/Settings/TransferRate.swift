public import SettingsRegistry

/// A rate of transfers, or a timetable of rates, in rclone's form: `1M`, or `08:00,512k 18:00,10M Sat-00:00,off`.
///
/// A unit is required: `B`, `k`, `M` or `G` a second, in powers of 1024; `off` means unlimited. An entry of the timetable holds until
/// the next one; the last one of a day, until the first of the next day. A day's name limits an entry to that day.
public struct TransferRate: TextSettingValue, Hashable {
  /// The rate as written.
  public let text: String
  private let entries: [Entry]

  private struct Entry: Hashable {
    /// Minutes since the beginning of the week, on Sunday.
    var minute: Int
    /// Bytes a second; nil for no limit.
    var rate: Int?
  }

  /// The least rate, in bytes a second: servers end transfers that wait for longer.
  static let least = 10 << 10
  private static let days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
  private static let minutesOfDay = 24 * 60

  public static var form: SettingForm {
    let rate = #"([0-9]+(\.[0-9]+)?[BkKMG]|off)"#
    return SettingForm(
      "a rate of at least 10k such as \"1M\", or a timetable such as \"08:00,512k 18:00,off\"",
      schema: [
        "type": "string",
        "pattern": .string("^(\(rate)|(([A-Za-z]{3}-)?[0-9]{2}:[0-9]{2},\(rate) *)+)$"),
      ])
  }

  public init?(text: String) {
    self.text = text
    let words = text.split(separator: " ").map(String.init)
    if words.count == 1, let rate = Self.rate(words[0]) {
      entries = [Entry(minute: 0, rate: rate)]
      return
    }
    var entries: [Entry] = []
    for word in words {
      guard let read = Self.entries(word) else { return nil }
      entries += read
    }
    guard !entries.isEmpty else { return nil }
    // A later word for the same minute counts.
    let last = Dictionary(entries.map { ($0.minute, $0) }, uniquingKeysWith: { $1 })
    self.entries = last.values.sorted { $0.minute < $1.minute }
  }

  /// Returns the rate in bytes a second at a minute of the week, which begins on Sunday; nil for no limit.
  public func rate(atMinuteOfWeek minute: Int) -> Int? {
    (entries.last { $0.minute <= minute } ?? entries.last)?.rate
  }

  /// Returns the entries of a word such as `08:00,512k`, which has one for each day of the week; nil if it is not one.
  private static func entries(_ word: String) -> [Entry]? {
    let parts = word.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 2, let rate = rate(String(parts[1])) else { return nil }
    let time = parts[0].split(separator: "-", omittingEmptySubsequences: false)
    guard let clock = time.last.flatMap({ ClockTime(String($0)) }), time.count <= 2, clock.minutes < minutesOfDay else {
      return nil
    }
    guard time.count == 2 else {
      return days.indices.map { Entry(minute: $0 * minutesOfDay + clock.minutes, rate: rate) }
    }
    guard let day = days.firstIndex(of: time[0].lowercased()) else { return nil }
    return [Entry(minute: day * minutesOfDay + clock.minutes, rate: rate)]
  }

  /// Returns the rate that a text such as `512k` says: the inner nil means unlimited, the outer one a mistake.
  private static func rate(_ text: String) -> Int?? {
    if text == "off" { return .some(nil) }
    let units: [Character: Double] = ["B": 1, "k": 0x1p10, "K": 0x1p10, "M": 0x1p20, "G": 0x1p30]
    let digits = text.dropLast()
    guard let unit = text.last.flatMap({ units[$0] }), let number = Double(digits),
      digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") })
    else { return nil }
    let rate = number * unit
    guard rate >= Double(least), rate < 1e15 else { return nil }
    return .some(Int(rate))
  }
}

/// A time of day: `08:00`.
struct ClockTime: Hashable, Sendable {
  /// Minutes since midnight, up to 24:00.
  let minutes: Int

  /// Nil if `text` is not a time from 00:00 to 24:00.
  init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ $0.count == 2 && $0.allSatisfy { $0.isASCII && $0.isNumber } }),
      let hour = Int(parts[0]), let minute = Int(parts[1]), minute < 60, hour * 60 + minute <= 24 * 60
    else { return nil }
    minutes = hour * 60 + minute
  }
}
