/// The line below a headline that says when: `CLOSED: […] DEADLINE: <…> SCHEDULED: <…>`.
struct Planning {
  /// What a date on the line means; in the order in which Org writes them.
  enum Kind: Int, CaseIterable, Comparable {
    case closed, deadline, scheduled

    /// The word on the line; Org knows it in capitals only.
    var word: StaticString {
      switch self {
      case .closed: "CLOSED:"
      case .deadline: "DEADLINE:"
      case .scheduled: "SCHEDULED:"
      }
    }

    static func < (left: Kind, right: Kind) -> Bool { left.rawValue < right.rawValue }
  }

  /// One word and its timestamp.
  struct Item {
    let kind: Kind
    let keyword: Bytes
    let timestamp: Bytes
  }

  let line: Bytes

  init?(_ line: Bytes) {
    guard Self.isOne(line) else { return nil }
    self.line = line
  }

  /// The items in the order of the line; nil if the line holds anything else, and so is one opaque value.
  var items: [Item]? { Self.items(line.trimmed) }

  subscript(kind: Kind) -> Bytes? { items?.first { $0.kind == kind }?.timestamp }

  /// Returns true if a line is one, whatever its items are.
  static func isOne(_ line: Bytes) -> Bool { kind(at: line.trimmedLeft) != nil }

  private static func items(_ content: Bytes) -> [Item]? {
    var items: [Item] = []
    var rest = content
    while !rest.isEmpty {
      guard let kind = kind(at: rest), !items.contains(where: { $0.kind == kind }) else { return nil }
      let keyword = rest.prefix(kind.word.utf8CodeUnitCount)
      let value = rest[keyword.endIndex...].trimmedLeft
      guard let stamp = timestamp(at: value) else { return nil }
      items.append(Item(kind: kind, keyword: keyword, timestamp: stamp))
      rest = rest[stamp.endIndex...].trimmedLeft
    }
    return items
  }

  private static func kind(at content: Bytes) -> Kind? {
    let bytes = content.span
    let kind: Kind
    switch content.first {
    case UInt8(ascii: "C"): kind = .closed
    case UInt8(ascii: "D"): kind = .deadline
    case UInt8(ascii: "S"): kind = .scheduled
    default: return nil
    }
    return bytes.has(kind.word, at: 0) ? kind : nil
  }

  private static func timestamp(at value: Bytes) -> Bytes? {
    guard let open = value.first else { return nil }
    let close = open == UInt8(ascii: "<") ? UInt8(ascii: ">") : UInt8(ascii: "]")
    guard let end = value.firstIndex(of: close, from: value.startIndex), OrgTimestamp.isOne(value[...end]) else {
      return nil
    }
    return value[...end]
  }
}
