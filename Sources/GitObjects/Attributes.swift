internal import SyncKit

/// The requirements in a repository's `.gitattributes` that a file cannot meet if it is synced byte for byte: filters that
/// convert it (LFS, git-crypt), other encodings, other line ends.
///
/// Attributes are read from the committed tree only, as in a bare repository (gitattributes(5)).
package struct Attributes: Sendable {
  /// The requirements for one file.
  package struct Requirements: Hashable, Sendable {
    /// The conversion between the file in a working tree and the one in the repository; nil for none.
    package var conversion: String?
    /// True if git stores the file with LF line ends only.
    package var wantsLF = false
  }

  private struct Rule: Sendable {
    var folder: [UInt8]
    var pattern: PathFilter
    var settings: [(name: String, value: String)]
  }

  private var rules: [Rule] = []
  /// Macros, which are names for several settings; only the file in the root may define more of them.
  private var macros: [Substring: [(name: String, value: String)]] = ["binary": [("text", "unset")]]

  package static let fileName = Array(".gitattributes".utf8)
  /// git itself ignores larger files.
  package static let largestFile = 100 << 20
  private static let interesting = ["filter", "working-tree-encoding", "text", "eol", "crlf"]

  package init() {}

  package var isEmpty: Bool { rules.isEmpty }

  /// Adds the lines of the file in `folder`; deeper folders take precedence and must be added later.
  package mutating func add(_ text: [UInt8], in folder: [UInt8]) {
    for line in text.split(separator: UInt8(ascii: "\n")) {
      let fields = String(decoding: line, as: UTF8.self).split { $0 == " " || $0 == "\t" || $0 == "\r" }
      guard let pattern = fields.first, !pattern.hasPrefix("#"), !pattern.hasPrefix("!") else { continue }
      let settings = fields.dropFirst().flatMap(settings)
      if pattern.hasPrefix("[attr]") {
        if folder.isEmpty { macros[pattern.dropFirst("[attr]".count)] = settings }
      } else if !settings.isEmpty {
        rules.append(Rule(folder: folder, pattern: PathFilter(ignore: [String(pattern)]), settings: settings))
      }
    }
  }

  /// Returns the relevant settings of one word.
  private func settings(_ word: Substring) -> [(name: String, value: String)] {
    if let macro = macros[word] { return macro }
    return [Self.setting(word)].filter { Self.interesting.contains($0.name) }
  }

  /// Parses `name`, `-name`, `!name` or `name=value` into a name and a value.
  private static func setting(_ word: Substring) -> (name: String, value: String) {
    if let equals = word.firstIndex(of: "=") {
      return (String(word[..<equals]), String(word[word.index(after: equals)...]))
    }
    if word.hasPrefix("-") { return (String(word.dropFirst()), "unset") }
    if word.hasPrefix("!") { return (String(word.dropFirst()), "") }
    return (String(word), "set")
  }

  /// Returns the requirements for the file at `path`. The replica's marker has none: it is syncd's own file, which the patterns of
  /// `PathFilter` never admit.
  package func requirements(of path: [UInt8]) -> Requirements {
    guard !rules.isEmpty, !ReservedName.isReserved(path[...]) else { return Requirements() }
    var values: [String: String] = [:]
    for rule in rules where matches(rule, path) {
      for (name, value) in rule.settings { values[name] = value }
    }
    var requirements = Requirements()
    if let filter = values["filter"], !["", "unset"].contains(filter) {
      requirements.conversion = "the filter `\(filter)`"
    }
    if let encoding = values["working-tree-encoding"], !["", "unset"].contains(encoding),
      encoding.uppercased() != "UTF-8"
    {
      requirements.conversion = "the encoding \(encoding)"
    }
    let text = values["text"] ?? values["crlf"].map { $0 == "input" ? "set" : $0 } ?? ""
    requirements.wantsLF =
      ["set", "auto"].contains(text) || text.isEmpty && ["lf", "crlf"].contains(values["eol"] ?? "")
    return requirements
  }

  private func matches(_ rule: Rule, _ path: [UInt8]) -> Bool {
    if rule.folder.isEmpty { return !rule.pattern.accepts(file: path) }
    guard path.count > rule.folder.count + 1, path.starts(with: rule.folder), path[rule.folder.count] == 0x2F else {
      return false
    }
    return !rule.pattern.accepts(file: Array(path[(rule.folder.count + 1)...]))
  }
}
