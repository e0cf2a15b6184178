/// Parses the words of a query.
struct QueryParser {
  private let text: String
  private var tokens: [Token] = []
  private var position = 0
  private var depth = 0
  private(set) var order: [OrgQuery.Order] = []
  private(set) var agendaDays: Int?

  private struct Token {
    var text: String
    var isQuoted: Bool
    var column: Int
  }

  /// The greatest number of brackets in brackets: each level takes a part of the stack.
  private static let greatestDepth = 50

  init(_ text: String) {
    self.text = text
    tokens = Self.tokens(text)
  }

  mutating func expression() throws(OrgQueryError) -> OrgQuery.Expression {
    let result = try alternatives()
    if position < tokens.count { throw error("this bracket closes nothing") }
    return result
  }

  private mutating func alternatives() throws(OrgQueryError) -> OrgQuery.Expression {
    var parts = [try conjunction()]
    while position < tokens.count, !tokens[position].isQuoted, tokens[position].text.lowercased() == "or" {
      position += 1
      parts.append(try conjunction())
    }
    return parts.count == 1 ? parts[0] : .any(parts)
  }

  private mutating func conjunction() throws(OrgQueryError) -> OrgQuery.Expression {
    var parts: [OrgQuery.Expression] = []
    while position < tokens.count {
      let token = tokens[position]
      let word = token.isQuoted ? "" : token.text.lowercased()
      if word == "or" || word == ")" { break }
      position += 1
      if word == "and" { continue }
      if word == "(" || word == ".(" || word == "-(" {
        depth += 1
        guard depth <= Self.greatestDepth else {
          throw error("brackets are nested more than \(Self.greatestDepth) deep")
        }
        let inner = try alternatives()
        depth -= 1
        guard position < tokens.count, tokens[position].text == ")" else { throw error("a closing bracket is missing") }
        position += 1
        parts.append(word == "(" ? inner : .not(inner))
      } else if let part = try part(token) {
        parts.append(part)
      }
    }
    return parts.count == 1 ? parts[0] : .all(parts)
  }

  private func error(_ reason: String) -> OrgQueryError {
    OrgQueryError(column: position < tokens.count ? tokens[position].column : text.count + 1, reason)
  }

  /// Returns a condition; nil for an option such as `o.p` and `ad.7`.
  private mutating func part(_ token: Token) throws(OrgQueryError) -> OrgQuery.Expression? {
    if token.isQuoted { return .term(.words(token.text)) }
    var word = token.text
    let isNegated = word.count > 1 && (word.hasPrefix(".") || word.hasPrefix("-"))
    if isNegated { word.removeFirst() }
    if word.hasPrefix("o.") {
      order.append(OrgQuery.Order(key: try orderKey(word.dropFirst(2), token), isReversed: isNegated))
      return nil
    }
    if word.hasPrefix("ad.") {
      guard let days = Int(written: word.dropFirst(3)), 1...366 ~= days else {
        throw OrgQueryError(column: token.column, "ad. expects a number of days from 1 to 366")
      }
      agendaDays = days
      return nil
    }
    let term = try QueryWord(word, column: token.column).term()
    return isNegated ? .not(.term(term)) : .term(term)
  }

  private func orderKey(_ text: Substring, _ token: Token) throws(OrgQueryError) -> String {
    let keys = [
      "b": "book", "book": "book", "notebook": "book", "t": "title", "title": "title", "s": "scheduled",
      "sched": "scheduled", "scheduled": "scheduled", "d": "deadline", "dead": "deadline", "deadline": "deadline",
      "e": "event", "event": "event", "c": "closed", "close": "closed", "closed": "closed", "cr": "created",
      "created": "created", "p": "priority", "pri": "priority", "prio": "priority", "priority": "priority",
      "st": "state", "state": "state", "pos": "position", "position": "position",
    ]
    guard let key = keys[text.lowercased()] else {
      throw OrgQueryError(column: token.column, "cannot sort by \(text); use b, t, s, d, e, c, cr, p, state or pos")
    }
    return key
  }

  /// Splits at blanks and brackets outside quotes.
  private static func tokens(_ text: String) -> [Token] {
    var (tokens, rest, column) = ([Token](), text[...], 1)
    while let first = rest.first {
      var length = 1
      if first == "\"" {
        let content = rest.dropFirst().prefix { $0 != "\"" }
        tokens.append(Token(text: String(content), isQuoted: true, column: column))
        length = min(content.count + 2, rest.count)
      } else if first == "(" || first == ")" || rest.hasPrefix(".(") || rest.hasPrefix("-(") {
        length = first == "(" || first == ")" ? 1 : 2
        tokens.append(Token(text: String(rest.prefix(length)), isQuoted: false, column: column))
      } else if !first.isWhitespace {
        let word = word(rest)
        length = word.count
        tokens.append(Token(text: unquoted(word), isQuoted: false, column: column))
      }
      rest = rest.dropFirst(length)
      column += length
    }
    return tokens
  }

  /// A word with the quotes in it: `t."two words"`. In a match, braces keep their content together, too, and `\"` is a quote within
  /// quotes.
  private static func word(_ text: Substring) -> String {
    let isMatch = matchStart(text) != nil
    var (end, isQuoted, isPattern) = (text.startIndex, false, false)
    while end < text.endIndex {
      switch text[end] {
      case "\\" where isMatch && text[end...].hasPrefix("\\\""): end = text.index(after: end)
      case "\"" where !isPattern: isQuoted.toggle()
      case "{" where isMatch && !isQuoted: isPattern = true
      case "}" where !isQuoted: isPattern = false
      case let character where !isQuoted && !isPattern && (character.isWhitespace || character == ")"):
        return String(text[..<end])
      default: break
      }
      end = text.index(after: end)
    }
    return String(text)
  }

  /// Returns a word without its quotes. In a match they belong to the values, unless they are around the whole match.
  private static func unquoted(_ word: String) -> String {
    guard let start = matchStart(word[...]) else { return word.filter { $0 != "\"" } }
    let match = word[start...]
    // No match begins with a quote.
    guard match.first == "\"" else { return word }
    let content = match.dropFirst().dropLast(match.count > 1 && match.last == "\"" ? 1 : 0)
    return String(word[..<start]) + String(content.replacing("\\\"", with: "\""))
  }

  /// Returns where the match of a word `match:…` begins; nil for another word.
  private static func matchStart(_ word: Substring) -> String.Index? {
    word.prefixMatch(of: /[.\-]?match:/.ignoresCase())?.range.upperBound
  }
}
