/// The link from an edit to its entry.
enum EntryLink: Hashable, Sendable {
  case id(Bytes)
  /// An outline path: the titles from the top of a file; empty for the file itself.
  case outline(file: Bytes, path: [Bytes])

  /// Parses `id:…` or `olp:FILE:PATH`. Components are split first and decoded afterwards (org-mobile-locate-entry).
  init?(_ text: Bytes) {
    if text.starts(with: "id:") {
      self = .id(Bytes(text.dropFirst(3)))
    } else if text.starts(with: "olp:") {
      let rest = text.dropFirst(4)
      let colon = rest.firstIndex(of: UInt8(ascii: ":")) ?? rest.endIndex
      let path = rest[colon...].dropFirst().split(separator: UInt8(ascii: "/")).map { Self.decoded(Bytes($0)) }
      self = .outline(file: Self.decoded(Bytes(rest[..<colon])), path: path)
    } else {
      return nil
    }
  }

  /// The link as written between brackets. Emacs decodes every `%` followed by two hexadecimal digits, so these are escaped in
  /// addition to the separators.
  var bytes: Bytes {
    switch self {
    case .id(let id): Bytes("id:".utf8) + id
    case .outline(let file, let path):
      Bytes("olp:".utf8) + Self.escaped(file, escaping: "%:[]")
        + (path.isEmpty ? [] : [UInt8(ascii: ":")])
        + path.map { Self.escaped($0, escaping: "%:/[]") }.joined(separator: [UInt8(ascii: "/")])
    }
  }

  private static func escaped(_ text: Bytes, escaping special: String) -> Bytes {
    let digits = Bytes("0123456789ABCDEF".utf8)
    return text.flatMap { byte in
      special.utf8.contains(byte) ? [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]] : [byte]
    }
  }

  private static func decoded(_ text: Bytes) -> Bytes {
    var result: Bytes = []
    var rest = text[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2, let value = UInt8(Bytes(rest.prefix(2)).string, radix: 16) {
        result.append(value)
        rest = rest.dropFirst(2)
      } else {
        result.append(byte)
      }
    }
    return result
  }
}
