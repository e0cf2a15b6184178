/// A place that entries can be refiled to.
public struct OrgRefileTarget: Sendable, Hashable {
  /// The name by which the target is chosen.
  public var name: String
  /// Its file.
  public var file: String
  /// The line of its headline; nil for the file.
  public var line: Int?
}

/// Returns the refile targets for an entry of a file, by `org-refile-targets`.
public func refileTargets(
  from file: String, in files: inout OrgFileSet, _ context: OrgContext
) throws(Refusal) -> [OrgRefileTarget] {
  var editor = OrgEditor(files, context)
  try editor.open(file)
  let targets = try editor.refileTargets()
  files = editor.files
  return targets
}

extension OrgEditor {
  /// Moves the entry below a target, or copies it.
  mutating func refile(_ refile: OrgRefile) throws(Refusal) {
    let heading = try entry()
    let (source, mark) = (buffer.path, buffer.mark(entry: heading))
    let (file, found) = try place(of: refile.target)
    var target = found
    try open(source)
    let end = buffer.subtreeEnd(heading)
    if file == source, let target, (heading..<end).contains(target) {
      throw Refusal(.invalid, "Cannot refile to position inside the tree or region")
    }
    var text = Array(buffer.text[heading..<end])
    if refile.isCopy, !hasOldLayout { text = withNewIDs(text) }
    try open(file)
    if let child = refile.newChild { target = newChild(child, below: target) }
    var position = pastePosition(target)
    let level = target.flatMap { buffer.level(at: $0) }.map { $0 + 1 } ?? 1
    if !buffer.isLineStart(position) {
      buffer.insert("\n", at: position)
      position += 1
    }
    let pasted = pasteSubtree(text, at: position, level: level)
    let log = value("org-log-refile")
    if log.isTrue { try addLog(PendingLog(.refile, how: log == .symbol("note") ? .note : .time), at: pasted) }
    alignTagsIfWanted(pasted)
    let new = buffer.mark(pasted)
    try storePendingLog()
    if !refile.isCopy {
      try open(source)
      let start = buffer.heading(at: mark)
      buffer.delete(start..<buffer.subtreeEnd(start))
      try open(file)
    }
    self.heading = buffer[new]
    effects.append(.entry(file: file, line: buffer.lineNumber(buffer[new])))
  }

  private mutating func withNewIDs(_ text: [UInt8]) -> [UInt8] {
    var editor = OrgEditor(files, context)
    editor.buffer = OrgBuffer(path: buffer.path, content: text)
    for mark in editor.buffer.headings.map({ editor.buffer.mark($0) })
    where editor.localProperty("ID", editor.buffer[mark]) != nil {
      editor.putProperty("ID", context.newID(), editor.buffer[mark])
    }
    return editor.buffer.text
  }

  /// Opens the file of a target and returns the position of its headline; nil for the file.
  private mutating func place(of target: OrgRefile.Target) throws(Refusal) -> (file: String, heading: Int?) {
    switch target {
    case .place(let place):
      try visit(place)
      return (buffer.path, place.entry == .preamble ? nil : try entry())
    case .named(let name):
      guard let found = try refileTargets().first(where: { $0.name == name }) else {
        throw Refusal(.notFound, "No refile target \(name)")
      }
      try open(found.file)
      return (found.file, found.line.map { buffer.start(ofLine: $0) })
    }
  }

  private mutating func newChild(_ title: String, below target: Int?) -> Int {
    var position = target.map(buffer.subtreeEnd) ?? buffer.count
    if target == nil, !buffer.isLineStart(position) {
      buffer.insert("\n", at: position)
      position += 1
    }
    position = emptyLinesStart(position)
    let level = target.flatMap { buffer.level(at: $0) }.map { $0 + 1 } ?? 1
    buffer.insert("\n\(String(repeating: "*", count: level)) \(title)\n", at: position)
    return position + 1
  }

  /// Returns where an entry goes below a target: behind its children, or before them.
  private mutating func pastePosition(_ target: Int?) -> Int {
    let setting = value("org-reverse-note-order")
    let isReversed = setting == .yes
    guard let target else { return isReversed ? buffer.firstHeading : buffer.count }
    return isReversed ? buffer.nextHeading(target) : buffer.subtreeEnd(target)
  }

  // MARK: Targets

  /// Returns all targets for the current file.
  mutating func refileTargets() throws(Refusal) -> [OrgRefileTarget] {
    let present = buffer.path
    let standard: OrgValue = [.pair(.none, .pair(.symbol(":level"), .number(1)))]
    var found: [OrgRefileTarget] = []
    for entry in value("org-refile-targets", default: standard).elements ?? [] {
      guard let pair = entry.pair, let rule = pair.rest.pair else { continue }
      let matches = try RefileRule(rule.first, rule.rest, oddLevels: isOn("org-odd-levels-only"))
      for file in targetFiles(pair.first, present) {
        try open(file)
        found += targets(matches)
      }
    }
    try open(present)
    var seen: Set<OrgRefileTarget> = []
    return found.filter { seen.insert($0).inserted }
  }

  private func targetFiles(_ value: OrgValue, _ present: String) -> [String] {
    switch value {
    case .none: [present]
    case .symbol: files.names
    case .text(let path): [files.relative(path)].compactMap(\.self)
    default: (value.elements ?? []).compactMap(\.text).compactMap { files.relative($0) }
    }
  }

