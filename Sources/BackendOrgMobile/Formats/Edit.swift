/// One command of the capture file: what to do with an entry.
struct Edit: Hashable, Sendable {
  /// What is edited; the words are those of the protocol.
  enum Kind: String, Hashable, Sendable, CaseIterable {
    case todo, tags, priority, heading, body, addheading, refile, delete, archive
    case archiveSibling = "archive-sibling"
    /// Not an edit but a flag: the new value is its note.
    case flag = ""
  }

  var kind: Kind
  var link: EntryLink
  /// The title of the entry, for people.
  var title: Bytes
  var old: Bytes = []
  var new: Bytes = []

  /// The edit as the capture file has it. The spelling is that which all clients understand.
  var bytes: Bytes {
    let head = kind == .flag ? "* F() [[" : "* F(edit:\(kind.rawValue)) [["
    let description = title.map {
      $0 == UInt8(ascii: "[") ? UInt8(ascii: "{") : $0 == UInt8(ascii: "]") ? UInt8(ascii: "}") : $0
    }
    let line = Bytes(head.utf8) + link.bytes + Bytes("][".utf8) + description + Bytes("]]\n".utf8)
    guard kind != .flag else { return line + Self.closed(new) }
    return line + Bytes("** Old value\n".utf8) + Self.closed(old) + Bytes("** New value\n".utf8) + Self.closed(new)
      + Bytes("** End of edit\n".utf8)
  }

  private static func closed(_ value: Bytes) -> Bytes {
    value.isEmpty || value.last == UInt8(ascii: "\n") ? value : value + [UInt8(ascii: "\n")]
  }
}

/// A value can hold no line that looks like a heading: what follows it would be lost.
extension [UInt8] {
  var isEditValue: Bool { !textLines.contains { $0.headingLevel != nil } }
}
