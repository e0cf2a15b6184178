/// A timestamp such as `<2024-05-06 Mon 10:00-11:30 +1w -2d>`.
///
/// Parsing keeps what matters for order and display; the bytes in the file stay unchanged.
public struct OrgTimestamp: Sendable, Hashable {
  /// A time of day.
  public struct Time: Sendable, Hashable, Comparable {
    /// 0 to 24; Org lets a day end at 24:00.
    public var hour: Int
    /// 0 to 59.
    public var minute: Int

    /// The time `hour:minute`.
    public init(hour: Int, minute: Int) {
      self.hour = hour
      self.minute = minute
    }

    /// Earlier times come first.
    public static func < (left: Time, right: Time) -> Bool {
      (left.hour, left.minute) < (right.hour, right.minute)
    }
  }

  /// True for angle brackets, which put the entry on the agenda.
  public var isActive: Bool
  /// The year.
  public var year: Int
  /// The month, 1 to 12.
  public var month: Int
  /// The day, 1 to 31.
  public var day: Int
  /// The time, or the start of a time range.
  public var time: Time?
  /// The end of a time range within the day.
  public var endTime: Time?
  /// The repeater as written: `+1w`, `++1m`, `.+2d/4d`.
  public var repeater: String?
  /// The warning period or delay as written: `-3d`, `--1d`.
  public var delay: String?

  /// Parses a timestamp with its brackets; returns nil if it is invalid.
  public init?(_ text: String) {
    self.init(Array(text.utf8)[...])
  }

  init?(_ bytes: Bytes) {
    guard let date = Self.date(of: bytes) else { return nil }
    (isActive, year, month, day) = date
    bytes.dropFirst(11).dropLast().forEachPart(between: \.isBlankOrNewline) { read($0) }
  }

  /// Returns true if the bytes are a timestamp with its brackets.
  static func isOne(_ bytes: Bytes) -> Bool { date(of: bytes) != nil }

  private static func date(of bytes: Bytes) -> (isActive: Bool, year: Int, month: Int, day: Int)? {
    let text = bytes.span
    guard text.count >= 12, let isActive = isActive(text[0], text[text.count - 1]) else { return nil }
    guard let year = text.number(1, 5), text[5] == UInt8(ascii: "-"), let month = text.number(6, 8),
      text[8] == UInt8(ascii: "-"), let day = text.number(9, 11), text[11].isBlank || text.count == 12
    else { return nil }
    return (isActive, year, month, day)
  }

  private static func isActive(_ open: UInt8, _ close: UInt8) -> Bool? {
    switch (open, close) {
    case (UInt8(ascii: "<"), UInt8(ascii: ">")): true
    case (UInt8(ascii: "["), UInt8(ascii: "]")): false
    default: nil
    }
  }

  private mutating func read(_ word: Bytes) {
    switch word.first {
    case UInt8(ascii: "-"): delay = word.string
    case UInt8(ascii: "+"): repeater = word.string
    case UInt8(ascii: "."): if word.span.has(".+", at: 0) { repeater = word.string }
    default: readTime(word)
    }
  }

  private mutating func readTime(_ word: Bytes) {
    let text = word.span
    let end = text.first(UInt8(ascii: "-"), from: 0, to: text.count)
    guard let clock = Self.time(text, 0, end) else { return }
    time = clock
    endTime = end < text.count ? Self.time(text, end + 1, text.count) : nil
  }

  private static func time(_ text: Span<UInt8>, _ start: Int, _ end: Int) -> Time? {
    let colon = end - 3
    guard start < colon, text[colon] == .colon, let hour = text.number(start, colon),
      let minute = text.number(colon + 1, end)
    else { return nil }
    return Time(hour: hour, minute: minute)
  }

  /// The sort key: a date without a time comes before all times of its day.
  var moment: [Int] { [year, month, day, time?.hour ?? -1, time?.minute ?? -1] }
}

extension Span<UInt8> {
  /// Returns the number of one to four digits between two positions; nil for anything else.
  fileprivate func number(_ start: Int, _ end: Int) -> Int? {
    guard 1...4 ~= end - start else { return nil }
    var number = 0
    for position in start..<end {
      guard self[position].isDigit else { return nil }
      number = number * 10 + Int(self[position] - UInt8(ascii: "0"))
    }
    return number
  }
}

extension ArraySlice<UInt8> {
  /// The maximum length of a timestamp.
  private static var longestTimestamp: Int { 100 }

  /// Returns the first timestamp of the given kind.
  func firstTimestamp(isActive: Bool) -> Bytes? {
    let (open, close): (UInt8, UInt8) =
      isActive ? (UInt8(ascii: "<"), UInt8(ascii: ">")) : (UInt8(ascii: "["), UInt8(ascii: "]"))
    let bytes = span
    var start = 0
    while true {
      let opening = bytes.first(open, from: start, to: bytes.count)
      start = opening + 1
      guard start < bytes.count else { return nil }
      guard bytes[start].isDigit else { continue }
      let limit = bytes.lineEnd(from: start, to: Swift.min(start + Self.longestTimestamp, bytes.count))
      let closing = bytes.first(close, from: start, to: limit)
      guard closing < limit else { continue }
      let stamp = self[(startIndex + opening)...(startIndex + closing)]
      if OrgTimestamp.isOne(stamp) { return stamp }
    }
  }

  /// All inactive timestamps of a line.
  var inactiveTimestamps: [Bytes] {
    var found: [Bytes] = []
    var rest = self
    while let stamp = rest.firstTimestamp(isActive: false) {
      found.append(stamp)
      rest = rest[stamp.endIndex...]
    }
    return found
  }
}

// MARK: - Writing

extension OrgTimestamp: CustomStringConvertible {
  /// Creates a timestamp of a day, with a time if given.
  public init(year: Int, month: Int, day: Int, time: Time? = nil, isActive: Bool = true) {
    (self.year, self.month, self.day) = (year, month, day)
    (self.time, self.isActive) = (time, isActive)
  }

  /// The timestamp in Org's format, with the English name of the weekday.
  public var description: String {
    let date = "\(padded(year, to: 4))-\(padded(month, to: 2))-\(padded(day, to: 2))"
    let clock = time.map { start in endTime.map { "\(start)-\($0)" } ?? "\(start)" }
    let content = [date, weekday, clock, repeater, delay].compactMap(\.self).joined(separator: " ")
    return isActive ? "<\(content)>" : "[\(content)]"
  }

  /// The weekday; nil for a year that Org cannot write.
  private var weekday: String? {
    guard 0...9999 ~= year, 0...99 ~= month, 0...99 ~= day else { return nil }
    return ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"][OrgDay(year: year, month: month, day: day).weekday - 1]
  }

  /// True if the date and the times exist, and the text parses as this timestamp.
  var exists: Bool {
    guard 0...9999 ~= year, 1...12 ~= month, 1...31 ~= day else { return false }
    let date = OrgDay(year: year, month: month, day: day).date
    return date == (year, month, day) && [time, endTime].allSatisfy { $0?.exists ?? true }
      && OrgTimestamp(description) == self
  }
}

extension OrgTimestamp.Time {
  fileprivate var exists: Bool { 0...23 ~= hour && 0...59 ~= minute || hour == 24 && minute == 0 }
}

extension OrgTimestamp.Time: CustomStringConvertible {
  /// The time in hours and minutes, `09:30`.
  public var description: String { "\(padded(hour, to: 2)):\(padded(minute, to: 2))" }
}

private func padded(_ number: Int, to width: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
