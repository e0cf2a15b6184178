extension OrgEditor {
  /// Generates the block of the place again, or all blocks of the file.
  mutating func updateBlocks(all: Bool) throws(Refusal) {
    guard all else { return try updateBlock(at: buffer.lineStart(line ?? heading ?? 0)) }
    var position = 0
    while position < buffer.count {
      if Self.block(buffer.line(position)) != nil {
        let mark = buffer.mark(position)
        try updateBlock(at: position)
        position = buffer[mark]
      }
      position = buffer.lineEnd(position) + 1
    }
  }

  /// Inserts a block `clocktable` at the place and generates it.
  mutating func insertClockTable(_ parameters: [OrgValue]) throws(Refusal) {
    var position = buffer.lineStart(line ?? heading ?? 0)
    if !buffer.isBlankLine(position) {
      position = buffer.lineEnd(position)
      buffer.insert("\n", at: position)
      position += 1
    }
    let words = parameters.map { " " + $0.lispText }.joined()
    buffer.insert("#+BEGIN: clocktable\(words)\n\n#+END:\n", at: position)
    try updateBlock(at: position)
  }

  /// Returns the name and the parameters of the block that a line begins.
  private static func block(_ line: Bytes) -> (name: String, parameters: OrgValue)? {
    let text = line.trimmed
    guard text.hasPrefix(ignoringCase: "#+begin:") else { return nil }
    let words = text.dropFirst(8).string
    let name = words.drop { $0 == " " }.prefix { $0 != " " && $0 != "\t" }
    guard !name.isEmpty else { return nil }
    let values = OrgValue.values(lisp: String(words[name.endIndex...]))
    return (String(name), values.isEmpty ? .none : .list(values))
  }

  private mutating func updateBlock(at position: Int) throws(Refusal) {
    guard let (name, parameters) = Self.block(buffer.line(position)) else {
      throw Refusal(.notFound, "Not at a dynamic block")
    }
    var end = buffer.nextLine(position)
    while end < buffer.count, !buffer.line(end).trimmed.lowercased.starts(with: "#+end:".utf8) {
      end = buffer.nextLine(end)
    }
    guard end < buffer.count else { throw Refusal(.invalid, "Dynamic block not terminated") }
    guard name == "clocktable", parameters.member(":step") == nil, parameters.member(":formatter") == nil else {
      return effects.append(.hint("the block \(name) is left as it is; only Emacs can generate it"))
    }
    let start = buffer.nextLine(position)
    let formulas = buffer.text[start..<end].lines.filter { $0.trimmedLeft.hasPrefix(ignoringCase: "#+tblfm:") }.map(
      \.string)
    buffer.delete(start..<end)
    let indentation = buffer.line(position).indentation.string
    let lines = try clockTable(parameters, at: position).lines + formulas
    buffer.insert(lines.map { indentation + $0 + "\n" }.joined(), at: start)
  }

  // MARK: Data

  private mutating func clockTable(_ own: OrgValue, at position: Int) throws(Refusal) -> ClockTable {
    let parameters = OrgValue.list((own.elements ?? []) + (value("org-clocktable-defaults").elements ?? []))
    let range = try clockRange(parameters)
    let scope = parameters.member(":scope") ?? .symbol("file")
    let present = (buffer, line, heading)
    var tables: [ClockTable.File] = []
    let names = clockFiles(scope)
    for name in names ?? [buffer.path] {
      try open(name)
      tables.append(try clockRows(parameters, range, in: names == nil ? clockScope(scope, position) : nil))
    }
    try open(present.0.path)
    (line, heading) = (present.1, present.2)
    let hides = parameters.member(":hidefiles")?.isTrue ?? false
    return ClockTable(
      files: tables, parameters: parameters, period: range?.text, isMultiFile: names != nil && !hides, now: context.now)
  }

  private func clockRange(_ parameters: OrgValue) throws(Refusal) -> ClockRange? {
    guard let block = parameters.member(":block"), block.isTrue else { return nil }
    let key = block.symbol ?? block.text ?? block.number.map(String.init) ?? ""
    let (week, month) = (parameters.member(":wstart")?.number ?? 1, parameters.member(":mstart")?.number ?? 1)
    guard let range = ClockRange(key, now: context.now, weekStart: week, monthStart: month) else {
      throw Refusal(.invalid, "No such time block \(key)")
    }
    return range
  }

  /// Returns the files of a scope of several files.
  private func clockFiles(_ scope: OrgValue) -> [String]? {
    switch scope {
    case .symbol("agenda"), .symbol("agenda-with-archives"): files.names
    case .list(let paths): paths.compactMap(\.text).compactMap { files.relative($0) }
    default: nil
    }
  }

  private func clockScope(_ scope: OrgValue, _ position: Int) -> Range<Int>? {
    guard let name = scope.symbol, name == "subtree" || name.hasPrefix("tree"),
      let entry = buffer.heading(containing: position)
    else { return nil }
    if name == "subtree" { return entry..<buffer.subtreeEnd(entry) }
    let level = Int(written: name.dropFirst(4)) ?? 1
    let chain = buffer.ancestors(entry)
    let top = chain.last { (buffer.level(at: $0) ?? 1) <= level && $0 != entry } ?? chain[0]
    return top..<buffer.subtreeEnd(top)
  }

  private mutating func clockRows(
    _ parameters: OrgValue, _ range: ClockRange?, in part: Range<Int>?
  ) throws(Refusal) -> ClockTable.File {
    let (start, end) = (
      try clockTime(parameters.member(":tstart")) ?? range?.start,
      try clockTime(parameters.member(":tend")) ?? range?.end
    )
    let selected = try selectedEntries(parameters.member(":match"))
    let sum = ClockSum(buffer, context.zone, now: context.now, in: part, from: start, to: end, selects: selected)
    let maxLevel = parameters.member(":maxlevel")?.number ?? 2
    var rows: [ClockTable.Row] = []
    for heading in buffer.headings(in: part ?? 0..<buffer.count) {
      guard let minutes = sum.minutes[heading], minutes > 0, let level = buffer.level(at: heading), level <= maxLevel
      else { continue }
      rows.append(clockRow(heading, level, minutes, parameters))
    }
    let name = buffer.path.split(separator: "/").last.map(String.init) ?? buffer.path
    return ClockTable.File(name: name, minutes: sum.total, rows: rows)
  }

  private mutating func clockRow(_ heading: Int, _ level: Int, _ minutes: Int, _ parameters: OrgValue) -> ClockTable.Row
  {
    let title = title(heading)
    var headline = title
    if parameters.member(":link")?.isTrue ?? false {
      let text = OutlineTitle.text(title)
      headline = CaptureWords.link("file:\(files.absolute(buffer.path))::*\(text)", text)
    }
    let names = parameters.member(":properties")?.elements?.compactMap(\.text) ?? []
    let inherits = parameters.member(":inherit-props")?.isTrue ?? false
    var properties: [String: String] = [:]
    for name in names { properties[name] = inherits ? inheritedProperty(name, heading) : localProperty(name, heading) }
    let stamp =
      planningStamp(.scheduled, heading) ?? planningStamp(.deadline, heading)
      ?? Self.nextTimestamp(in: buffer.text[heading..<buffer.nextHeading(heading)]).map { buffer.text[$0].string }
    return ClockTable.Row(
      level: level, headline: headline, tags: inheritedTags(heading) + tags(heading), timestamp: stamp ?? "",
      minutes: minutes, properties: properties)
  }

  /// Returns the moment of `:tstart` or `:tend`.
  private func clockTime(_ value: OrgValue?) throws(Refusal) -> OrgMoment? {
    guard let text = value?.text ?? value?.symbol else { return nil }
    let content = text.hasPrefix("<") && text.hasSuffix(">") ? String(text.dropFirst().dropLast()) : text
    switch content {
    case "now": return context.now
    case "today": return OrgMoment(day: context.now.day)
    case "tomorrow": return OrgMoment(day: context.now.day.advanced(by: 1))
    case "yesterday": return OrgMoment(day: context.now.day.advanced(by: -1))
    default:
      if let stamp = OrgTimestamp("<\(content)>") { return OrgMoment(stamp) }
      let reading = try OrgDateReader(now: context.now, zone: context.zone, settings: context.settings).read(content)
      return reading.hasTime ? reading.moment : OrgMoment(day: reading.moment.day)
    }
  }

  /// Returns a test for the entries that `:match` selects.
  private func selectedEntries(_ match: OrgValue?) throws(Refusal) -> ((Int) -> Bool)? {
    guard let text = match?.text, !text.isEmpty else { return nil }
    guard let match = OrgMatch(text) else { throw Refusal(.invalid, "\(text) is not a match of tags and states") }
    let entries = OrgDocument(buffer.text).entries
    let selected = Set(zip(buffer.headings, entries).filter { match.selects($0.1) }.map(\.0))
    return { selected.contains($0) }
  }
}

extension OrgValue {
  /// The value as Lisp writes it.
  var lispText: String {
    switch self {
    case .none: "nil"
    case .yes: "t"
    case .number(let number): String(number)
    case .text(let text): "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    case .symbol(let name): name
    case .list(let elements): "(" + elements.map(\.lispText).joined(separator: " ") + ")"
    case .pair(let first, let rest): "(\(first.lispText) . \(rest.lispText))"
    }
  }
}
