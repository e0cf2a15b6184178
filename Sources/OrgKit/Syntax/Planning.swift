/// The planning line below a headline: `CLOSED: […] DEADLINE: <…> SCHEDULED: <…>`.
struct Planning {
  /// The kind of a planning date, in Org's order.
  enum Kind: Int, CaseIterable, Comparable {
    case closed, deadline, scheduled

    /// The keyword on the line; Org accepts only capitals.
    var word: StaticString {
      switch self {
      case .closed: "CLOSED:"
      case .deadline: "DEADLINE:"
      case .scheduled: "SCHEDULED:"
      }
    }

    static func < (left: Kind, right: Kind) -> Bool { left.rawValue < right.rawValue }
  }

  /// A planning keyword with its timestamp.
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

  /// The items in the order of the line; nil if the line contains anything else, and is therefore one opaque value.
  var items: [Item]? { Self.items(line.trimmed) }

  subscript(kind: Kind) -> Bytes? { items?.first { $0.kind == kind }?.timestamp }

  /// Returns true if a line is a planning line, whatever its items are.
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
