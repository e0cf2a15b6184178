internal import SyncKit

/// The settings for one host in `~/.ssh/config`, as far as syncd needs them (ssh_config(5)): the first value of each keyword
/// counts, but all identity files do.
struct SSHConfig: Sendable {
  private var values: [String: [String]] = [:]
  /// True if the file has blocks whose condition needs more than the name of the host.
  private(set) var isConditional = false

  private static let deepestInclude = 8

  /// - Parameters:
  ///   - text: the content of the file.
  ///   - host: the host as the user wrote it.
  ///   - include: returns the contents of the files that match a name, possibly with wildcards.
  init(_ text: String, for host: String, include: (String) -> [String] = { _ in [] }) {
    var isMeant = true
    read(text, host, include, depth: 0, &isMeant)
  }

  private mutating func read(
    _ text: String, _ host: String, _ include: (String) -> [String], depth: Int, _ isMeant: inout Bool
  ) {
    for line in text.split(whereSeparator: \.isNewline) {
      let words = Self.words(line)
      guard let keyword = words.first?.lowercased(), !keyword.hasPrefix("#") else { continue }
      let arguments = Array(words.dropFirst())
      switch keyword {
      case "host": isMeant = Self.matches(arguments, host)
      case "match":
        isMeant = arguments.map { $0.lowercased() } == ["all"]
        isConditional = isConditional || !isMeant
      case "include" where isMeant && depth < Self.deepestInclude:
        // Lines after an include still belong to the block that contains the include.
        for file in arguments.flatMap(include) {
          var isMeantThere = true
          read(file, host, include, depth: depth + 1, &isMeantThere)
        }
      case "identityfile" where isMeant: values[keyword, default: []] += arguments.prefix(1)
      default: if isMeant, values[keyword] == nil { values[keyword] = arguments }
      }
    }
  }

  /// The first value of a keyword, which is given in lower case.
  subscript(keyword: String) -> String? { values[keyword]?.first }

  /// All values of a keyword.
  func all(_ keyword: String) -> [String] { values[keyword] ?? [] }

  // MARK: Reading

  /// Splits a line into words; the first may be followed by an equals sign, and quotes keep words together.
  static func words(_ line: Substring) -> [String] {
    var (words, word, isQuoted, isEmpty) = ([String](), "", false, true)
    func isGap(_ letter: Character) -> Bool { letter == " " || letter == "\t" || letter == "=" && words.isEmpty }
    for letter in line + " " {
      if letter == "\"" {
        isQuoted.toggle()
        isEmpty = false
      } else if isGap(letter), !isQuoted {
        if !isEmpty || !word.isEmpty { words.append(word) }
        (word, isEmpty) = ("", true)
      } else if letter == "=", !isQuoted, words.count == 1, word.isEmpty {
        continue
      } else {
        word.append(letter)
      }
    }
    return words
  }

  /// Returns true if a host matches a list of patterns: at least one of them, and none with an exclamation mark.
  static func matches(_ patterns: [String], _ host: String) -> Bool {
    guard !patterns.contains(where: { $0.hasPrefix("!") && wildcard($0.dropFirst(), host[...]) }) else { return false }
    return patterns.contains { !$0.hasPrefix("!") && wildcard($0[...], host[...]) }
  }

  /// Returns true if a text matches a pattern: `*` is any text, `?` any character; case is ignored, as in host names.
  static func wildcard(_ pattern: Substring, _ text: Substring) -> Bool {
    let (pattern, text) = (Array(pattern.lowercased().utf8), Array(text.lowercased().utf8))
    var (at, here, star, mark) = (0, 0, -1, 0)
    while here < text.count {
      if at < pattern.count, pattern[at] == 0x3F || pattern[at] == text[here], pattern[at] != 0x2A {
        (at, here) = (at + 1, here + 1)
      } else if at < pattern.count, pattern[at] == 0x2A {
        (star, mark) = (at, here)
        at += 1
      } else if star >= 0 {
        mark += 1
        (at, here) = (star + 1, mark)
      } else {
        return false
      }
    }
    return pattern[at...].allSatisfy { $0 == 0x2A }
  }
}
