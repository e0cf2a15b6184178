/// A timestamp such as `<2024-05-06 Mon 10:00-11:30 +1w -2d>`.
///
/// Reading keeps what matters for order and display; the bytes in the file stay as they are.
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

  /// Whether it stands in angle brackets and so appears in the agenda.
  public var isActive: Bool
  /// The year.
  public var year: Int
  /// 1 to 12.
  public var month: Int
  /// 1 to 31.
  public var day: Int
  /// The time, or the beginning of a range of times.
  public var time: Time?
  /// The end of a range of times within the day.
  public var endTime: Time?
  /// How the date repeats, as written: `+1w`, `++1m`, `.+2d/4d`.
  public var repeater: String?
  /// How early to warn or how long to wait, as written: `-3d`, `--1d`.
  public var delay: String?

  /// Reads a timestamp with its brackets; nil if it is none.
  public init?(_ text: String) {
    self.init(Array(text.utf8)[...])
  }

  init?(_ bytes: Bytes) {
    guard let open = bytes.first, let close = bytes.last, bytes.count >= 12 else { return nil }
    switch (open, close) {
    case (UInt8(ascii: "<"), UInt8(ascii: ">")): isActive = true
    case (UInt8(ascii: "["), UInt8(ascii: "]")): isActive = false
    default: return nil
    }
    let words = bytes.dropFirst().dropLast().words
    guard let date = words.first?.numbers(separator: "-", digits: [4, 2, 2]),
      words[0].startIndex == bytes.startIndex + 1
    else { return nil }
    (year, month, day) = (date[0], date[1], date[2])
    for word in words.dropFirst() { read(word) }
  }

  private mutating func read(_ word: Bytes) {
    if let clock = Self.time(word.prefix { $0 != UInt8(ascii: "-") }) {
      time = clock
      endTime = word.firstIndex(of: UInt8(ascii: "-")).flatMap { Self.time(word[($0 + 1)...]) }
    } else if word.first == UInt8(ascii: "-") {
      delay = word.string
    } else if word.first == UInt8(ascii: "+") || word.starts(with: ".+".utf8) {
      repeater = word.string
    }
  }

  private static func time(_ word: Bytes) -> Time? {
    guard let numbers = word.numbers(separator: ":", digits: [word.count - 3, 2]) else { return nil }
    return Time(hour: numbers[0], minute: numbers[1])
  }

  /// The position in time, for sorting: a date without a time comes before all times of its day.
  var moment: [Int] { [year, month, day, time?.hour ?? -1, time?.minute ?? -1] }
}

extension ArraySlice<UInt8> {
  /// The numbers of a text such as `2024-05-06`, if every one has as many digits as demanded.
  fileprivate func numbers(separator: Unicode.Scalar, digits: [Int]) -> [Int]? {
    let parts = split(separator: UInt8(ascii: separator), omittingEmptySubsequences: false)
    guard parts.count == digits.count else { return nil }
    var numbers: [Int] = []
    for (part, count) in zip(parts, digits) {
      guard part.count == count, 1...4 ~= count, part.allSatisfy(\.isDigit) else { return nil }
      numbers.append(part.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) })
    }
    return numbers
  }

  /// What is longer between brackets is no timestamp.
  private static var longestTimestamp: Int { 100 }

  /// The first timestamp at or behind the start, of the given kind.
  func firstTimestamp(isActive: Bool) -> Bytes? {
    let (open, close): (UInt8, UInt8) =
      isActive ? (UInt8(ascii: "<"), UInt8(ascii: ">")) : (UInt8(ascii: "["), UInt8(ascii: "]"))
    var start = startIndex
    while let opening = firstIndex(of: open, from: start) {
      start = opening + 1
      guard start < endIndex, self[start].isDigit else { continue }
      guard let closing = self[start...].prefix(Self.longestTimestamp).firstIndex(of: close) else { continue }
      if OrgTimestamp(self[opening...closing]) != nil { return self[opening...closing] }
    }
    return nil
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
  /// A timestamp of a day, and a time if given.
  public init(year: Int, month: Int, day: Int, time: Time? = nil, isActive: Bool = true) {
    (self.year, self.month, self.day) = (year, month, day)
    (self.time, self.isActive) = (time, isActive)
  }

  /// The timestamp as Org writes it, with the English name of the weekday.
  public var description: String {
    let date = "\(padded(year, to: 4))-\(padded(month, to: 2))-\(padded(day, to: 2)) \(weekday)"
    let clock = time.map { start in endTime.map { "\(start)-\($0)" } ?? "\(start)" }
    let content = [date, clock, repeater, delay].compactMap(\.self).joined(separator: " ")
    return isActive ? "<\(content)>" : "[\(content)]"
  }

  /// The day of the week, by Sakamoto's method.
  private var weekday: String {
    let offsets = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4]
    let shifted = month < 3 ? year - 1 : year
    let offset = (1...12).contains(month) ? offsets[month - 1] : 0
    let number = shifted + shifted / 4 - shifted / 100 + shifted / 400 + offset + day
    return ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][number % 7]
  }
}

extension OrgTimestamp.Time: CustomStringConvertible {
  /// The time in hours and minutes, `09:30`.
  public var description: String { "\(padded(hour, to: 2)):\(padded(minute, to: 2))" }
}

private func padded(_ number: Int, to width: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
