/// The settings of one file: Org's variables with those that the file sets by `#+STARTUP`, `#+TODO` and the like.
struct FileOptions: Sendable {
  private(set) var settings: OrgSettings
  var states: OrgStates
  /// The values of `#+KEY: value` lines by key in capitals.
  private let lines: [String: [String]]

  init(_ text: [UInt8], _ settings: OrgSettings) {
    self.settings = settings
    let lines = Self.keywordLines(text)
    self.lines = lines
    for word in lines["STARTUP", default: []].flatMap({ $0.split(separator: " ") }) {
      for (name, value) in Self.startup[word.lowercased(), default: []] { self.settings[name] = value }
    }
    let declared = ["TYP_TODO", "TODO", "SEQ_TODO"].flatMap { lines[$0, default: []] }.filter { !$0.isEmpty }
    states = OrgStates(declared: declared.isEmpty ? settings.todoLines : declared)
  }

  /// Returns the values of the lines with a key, in order.
  func lines(_ key: String) -> [String] { lines[key, default: []] }

  /// The file's tags.
  var tags: [String] { lines("FILETAGS").flatMap { $0.split { ":, ".contains($0) } }.map(String.init) }

  /// Returns the value of a property from `#+PROPERTY` lines; `KEY+` appends.
  func property(_ key: String) -> String? {
    var value: String?
    for line in lines("PROPERTY") {
      let name = line.prefix { $0 != " " && $0 != "\t" }
      let rest = line.dropFirst(name.count).drop { $0 == " " || $0 == "\t" }
      if name.lowercased() == key.lowercased() { value = String(rest) }
      if name.lowercased() == key.lowercased() + "+" {
        value = [value, String(rest)].compactMap(\.self).joined(separator: " ")
      }
    }
    return value
      ?? settings.value("org-global-properties").elements?
      .compactMap(\.pair).first { $0.first.text?.lowercased() == key.lowercased() }?.rest.text
  }

  /// Finds the lines `#+KEY: value` that are not inside blocks.
  private static func keywordLines(_ text: [UInt8]) -> [String: [String]] {
    var found: [String: [String]] = [:]
    var block: [UInt8]?
    let bytes = text.span
    var start = 0
    while start < bytes.count {
      let first = bytes.firstNonBlank(from: start)
      let end = bytes.lineEnd(from: max(first, start), to: bytes.count)
      if first + 1 < end, bytes[first] == UInt8(ascii: "#"), bytes[first + 1] == UInt8(ascii: "+") {
        let line = text[first..<end]
        if let name = block {
          if line.lowercasedStarts(with: Array("#+end_".utf8) + name) { block = nil }
        } else if line.hasPrefix(ignoringCase: "#+begin_") {
          block = line.dropFirst(8).prefix { !$0.isBlank }.lowercased
        } else if let keyword = KeywordLine(line) {
          found[keyword.key.string.uppercased(), default: []].append(keyword.value.string)
        }
      }
      start = end + 1
    }
    return found
  }

  /// The words of `#+STARTUP` that concern verbs.
  static let startup: [String: [(String, OrgValue)]] = [
    "odd": [("org-odd-levels-only", .yes)], "oddeven": [("org-odd-levels-only", .none)],
    "logdone": [("org-log-done", .symbol("time"))], "lognotedone": [("org-log-done", .symbol("note"))],
    "nologdone": [("org-log-done", .none)],
    "logrepeat": [("org-log-repeat", .symbol("state"))], "lognoterepeat": [("org-log-repeat", .symbol("note"))],
    "nologrepeat": [("org-log-repeat", .none)],
    "logreschedule": [("org-log-reschedule", .symbol("time"))],
    "lognotereschedule": [("org-log-reschedule", .symbol("note"))], "nologreschedule": [("org-log-reschedule", .none)],
    "logredeadline": [("org-log-redeadline", .symbol("time"))],
    "lognoteredeadline": [("org-log-redeadline", .symbol("note"))], "nologredeadline": [("org-log-redeadline", .none)],
    "logrefile": [("org-log-refile", .symbol("time"))], "lognoterefile": [("org-log-refile", .symbol("note"))],
    "nologrefile": [("org-log-refile", .none)],
    "lognoteclock-out": [("org-log-note-clock-out", .yes)], "nolognoteclock-out": [("org-log-note-clock-out", .none)],
    "logdrawer": [("org-log-into-drawer", .yes)], "nologdrawer": [("org-log-into-drawer", .none)],
    "logstatesreversed": [("org-log-states-order-reversed", .yes)],
    "nologstatesreversed": [("org-log-states-order-reversed", .none)],
    "content": [], "indent": [], "noindent": [],
  ]
}
