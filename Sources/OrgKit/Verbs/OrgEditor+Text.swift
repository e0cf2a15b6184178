extension OrgEditor {
  /// Changes the title; keyword, priority and tags stay.
  mutating func changeTitle(_ title: String) throws(Refusal) {
    let heading = try entry()
    guard !title.contains(where: \.isNewline) else { throw Refusal(.invalid, "a title has one line") }
    let new = Array(Array(title.utf8)[...].trimmed)
    let parts = parts(heading)
    if buffer.text[parts.title].elementsEqual(new) { return }
    if parts.title.isEmpty {
      buffer.insert([.space] + new, at: parts.headEnd)
    } else {
      buffer.replace(parts.title, with: new)
    }
    alignTags(heading)
  }

  /// Replaces the text between the meta data and the first child.
  mutating func replaceBody(_ text: String, log: Bool) throws(Refusal) {
    let heading = try entry()
    var start = buffer.fullMetaDataEnd(heading, allDrawers: true)
    let next = buffer.nextHeading(heading)
    let end = max(start, buffer.nextLine(buffer.skipWhiteSpaceBackwards(next)))
    if start > 0, !buffer.isLineStart(start) {
      buffer.insert("\n", at: start)
      start += 1
    }
    buffer.delete(start..<max(start, min(end, buffer.count)))
    if !text.isEmpty { buffer.insert(Self.withoutHeadlines(text) + "\n", at: start) }
    if log { try addLog(PendingLog(.note, how: .note), at: heading) }
  }

  /// Indents the lines of a text that would be headlines.
  static func withoutHeadlines(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let rest = line.drop { $0 == "*" }
      return rest.startIndex > line.startIndex && rest.first == " " ? " " + line : String(line)
    }.joined(separator: "\n")
  }

  /// Adds `COMMENT` to the headline, or removes it.
  mutating func toggleComment() throws(Refusal) {
    let heading = try entry()
    let parts = parts(heading)
    var position = buffer.skipBlanks(parts.headEnd)
    if position == parts.headEnd, buffer.text[position - 1] != .space {
      buffer.insert(" ", at: position)
      position += 1
    }
    guard parts.isComment else {
      return buffer.insert(position == buffer.lineEnd(position) ? "COMMENT" : "COMMENT ", at: position)
    }
    let word = buffer.text[position..<buffer.lineEnd(position)].prefix { $0 != .space }
    buffer.delete(position..<buffer.skipBlanks(word.endIndex))
  }
}
