/// A date as a person types it, or one of Org's timestamps in brackets, split into date, repeater and warning period.
package struct TypedStamp {
  /// The date and the time.
  package let date: String
  /// The repeater, such as `+1w` or `.+2d/4d`; nil if there is none.
  package private(set) var repeater: String?
  /// The warning period of a deadline, or the delay of a task, such as `-3d`; nil if there is none.
  package private(set) var warning: String?
  /// True for a timestamp in brackets.
  package let isInBrackets: Bool

  /// Splits a text. Without a date of ten characters at its start, it is a date as a whole.
  package init(_ text: String) {
    isInBrackets = text.count > 2 && text.hasPrefix("<") && text.hasSuffix(">")
    let words = (isInBrackets ? String(text.dropFirst().dropLast()) : text).split(separator: " ").map(String.init)
    guard let first = words.first, first.count == 10, first.first?.isNumber ?? false else {
      date = words.joined(separator: " ")
      return
    }
    var rest = [first]
    for (index, word) in words.enumerated().dropFirst() {
      if Self.isRepeater(word) {
        repeater = word
      } else if Self.isWarning(word) {
        warning = word
      } else if !isInBrackets || index > 1 || !word.allSatisfy({ $0.isLetter || $0 == "." }) {
        // The name of the day in a timestamp, which may be in another language, follows from the date.
        rest.append(word)
      }
    }
    date = rest.joined(separator: " ")
  }

  /// Returns true for `+1w`, `++1m`, `.+2d` and `.+2d/4d`.
  package static func isRepeater(_ word: String) -> Bool {
    word.wholeMatch(of: /(\+\+?|\.\+)[0-9]+[hdwmy](\/[0-9]+[hdwmy])?/) != nil
  }

  /// Returns true for `-3d` and `--3d`.
  package static func isWarning(_ word: String) -> Bool { word.wholeMatch(of: /--?[0-9]+[hdwmy]/) != nil }
}
