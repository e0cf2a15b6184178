/// Fills in the escapes of a template that need no answer.
struct CaptureEscapes {
  private let words: CaptureWords
  private let time: OrgMoment
  private let userName: String

  init(_ words: CaptureWords, _ time: OrgMoment, userName: String) {
    (self.words, self.time, self.userName) = (words, time, userName)
  }

  /// Returns the text with its escapes filled in. Lisp is refused, never evaluated.
  func fill(_ template: String, _ files: inout OrgFileSet) throws(Refusal) -> String {
    let template = try withFiles(template, &files)
    var (text, rest) = ("", template[...])
    while let character = rest.popFirst() {
      guard character == "%" else {
        text.append(character)
        continue
      }
      if rest.first == "(" { try refuseLisp(text, rest) }
      guard let escape = escape(rest) else {
        text.append(character)
        continue
      }
      let slashes = text.reversed().prefix { $0 == "\\" }.count
      text.removeLast((slashes + 1) / 2)
      rest = rest.dropFirst(escape.count)
      text += slashes % 2 == 1 ? "%" + escape : value(escape, behind: text)
    }
    return text
  }

  private func refuseLisp(_ text: String, _ rest: Substring) throws(Refusal) {
    guard text.reversed().prefix(while: { $0 == "\\" }).count % 2 == 0 else { return }
    let line =
      (text.split(separator: "\n", omittingEmptySubsequences: false).last ?? "") + "%" + rest.prefix { $0 != "\n" }
    throw Refusal(.needsEmacs, "the template has Lisp code, which only Emacs can evaluate: \(line)")
  }

  /// Returns the escape at the beginning of a text.
  private func escape(_ rest: Substring) -> String? {
    guard let first = rest.first else { return nil }
    if first == ":" {
      let name = rest.dropFirst().prefix { $0.isASCII && ($0.isLetter || $0 == "-") }
      return name.isEmpty ? nil : ":" + name
    }
    if first == "<" {
      guard let close = rest.firstIndex(of: ">"), !rest[..<close].contains("\n"),
        rest.index(after: rest.startIndex) < close
      else { return nil }
      return String(rest[...close])
    }
    return "aAcfFikKlLntTuUx".contains(first) ? String(first) : nil
  }

  private func value(_ escape: String, behind text: String) -> String {
    switch escape.first {
    case ":": return words.keywords[String(escape.dropFirst())] ?? ""
    case "<": return TimeFormat.string(String(escape.dropFirst().dropLast()), time)
    case "i":
      let lead = text.split(separator: "\n", omittingEmptySubsequences: false).last.map(String.init) ?? ""
      return words.initial.replacing("\n", with: "\n" + lead)
    case "t": return time.timestamp(isActive: true, withTime: false).description
    case "T": return time.timestamp(isActive: true).description
    case "u": return time.timestamp(isActive: false, withTime: false).description
    case "U": return time.timestamp(isActive: false).description
    case "a": return words.annotation
    case "A": return withLink { "[[\($0)][%^{Link description}]]" }
    case "l": return withLink { "[[\($0)]]" }
    case "L": return withLink { $0 }
    case "c": return words.clipboard
    case "f": return words.file
    case "F": return words.path
    case "k": return words.clockedTask
    case "K": return words.clockedLink
    case "n": return userName
    default: return ""
    }
  }

  private func withLink(_ make: (String) -> String) -> String {
    guard let match = words.annotation.firstMatch(of: /\[\[(.*?)\](\[.*?\])?\]/) else { return words.annotation }
    return words.annotation.replacingCharacters(match.range, by: make(String(match.1)))
  }

  /// Includes files of the folder: `%[name]`.
  private func withFiles(_ template: String, _ files: inout OrgFileSet) throws(Refusal) -> String {
    var text = template
    while let match = text.firstMatch(of: /%\[([^\]\n]+)\]/), !text[..<match.range.lowerBound].hasSuffix("\\") {
      guard let name = files.relative(String(match.1)), let content = files[name] else {
        throw Refusal(.notFound, "the template includes \(match.1), which is not a file of the folder")
      }
      text.replaceSubrange(match.range, with: content.string)
    }
    return text
  }
}

/// Times in the format of `strftime`, in English.
enum TimeFormat {
  static func string(_ format: String, _ time: OrgMoment) -> String {
    var (text, rest) = ("", format[...])
    while let character = rest.popFirst() {
      guard character == "%", let code = rest.popFirst() else {
        text.append(character)
        continue
      }
      text += field(code, time) ?? "%\(code)"
    }
    return text
  }

  private static func field(_ code: Character, _ time: OrgMoment) -> String? {
    let (year, month, day) = time.day.date
    let (hour, minute) = (time.minute / 60, time.minute % 60)
    let thursday = OrgDay(number: time.day.number + 4 - time.day.weekday)
    switch code {
    case "Y": return String(year)
    case "y": return two(year % 100)
    case "m": return two(month)
    case "d": return two(day)
    case "e": return day < 10 ? " \(day)" : String(day)
    case "H": return two(hour)
    case "I": return two((hour + 11) % 12 + 1)
    case "M": return two(minute)
    case "S": return "00"
    case "p": return hour < 12 ? "AM" : "PM"
    case "A": return OrgNames.weekdays[time.day.weekday - 1]
    case "a": return String(OrgNames.weekdays[time.day.weekday - 1].prefix(3))
    case "B": return OrgNames.months[month - 1]
    case "b", "h": return String(OrgNames.months[month - 1].prefix(3))
    case "V": return two(time.day.week)
    case "G": return String(thursday.date.year)
    case "u": return String(time.day.weekday)
    case "w": return String(time.day.weekday % 7)
    case "j":
      let number = String(time.day.number - OrgDay(year: year, month: 1, day: 1).number + 1)
      return String(repeating: "0", count: 3 - number.count) + number
    case "F": return "\(year)-\(two(month))-\(two(day))"
    case "R": return "\(two(hour)):\(two(minute))"
    case "T": return "\(two(hour)):\(two(minute)):00"
    case "D": return "\(two(month))/\(two(day))/\(two(year % 100))"
    case "n": return "\n"
    case "%": return "%"
    default: return nil
    }
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
