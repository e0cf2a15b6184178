/// Times of day in a text, as the agenda reads them: `9:30`, `10:00-11:30`, `3pm`, `9am--10:15am`.
struct TimeOfDay: Hashable {
  /// The start as hours and minutes.
  var start: OrgTimestamp.Time
  /// The end, if the text is a range.
  var end: OrgTimestamp.Time?
  /// The characters of the time in its text.
  var text: String

  /// Parses the first time in a text.
  init?(in text: String) {
    guard text.mayHaveTime else { return nil }
    var place = text.startIndex
    var isBehindWord = false
    while place < text.endIndex {
      if !isBehindWord, let (time, rest) = Self.time(text[place...]) {
        start = time
        (end, self.text) = (nil, String(text[place..<rest.startIndex]))
        if let (last, behind) = Self.end(rest) {
          end = last
          self.text = String(text[place..<behind.startIndex])
        }
        return
      }
      isBehindWord = text[place].isWordCharacter
      place = text.index(after: place)
    }
    return nil
  }

  /// The time as Org's number `930`.
  var military: Int { start.hour * 100 + start.minute }

  /// The minutes between start and end; nil without an end.
  var duration: Int? { end.map { $0.hour * 60 + $0.minute - start.hour * 60 - start.minute } }

  private static func end(_ text: Substring) -> (OrgTimestamp.Time, Substring)? {
    let dashes = text.prefix { $0 == "-" }
    guard 1...2 ~= dashes.count else { return nil }
    return time(text.dropFirst(dashes.count))
  }

  /// Parses a time at the start of a text, and returns what follows.
  private static func time(_ text: Substring) -> (OrgTimestamp.Time, Substring)? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard 1...2 ~= digits.count, var hour = Int(digits), digits.count == 1 || hour < 30 else { return nil }
    var rest = text.dropFirst(digits.count)
    var minute = 0
    if rest.first == ":" {
      let digits = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
      guard digits.count == 2, let number = Int(digits), number < 60 else { return nil }
      minute = number
      rest = rest.dropFirst(3)
    }
    let suffix = rest.prefix(2).lowercased()
    if suffix == "am" || suffix == "pm" {
      rest = rest.dropFirst(2)
      hour = hour == 12 ? (suffix == "am" ? 0 : 12) : hour + (suffix == "am" ? 0 : 12)
    } else if text.dropFirst(digits.count).first != ":" {
      return nil
    }
    guard !(rest.first?.isWordCharacter ?? false) else { return nil }
    return (OrgTimestamp.Time(hour: hour, minute: minute), rest)
  }
}

extension String {
  /// True if a digit is followed by a colon, or by the first letter of am or pm, as in every time of day.
  fileprivate var mayHaveTime: Bool {
    var isBehindDigit = false
    for byte in utf8 {
      if isBehindDigit, byte == .colon || byte.lowercased == UInt8(ascii: "a") || byte.lowercased == UInt8(ascii: "p") {
        return true
      }
      isBehindDigit = byte.isDigit
    }
    return false
  }
}

extension Character {
  /// True for letters and digits.
  var isWordCharacter: Bool { isLetter || isNumber }
}

extension OrgTimestamp.Time {
  /// The time as in the agenda: ` 8:45`; a time after midnight of the next day is `+1:00`.
  var inAgenda: String {
    let minutes = minute < 10 ? "0\(minute)" : "\(minute)"
    return hour > 24 || (hour == 24 && minute > 0) ? "+\(hour - 24):\(minutes)" : "\(hour):\(minutes)"
  }
}
