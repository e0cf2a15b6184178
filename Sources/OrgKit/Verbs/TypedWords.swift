/// A date as a person types it where no calendar is shown to compare with, such as on the command line.
///
/// Org's reader ignores the words that it does not understand, and so takes "tomorow 10:00" for today at ten, and 20261224 for the
/// last year that it writes. Here, each word must be one that the reader uses.
package struct TypedWords {
  /// The date in words that Org's reader knows.
  package let text: String

  /// Reads a date; throws if it has a word that Org's reader would ignore. ``OrgDateReader/readStrictly(_:)`` also refuses a day that
  /// does not exist.
  package init(date: String) throws(Refusal) {
    let words = date.split { $0 == " " || $0 == "\t" }.map { Self.translated(String($0)) }
    guard !words.isEmpty else { throw Refusal(.invalid, "the date is empty; write 2026-03-10, fri or +3d") }
    for (index, word) in words.enumerated() where !Self.isKnown(word, isFirst: index == 0) {
      throw Refusal(
        .invalid, "\"\(date)\" is not a date: \"\(word)\" is not understood; write 2026-03-10, fri or +3d")
    }
    text = words.joined(separator: " ")
  }

  /// Returns the word for which Org knows another one.
  private static func translated(_ word: String) -> String {
    switch word.lowercased() {
    case "today": "+0"
    case "tomorrow": "+1d"
    case "yesterday": "-1d"
    case "noon": "12:00"
    case "midnight": "0:00"
    default: word
    }
  }

  /// Returns true if `org-read-date` uses the word; it reads a distance and a date in digits only where the text begins.
  private static func isKnown(_ word: String, isFirst: Bool) -> Bool {
    let word = word.lowercased()
    return isFirst && isBeginning(word) || isPart(word) || isTime(word)
  }

  /// Returns true for `.`, `+2w`, `-fri`, `2026-03-10`, `3-10`, `10.3.`, `10.3.2026` and `3/10/2026`.
  private static func isBeginning(_ word: String) -> Bool {
    if word == "." { return true }
    if let distance = word.wholeMatch(of: /[-+]{1,2}(\d*)([a-z]*)/) {
      let unit = String(distance.2)
      return unit.isEmpty ? !distance.1.isEmpty : "dwmy".contains(unit) && unit.count == 1 || isWeekday(unit)
    }
    return word.wholeMatch(of: /(\d+-)?(0?[1-9]|1[0-2])-(0?[1-9]|[12]\d|3[01])/) != nil
      || word.wholeMatch(of: /(0?[1-9]|[12]\d|3[01])\.(0?[1-9]|1[0-2])\.(\d{4})?/) != nil
      || word.wholeMatch(of: /(0?[1-9]|1[0-2])\/(0?[1-9]|[12]\d|3[01])(\/\d+)?/) != nil
  }

  /// Returns true for a weekday, a month, a week, the number of a day, and a year.
  private static func isPart(_ word: String) -> Bool {
    let name = word.hasSuffix(",") || word.hasSuffix(".") ? String(word.dropLast()) : word
    return isWeekday(name) || isName(name, among: months) || name.wholeMatch(of: /0?[1-9]|[12]\d|3[01]|\d{4}/) != nil
      || word.wholeMatch(of: /(\d+-)?w\d{1,2}(-[0-6])?/) != nil
  }

  /// Returns true for `9:30`, `9:30-10:00`, `9:30+1`, `9am`, `9am-10:30am`, `9h` and `9h30`.
  private static func isTime(_ word: String) -> Bool {
    let (hour, time) = (#"([01]?\d|2[0-3])"#, #"(([01]?\d|2[0-3]):[0-5]\d|24:00)"#)
    let forms = [
      #"\#(time)(--?\#(time)|\+\#(hour)(:[0-5]\d)?)?"#,
      #"(0?\d|1[0-2])(:[0-5]\d)?[ap]m(-(0?\d|1[0-2])(:[0-5]\d)?[ap]m)?"#, #"\#(hour)h([0-5]\d)?"#,
    ]
    return forms.contains { form in (try? Regex(form)).flatMap { word.wholeMatch(of: $0) } != nil }
  }

  private static let months = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
  ]

  private static func isWeekday(_ word: String) -> Bool {
    isName(word, among: ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"])
  }

  /// Returns true for one of the names, or its first three letters.
  private static func isName(_ word: String, among names: [String]) -> Bool {
    names.contains { $0 == word || word.count == 3 && $0.hasPrefix(word) }
  }
}
