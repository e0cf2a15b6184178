internal import SyncKit

/// What `~/.ssh/config` says of one host, as far as it concerns us (ssh_config(5)): the first value of each keyword counts,
/// but of identity files all do.
struct SSHConfig: Sendable {
  private var values: [String: [String]] = [:]
  /// True if there are blocks for which it would have to be known more than the name of the host.
  private(set) var isConditional = false

  private static let deepestInclude = 8

  /// - Parameters:
  ///   - text: of the file.
  ///   - host: as the user wrote it.
  ///   - include: the texts of the files that a name, possibly with wildcards, stands for.
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
        // What comes behind an include belongs to the block that the include stands in.
        for file in arguments.flatMap(include) {
          var isMeantThere = true
          read(file, host, include, depth: depth + 1, &isMeantThere)
        }
      case "identityfile" where isMeant: values[keyword, default: []] += arguments.prefix(1)
      default: if isMeant, values[keyword] == nil { values[keyword] = arguments }
      }
    }
  }

  /// The value of a keyword, written in small letters.
  subscript(keyword: String) -> String? { values[keyword]?.first }

  /// All its values.
  func all(_ keyword: String) -> [String] { values[keyword] ?? [] }

  // MARK: Reading

  /// The words of a line; the first may be set off by an equals sign, and quotes hold words together.
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

  /// Returns true if a list of patterns means a host: one of them has to, and none with an exclamation mark may.
  static func matches(_ patterns: [String], _ host: String) -> Bool {
    guard !patterns.contains(where: { $0.hasPrefix("!") && wildcard($0.dropFirst(), host[...]) }) else { return false }
    return patterns.contains { !$0.hasPrefix("!") && wildcard($0[...], host[...]) }
  }

  /// `*` is any text, `?` any letter; the case of letters means nothing in names of hosts.
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
