internal import SyncKit

/// What the `.gitattributes` of a repository ask for that a file which is synced byte for byte cannot give: programs that
/// turn a file into something else (LFS, git-crypt), other encodings, other line ends.
///
/// Reads attributes from the committed tree only, as a bare clone does (gitattributes(5)).
struct Attributes: Sendable {
  /// What is asked for of one file.
  struct Requirements: Hashable, Sendable {
    /// What turns the file in a work tree into what the repository holds; nil if they are the same.
    var conversion: String?
    /// True if git keeps the file with line ends of LF only.
    var wantsLF = false
  }

  private struct Rule: Sendable {
    var folder: [UInt8]
    var pattern: PathFilter
    var settings: [(name: String, value: String)]
  }

  private var rules: [Rule] = []
  /// Names that stand for several settings; only the file at the top may declare more of them.
  private var macros: [Substring: [(name: String, value: String)]] = ["binary": [("text", "unset")]]

  static let fileName = Array(".gitattributes".utf8)
  /// git itself does not read a longer one.
  static let largestFile = 100 << 20
  private static let interesting = ["filter", "working-tree-encoding", "text", "eol", "crlf"]

  var isEmpty: Bool { rules.isEmpty }

  /// Adds the lines of the file in `folder`; deeper ones win and have to be added later.
  mutating func add(_ text: [UInt8], in folder: [UInt8]) {
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

  /// What one word sets, of what matters here.
  private func settings(_ word: Substring) -> [(name: String, value: String)] {
    if let macro = macros[word] { return macro }
    return [Self.setting(word)].filter { Self.interesting.contains($0.name) }
  }

  /// `name`, `-name`, `!name` and `name=value` as a name and a value.
  private static func setting(_ word: Substring) -> (name: String, value: String) {
    if let equals = word.firstIndex(of: "=") {
      return (String(word[..<equals]), String(word[word.index(after: equals)...]))
    }
    if word.hasPrefix("-") { return (String(word.dropFirst()), "unset") }
    if word.hasPrefix("!") { return (String(word.dropFirst()), "") }
    return (String(word), "set")
  }

  /// What is asked for of the file at `path`.
  func requirements(of path: [UInt8]) -> Requirements {
    guard !rules.isEmpty else { return Requirements() }
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
