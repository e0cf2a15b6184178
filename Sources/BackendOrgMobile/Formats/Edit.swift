/// One command of the capture file: a change of an entry.
struct Edit: Hashable, Sendable {
  /// The kind of change, in the protocol's terms.
  enum Kind: String, Hashable, Sendable, CaseIterable {
    case todo, tags, priority, heading, body, addheading, refile, delete, archive
    case archiveSibling = "archive-sibling"
    /// A flag instead of an edit: the new value is its note.
    case flag = ""
  }

  var kind: Kind
  var link: EntryLink
  /// The title of the entry, for people.
  var title: Bytes
  var old: Bytes = []
  var new: Bytes = []

  /// The edit in the capture file's format, spelled so that all clients understand it.
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

/// True if the text has no line that looks like a heading, which would end the value.
extension [UInt8] {
  var isEditValue: Bool { !textLines.contains { $0.headingLevel != nil } }
}
