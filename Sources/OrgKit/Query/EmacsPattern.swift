/// A regular expression in the syntax of Emacs, such as `^[xy]\|boss`.
public struct EmacsPattern {
  private let regex: Regex<AnyRegexOutput>

  /// Compiles an expression; returns nil if it is invalid.
  ///
  /// - Parameter ignoresCase: true if letters match in both cases.
  public init?(_ text: String, ignoresCase: Bool = true) {
    guard let regex = try? Regex(Self.translated(text)) else { return nil }
    self.regex = regex.ignoresCase(ignoresCase).anchorsMatchLineEndings()
  }

  /// Returns true if the expression matches anywhere in a text.
  public func matches(_ text: String) -> Bool { (try? regex.firstMatch(in: text)) != nil }

  /// Emacs escapes brackets and bars that are operators; other dialects escape those that are not.
  private static func translated(_ text: String) -> String {
    var (result, rest, isInClass) = ("", text[...], false)
    while let character = rest.popFirst() {
      if isInClass {
        result += inClass(character, &rest)
        if character == "]" { isInClass = false }
        continue
      }
      switch character {
      case "\\": result += escaped(&rest)
      case "(", ")", "|", "{", "}": result += "\\\(character)"
      case "[":
        isInClass = true
        result += "["
        if rest.first == "^" { result.append(rest.removeFirst()) }
        if rest.first == "]" {
          rest.removeFirst()
          result += "\\]"
        }
      default: result.append(character)
      }
    }
    return result
  }

  /// A character of a class, where Emacs has no escapes; `[:alpha:]` is a class by name.
  private static func inClass(_ character: Character, _ rest: inout Substring) -> String {
    if character == "[", rest.first == ":", let end = rest.range(behind: ":]") {
      let name = rest[..<end]
      rest = rest[end...]
      return "[" + name
    }
    return character == "\\" || character == "[" ? "\\\(character)" : String(character)
  }

  private static func escaped(_ rest: inout Substring) -> String {
    guard let next = rest.popFirst() else { return "\\\\" }
    switch next {
    case "(", ")", "|", "{", "}": return String(next)
    case "<", ">": return "\\b"
    case "_":
      if let side = rest.first, side == "<" || side == ">" { rest.removeFirst() }
      return "\\b"
    case "`": return "\\A"
    case "'": return "\\z"
    case "s", "S":
      let kind = rest.popFirst()
      let isWord = kind == "w" || kind == "_"
      return next == "s" ? (isWord ? "\\w" : "\\s") : (isWord ? "\\W" : "\\S")
    case "w", "W", "b", "B": return "\\\(next)"
    default: return next.isLetter || next.isNumber ? String(next) : "\\\(next)"
    }
  }
}
