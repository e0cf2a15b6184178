/// Parses the capture file as `org-mobile-apply` does: edits at any position; everything else is text for the inbox.
struct CaptureReader {
  /// A piece of the capture file, in order.
  enum Piece: Hashable, Sendable {
    /// Notes and other text, for the inbox, unchanged.
    case text(Bytes)
    /// An edit with its subtree.
    case edit(Edit, Bytes)
    /// An edit of unknown form; it is dropped, as in Emacs.
    case unknown(Bytes)
    /// An unknown action; it stays, with a message.
    case bad(Bytes)
  }

  private let lines: [Bytes]

  /// Parses the text of a capture file. Lines with note IDs are removed first.
  init(_ bytes: Bytes) {
    lines = bytes.textLines.filter { NoteID(line: $0) == nil }
  }

  var pieces: [Piece] {
    var pieces: [Piece] = []
    var text: [Bytes] = []
    var index = 0
    while index < lines.count {
      guard let head = Head(lines[index]) else {
        text.append(lines[index])
        index += 1
        continue
      }
      let end = subtreeEnd(from: index, level: head.level)
      if !text.isEmpty { pieces.append(.text(text.text)) }
      text = []
      pieces.append(piece(head, Array(lines[index..<end])))
      index = end
    }
    if !text.isEmpty { pieces.append(.text(text.text)) }
    return pieces
  }

  private func subtreeEnd(from start: Int, level: Int) -> Int {
    lines[(start + 1)...].firstIndex { ($0.headingLevel ?? .max) <= level } ?? lines.count
  }

  private func piece(_ head: Head, _ subtree: [Bytes]) -> Piece {
    guard let link = EntryLink(head.link) else { return .bad(subtree.text) }
    if head.action.isEmpty {
      let note = Array(subtree.dropFirst()).text
      return .edit(Edit(kind: .flag, link: link, title: head.title, new: note), subtree.text)
    }
    guard head.action.elementsEqual("edit".utf8) else { return .bad(subtree.text) }
    let data = head.data.string == "todostate" ? "todo" : head.data.string
    guard let kind = Edit.Kind(rawValue: data), kind != .flag else { return .unknown(subtree.text) }
    let body = subtree.dropFirst()
    let (old, rest) = Self.value("Old value", in: body)
    let (new, _) = Self.value("New value", in: rest)
    return .edit(
      Edit(kind: kind, link: link, title: head.title, old: Self.trimmed(old, kind), new: Self.trimmed(new, kind)),
      subtree.text)
  }

  /// Returns the text below the first heading with this name, up to the next heading of any level, and the rest to search.
  private static func value(_ name: String, in lines: ArraySlice<Bytes>) -> (Bytes, ArraySlice<Bytes>) {
    let start = lines.firstIndex { line in
      line.headingLevel.map { Bytes(line.dropFirst($0 + 1)).withoutTrailingBlanks.elementsEqual(name.utf8) } ?? false
    }
    guard let start else { return ([], lines) }
    let rest = lines[(start + 1)...]
    let end = rest.firstIndex { $0.headingLevel != nil } ?? rest.endIndex
    return (Array(rest[..<end]).text, rest[end...])
  }

  private static func trimmed(_ value: Bytes, _ kind: Edit.Kind) -> Bytes {
    if value.isBlank { return [] }
    return kind == .body ? value : value.trimmed
  }
}

/// The headline of an edit: `* F(edit:todo) [[id:…][…]]`.
private struct Head {
  let level: Int
  let action: Bytes
  let data: Bytes
  let link: Bytes
  let title: Bytes

  /// Matches the pattern of org-mobile-apply, which ignores case.
  init?(_ line: Bytes) {
    let stars = line.prefix { $0 == UInt8(ascii: "*") }.count
    var rest = line.dropFirst(stars)
    guard stars > 0, Self.skipBlanks(&rest), Bytes(rest.prefix(2)).lowercased.elementsEqual("f(".utf8) else {
      return nil
    }
    rest = rest.dropFirst(2)
    guard let close = rest.firstIndex(of: UInt8(ascii: ")")) else { return nil }
    let inside = rest[..<close]
    guard !inside.contains(UInt8(ascii: "(")) else { return nil }
    let parts = inside.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
    rest = rest[(close + 1)...]
    guard Self.skipBlanks(&rest), rest.starts(with: "[[".utf8) else { return nil }
    rest = rest.dropFirst(2)
    let end = rest.firstIndex(of: UInt8(ascii: "]")) ?? rest.endIndex
    let link = Bytes(rest[..<end])
    guard ["id:", "olp:"].contains(where: { Bytes(link.prefix($0.utf8.count)).equals(ignoringCase: $0.utf8) }) else {
      return nil
    }
    let description = rest[end...].dropFirst()
    level = stars
    action = parts.first.map { Bytes($0) } ?? []
    data = parts.count > 1 ? Bytes(parts[1]) : []
    self.link = link
    title =
      description.first == UInt8(ascii: "[")
      ? Bytes(description.dropFirst().prefix { $0 != UInt8(ascii: "]") }) : []
  }

  private static func skipBlanks(_ rest: inout ArraySlice<UInt8>) -> Bool {
    let blanks = rest.prefix { $0 == 0x20 || $0 == 0x09 }.count
    rest = rest.dropFirst(blanks)
    return blanks > 0
  }
}
