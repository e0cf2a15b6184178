/// The name under which the losing version of a conflict is kept beside the file.
public enum ConflictName {
  /// `NAME.conflict-YYYYMMDDTHHMMSSZ-WHO.EXT`, a function of the losing version alone, so that two devices that meet the
  /// same conflict choose the same name.
  ///
  /// - Parameters:
  ///   - path: the file that the conflict is about.
  ///   - time: when the losing version was written; a version without a time counts as written in 1970.
  ///   - who: the replica or author of the losing version; its letters and digits are used.
  ///   - digest: of the losing version; its first digits break ties.
  public static func path(for path: SyncPath, time: Timestamp?, who: String, digest: Digest) -> SyncPath {
    let author = who.unicodeScalars.filter { isLetterOrDigit($0) }.prefix(20)
    let mark = ".conflict-\(stamp(time ?? Timestamp(nanoseconds: 0)))-\(String(String.UnicodeScalarView(author)))"
    let infix = Array((mark + digest.description.prefix(6)).utf8)
    let (stem, suffix) = split(path.name)
    let name = shortened(stem, toFit: 255 - infix.count - suffix.count) + infix + suffix
    return path.sibling(name) ?? path
  }

  private static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
    ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
  }

  /// The name without its last extension, and the extension with its dot. A leading dot begins no extension.
  private static func split(_ name: ArraySlice<UInt8>) -> (stem: [UInt8], suffix: [UInt8]) {
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex, name.endIndex - dot <= 32 else {
      return (Array(name), [])
    }
    return (Array(name[..<dot]), Array(name[dot...]))
  }

  /// Cuts a name to so many bytes without splitting a UTF-8 sequence.
  private static func shortened(_ stem: [UInt8], toFit length: Int) -> [UInt8] {
    var end = min(stem.count, max(1, length))
    while end > 1, end < stem.count, stem[end] & 0xC0 == 0x80 { end -= 1 }
    return Array(stem[..<end])
  }

  private static func stamp(_ time: Timestamp) -> String {
    let date = CivilTime(time)
    return digits(date.year, 4) + digits(date.month, 2) + digits(date.day, 2) + "T" + digits(date.hour, 2)
      + digits(date.minute, 2) + digits(date.second, 2) + "Z"
  }
}

/// A moment as a date and a time of day in UTC.
public struct CivilTime: Hashable, Sendable {
  public let year, month, day, hour, minute, second: Int

  /// Days to dates as in Howard Hinnant's "chrono-Compatible Low-Level Date Algorithms".
  public init(_ time: Timestamp) {
    let days = Int(time.seconds.quotient(by: 86_400))
    let rest = Int(time.seconds) - days * 86_400
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    hour = rest / 3_600
    minute = rest / 60 % 60
    second = rest % 60
  }
}

extension CivilTime: CustomStringConvertible {
  /// The moment as RFC 3339 writes it, in UTC.
  public var description: String {
    digits(year, 4) + "-" + digits(month, 2) + "-" + digits(day, 2) + "T" + digits(hour, 2) + ":" + digits(minute, 2)
      + ":" + digits(second, 2) + "Z"
  }
}

/// A number in so many decimal digits.
private func digits(_ number: Int, _ count: Int) -> String {
  let text = String(number)
  return String(repeating: "0", count: max(0, count - text.count)) + text
}

extension Int64 {
  /// The quotient rounded down, also for negative numbers.
  fileprivate func quotient(by divisor: Int64) -> Int64 {
    self >= 0 ? self / divisor : (self - divisor + 1) / divisor
  }
}