  /// Returns the targets in the current file.
  private mutating func targets(_ rule: RefileRule) -> [OrgRefileTarget] {
    let style = value("org-refile-use-outline-path")
    let name = buffer.path.split(separator: "/").last.map(String.init) ?? buffer.path
    var prefix: String?
    switch style.symbol {
    case "file", "buffer-name": prefix = name
    case "full-file-path": prefix = files.absolute(buffer.path)
    default: break
    }
    var found = prefix.map { [OrgRefileTarget(name: $0, file: buffer.path, line: nil)] } ?? []
    var (line, last) = (1, 0)
    for heading in buffer.headings {
      line += buffer.text[last..<heading].reduce(0) { $1 == .newline ? $0 + 1 : $0 }
      last = heading
      guard rule.selects(buffer.line(heading)), !parts(heading).title.isEmpty else { continue }
      let path = style.isTrue ? outlinePath(heading).map(Self.escaped) : [titleText(heading)]
      let full = ([prefix].compactMap(\.self) + path).joined(separator: "/")
      found.append(OrgRefileTarget(name: full, file: buffer.path, line: line))
    }
    return found
  }

  private static func escaped(_ title: String) -> String {
    title.split(separator: "/", omittingEmptySubsequences: false).joined(separator: "\\/")
  }

  /// Returns the title with COMMENT and cookies.
  private mutating func titleText(_ heading: Int) -> String { buffer.text[parts(heading).title].string }

  /// Returns the titles from the top down, without cookies and with links as their descriptions.
  mutating func outlinePath(_ heading: Int) -> [String] {
    buffer.ancestors(heading).map { OutlineTitle.text(titleText($0)) }
  }
}

/// A title as a part of an outline path.
enum OutlineTitle {
  /// Returns the title without statistics cookies that hold numbers, and with links as their descriptions.
  static func text(_ title: String) -> String {
    let links = title.replacing(/\[\[([^\]]*)\](?:\[([^\]]*)\])?\]/) { match in String(match.2 ?? match.1) }
    return String(links.replacing(/\[[0-9]+%\]|\[[0-9]+\/[0-9]+\]/, with: "").drop { $0 == " " })
      .trimmingSuffix()
  }
}

extension String {
  fileprivate func trimmingSuffix() -> String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}

/// One of the rules that choose refile targets.
struct RefileRule {
  private enum Kind {
    case level(ClosedRange<Int>)
    case tag(String)
    case keyword(String)
    case expression(Regex<AnyRegexOutput>)
  }

  private let kind: Kind

  init(_ name: OrgValue, _ value: OrgValue, oddLevels: Bool) throws(Refusal) {
    let level = value.number.map { oddLevels ? 2 * $0 - 1 : $0 }
    switch (name.symbol, level, value.text) {
    case (":level", .some(let level), _): kind = .level(level...level)
    case (":maxlevel", .some(let level), _): kind = .level(1...max(1, level))
    case (":tag", _, .some(let tag)): kind = .tag(tag)
    case (":todo", _, .some(let keyword)): kind = .keyword(keyword)
    case (":regexp", _, .some(let text)): kind = .expression(try EmacsRegex.compiled(text))
    default: throw Refusal(.invalid, "Bad refiling target description")
    }
  }

  /// Returns true if a headline is a target.
  func selects(_ line: Bytes) -> Bool {
    let text = line.string
    let level = text.prefix { $0 == "*" }.count
    switch kind {
    case .level(let range): return range.contains(level)
    case .tag(let tag): return text.contains(":\(tag):")
    case .keyword(let keyword):
      let rest = text.dropFirst(level).drop { $0 == " " }
      return rest.hasPrefix(keyword + " ") || rest.hasPrefix(keyword + "\t")
    case .expression(let expression): return text.firstMatch(of: expression) != nil
    }
  }
}

/// Regular expressions as Emacs writes them.
enum EmacsRegex {
  /// Returns the expression for Swift.
  static func compiled(_ text: String) throws(Refusal) -> Regex<AnyRegexOutput> {
    do { return try Regex(translated(text)).anchorsMatchLineEndings() } catch {
      throw Refusal(.invalid, "\(text) is not a regular expression")
    }
  }

  private static let classes = ["_<": "\\b", "_>": "\\b", "s-": "\\s", "S-": "\\S", "sw": "\\w", "Sw": "\\W"]

  /// In Emacs, brackets and bars are special behind a backslash, and plain without.
  private static func translated(_ text: String) -> String {
    var (result, rest, isInSet) = ("", text[...], false)
    while let character = rest.popFirst() {
      if isInSet {
        if character == "]" { isInSet = false }
        result.append(character)
      } else if character == "\\", let next = rest.popFirst() {
        switch next {
        case "(", ")", "|", "{", "}": result.append(next)
        case "<", ">": result += "\\b"
        case "`": result += "\\A"
        case "'": result += "\\z"
        case "_", "s", "S": result += Self.classes["\(next)\(rest.popFirst() ?? " ")"] ?? "\\w"
        default: result += "\\\(next)"
        }
      } else if "(){}|".contains(character) {
        result += "\\\(character)"
      } else {
        if character == "[" {
          isInSet = true
          result.append(character)
          if rest.first == "^" { result.append(rest.removeFirst()) }
          if rest.first == "]" { result += "\\\(rest.removeFirst())" }
          continue
        }
        result.append(character)
      }
    }
    return result
  }
}
