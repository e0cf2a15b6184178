extension OrgEditor {
  /// Returns the text of a template with all escapes filled in, except `%?`.
  mutating func filled(
    _ template: CaptureTemplate, _ capture: OrgCapture, _ words: CaptureWords, _ time: OrgMoment
  ) throws(Refusal) -> String {
    var text = try CaptureEscapes(words, time, userName: context.userName).fill(template.text, &files)
    text = try fillPrompts(text)
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
    while let first = lines.first, first.allSatisfy(\.isWhitespace) { lines.removeFirst() }
    while let last = lines.last, last.allSatisfy(\.isWhitespace) { lines.removeLast() }
    return lines.map(Self.untabified).joined(separator: "\n") + "\n"
  }

  private static func untabified(_ line: Substring) -> String {
    guard line.contains("\t") else { return String(line) }
    var (text, width) = ("", 0)
    for character in line {
      let count = character == "\t" ? 8 - width % 8 : 1
      text += character == "\t" ? String(repeating: " ", count: count) : String(character)
      width += count
    }
    return text
  }

  /// Asks for the values of `%^{…}`, in order, and fills in `%\1`.
  private mutating func fillPrompts(_ text: String) throws(Refusal) -> String {
    var draft = OrgEditor(files, context)
    draft.buffer = OrgBuffer(path: buffer.path, content: Array(text.utf8))
    draft.setStates(options.states, of: buffer.path)
    var (strings, position) = ([String](), 0)
    while let found = CapturePrompt(in: draft.buffer.text, from: position) {
      if found.isEscaped {
        draft.buffer.delete(found.backslashes)
        position = found.range.upperBound - found.backslashes.count
        continue
      }
      draft.buffer.delete(found.range)
      position = try fill(found, in: &draft, at: found.range.lowerBound, &strings)
    }
    var filled = draft.buffer.text.string
    for (index, string) in strings.enumerated().reversed() {
      filled = filled.replacing("%\\\(index + 1)", with: string)
    }
    return filled
  }

  /// Inserts the answer to a prompt, and returns the position behind it.
  private mutating func fill(
    _ prompt: CapturePrompt, in draft: inout OrgEditor, at position: Int, _ strings: inout [String]
  ) throws(Refusal) -> Int {
    switch prompt.key {
    case nil:
      let answer = try ask(prompt.question ?? "Enter string")
      let value = answer.isEmpty ? prompt.standard ?? "" : answer
      strings.append(value)
      draft.buffer.insert(value, at: position)
      return position + value.utf8.count
    case "t", "T", "u", "U":
      let isTimed = prompt.key == "T" || prompt.key == "U"
      var reading = try readDate(try ask(prompt.question ?? "Date+time"), context.settings)
      if isTimed { reading.hasTime = true }
      let stamp = reading.stamp(isActive: prompt.key == "t" || prompt.key == "T").description
      draft.buffer.insert(stamp, at: position)
      return position + stamp.utf8.count
    case "g", "G": return fillTags(try ask(prompt.question ?? "Tags"), in: &draft, at: position)
    case "p":
      guard let name = prompt.question else {
        throw Refusal(.invalid, "the template asks for a property without its name")
      }
      let answer = try ask(name)
      draft.putProperty(
        name, answer.isEmpty ? prompt.standard ?? "" : answer, draft.buffer.heading(containing: position))
      return position
    default: throw Refusal(.needsEmacs, "the template asks for the clipboard by %^\(prompt.key ?? " ")")
    }
  }

  private func fillTags(_ answer: String, in draft: inout OrgEditor, at position: Int) -> Int {
    let tags = answer.split(separator: ":").map { $0.trimmingCharacters }.filter { !$0.isEmpty }
    guard !tags.isEmpty else { return position }
    let hasColon = position > 0 && draft.buffer.text[position - 1] == .colon
    let text =
      (hasColon ? "" : ":") + tags.joined(separator: ":") + (draft.buffer.byte(at: position) == .colon ? "" : ":")
    draft.buffer.insert(text, at: position)
    let end = draft.buffer.mark(position + text.utf8.count)
    let line = draft.buffer.lineStart(position)
    if draft.buffer.level(at: line) != nil { draft.alignTags(line) }
    return draft.buffer[end]
  }
}

extension Substring {
  fileprivate var trimmingCharacters: String { String(self).trimmingSpaces }
}

/// A prompt such as `%^{What|default|choice}` in a template.
struct CapturePrompt {
  let range: Range<Int>
  let question: String?
  let standard: String?
  let key: Character?
  let isEscaped: Bool
  /// The backslashes that an unescaped prompt loses.
  let backslashes: Range<Int>

  /// Finds the next prompt.
  init?(in text: [UInt8], from start: Int) {
    guard let found = text[start...].firstRange(of: Array("%^".utf8)) else { return nil }
    var end = found.upperBound
    var parts: [String] = []
    if end < text.count, text[end] == UInt8(ascii: "{"), let close = text[end...].firstIndex(of: UInt8(ascii: "}")) {
      parts = text[(end + 1)..<close].string.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
      end = close + 1
    }
    var key: Character?
    if end < text.count, "CgGLptTuU".utf8.contains(text[end]) {
      key = Character(UnicodeScalar(text[end]))
      end += 1
    }
    (range, self.key) = (found.lowerBound..<end, key)
    question = parts.first
    standard = parts.count > 1 ? parts[1] : nil
    var first = found.lowerBound
    while first > 0, text[first - 1] == UInt8(ascii: "\\") { first -= 1 }
    let count = found.lowerBound - first
    isEscaped = count % 2 == 1
    backslashes = first..<first + (count + 1) / 2
  }
}
