/// Returns the line of the headline at a place, counted from 1; nil for a place above the first entry.
package func headline(
  at place: OrgPlace, in files: inout OrgFileSet, _ context: OrgContext
) throws(Refusal) -> Int? {
  var editor = OrgEditor(files, context)
  try editor.visit(place)
  files = editor.files
  return editor.heading.map { editor.buffer.lineNumber($0) }
}

/// Returns the lines of all entries of a file that a path of titles leads to, counted from 1, so that a command can refuse a path
/// that names several.
package func headlines(
  at path: [String], of file: String, in files: inout OrgFileSet, _ context: OrgContext
) throws(Refusal) -> [Int] {
  var editor = OrgEditor(files, context)
  try editor.open(file)
  files = editor.files
  return editor.findAll(path).map { editor.buffer.lineNumber($0) }
}

/// Returns the texts of the items at a place that begin with a text; only those that consist of it, if there are such items. A verb
/// takes the first of them.
package func items(
  beginningWith text: String, at place: OrgPlace, in files: inout OrgFileSet, _ context: OrgContext
) throws(Refusal) -> [String] {
  var editor = OrgEditor(files, context)
  try editor.visit(place)
  files = editor.files
  return editor.items(beginningWith: text, from: editor.heading ?? 0).map { String(decoding: $0.text, as: UTF8.self) }
}

extension OrgEditor {
  /// Goes to the place of a verb.
  mutating func visit(_ place: OrgPlace) throws(Refusal) {
    if place.file.isEmpty, place.entry == .preamble { return }
    try open(try file(of: place))
    heading = try find(place.entry)
    let start = heading ?? 0
    if case .line(let number) = place.entry { line = buffer.start(ofLine: number) }
    if let item = place.item { line = try findItem(item, from: start) }
    if let text = place.text { line = try findText(text, from: line ?? start) }
    if line != nil, place.item != nil || place.text != nil { heading = buffer.heading(containing: line ?? 0) }
  }

  /// Returns the file of a place; for an ID without a file, the one that has it.
  private mutating func file(of place: OrgPlace) throws(Refusal) -> String {
    guard case .id(let id) = place.entry, place.file.isEmpty || !contains(id, place.file) else { return place.file }
    guard let path = files.names.first(where: { contains(id, $0) }) else {
      throw Refusal(.notFound, "no entry has the ID \(id)")
    }
    return path
  }

  private mutating func contains(_ id: String, _ path: String) -> Bool {
    guard let content = path == buffer.path ? buffer.text : files[path] else { return false }
    return content[...].firstRange(of: Array(id.utf8)) != nil
      && OrgBuffer(path: path, content: content).heading(id: id) != nil
  }

  private mutating func find(_ entry: OrgPlace.Entry) throws(Refusal) -> Int? {
    switch entry {
    case .preamble: return nil
    case .first:
      let first = buffer.firstHeading
      return first < buffer.count ? first : nil
    case .line(let number): return buffer.heading(containing: buffer.start(ofLine: number))
    case .id(let id):
      guard let heading = buffer.heading(id: id) else { throw Refusal(.notFound, "no entry has the ID \(id)") }
      return heading
    case .path(let path): return try find(path)
    }
  }

  /// Returns the entry at the end of a path of titles; the first one if titles repeat.
  mutating func find(_ path: [String]) throws(Refusal) -> Int? {
    var found: Int?
    for title in path {
      guard let next = children(of: found, titled: title).first else {
        throw Refusal(.notFound, "no heading \(path.joined(separator: "/")) in \(buffer.path)")
      }
      found = next
    }
    return found
  }

  /// Returns all entries at the end of a path of titles.
  fileprivate mutating func findAll(_ path: [String]) -> [Int] {
    var found: [Int?] = [nil]
    for title in path { found = found.flatMap { children(of: $0, titled: title) } }
    return found.compactMap(\.self)
  }

  private mutating func children(of parent: Int?, titled title: String) -> [Int] {
    let keywords = options.states.keywords
    return buffer.children(parent).filter { headline(at: $0, keywords).isTitled(title) }
  }

  private func headline(at heading: Int, _ keywords: Keywords) -> Headline {
    Headline(buffer.line(heading), keywords: keywords)
  }

  private func findItem(_ text: String, from start: Int) throws(Refusal) -> Int {
    guard let item = items(beginningWith: text, from: start).first else {
      throw Refusal(.notFound, "no item \(text) in \(buffer.path)")
    }
    return item.position
  }

  /// Returns the items whose first line begins with a text; only those that consist of it, if there are such items.
  fileprivate func items(beginningWith text: String, from start: Int) -> [(position: Int, text: Bytes)] {
    var found: [(position: Int, text: Bytes)] = []
    let end = buffer.level(at: start) == nil ? buffer.count : buffer.subtreeEnd(start)
    var position = start
    while position < end {
      let line = buffer.line(position)
      if let marker = ListMarker(anyBullet: line), line[marker.contentStart...].starts(with: text.utf8) {
        found.append((position, line[marker.contentStart...]))
      }
      position = buffer.lineEnd(position) + 1
    }
    let whole = found.filter { $0.text.elementsEqual(text.utf8) }
    return whole.isEmpty ? found : whole
  }

  private func findText(_ text: String, from start: Int) throws(Refusal) -> Int {
    guard let range = buffer.text[start...].firstRange(of: Array(text.utf8)) else {
      throw Refusal(.notFound, "no text \(text) in \(buffer.path)")
    }
    return range.lowerBound
  }
}

extension OrgBuffer {
  /// Returns the entry with a property `ID`.
  func heading(id: String) -> Int? {
    headings.first { heading in
      properties(heading).contains { $0.key.equals(ignoringCase: "id") && $0.value.elementsEqual(id.utf8) }
    }
  }
}

extension ListMarker {
  /// The beginning of an item, also with a letter as its bullet.
  init?(anyBullet line: Bytes) { self.init(line) }
}

extension Headline {
  /// Returns true if the title is this one; statistics cookies and COMMENT may be missing in `title`.
  func isTitled(_ title: String) -> Bool {
    let wanted = Array(title.utf8)
    if self.title.elementsEqual(wanted) || self.title.withoutCookies.elementsEqual(wanted) { return true }
    return isComment && (Array("COMMENT ".utf8) + self.title).elementsEqual(wanted)
  }
}

extension ArraySlice<UInt8> {
  /// The text without statistics cookies such as `[1/3]` and `[33%]` at its beginning and end.
  var withoutCookies: Bytes {
    var rest = self
    while let cookie = rest.leadingCookie { rest = rest[cookie.endIndex...].trimmedLeft }
    while let cookie = rest.trailingCookie { rest = rest[..<cookie.startIndex].trimmedRight }
    return rest
  }

  private var leadingCookie: Bytes? {
    guard first == UInt8(ascii: "["), let close = firstIndex(of: UInt8(ascii: "]")) else { return nil }
    return self[...close].isCookie ? self[...close] : nil
  }

  private var trailingCookie: Bytes? {
    guard last == UInt8(ascii: "]"), let open = lastIndex(of: UInt8(ascii: "[")) else { return nil }
    return self[open...].isCookie ? self[open...] : nil
  }

  /// True for `[…]` with digits, a slash or a percent sign.
  private var isCookie: Bool {
    let content = dropFirst().dropLast()
    return !content.isEmpty && content.allSatisfy { $0.isDigit || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "%") }
  }
}
