/// A set of bytes in a pattern: `[a-z]`, `[!a-z]`, `[[:alpha:]]`.
struct ByteClass: Hashable, Sendable {
  private var ranges: [ClosedRange<UInt8>] = []
  private let isNegated: Bool

  /// Parses a set from after its opening bracket up to the closing one; nil if it has no end, or an unknown class.
  init?(_ rest: inout ArraySlice<UInt8>) {
    isNegated = rest.first == UInt8(ascii: "!") || rest.first == UInt8(ascii: "^")
    if isNegated { rest.removeFirst() }
    var former: UInt8?
    var isFirst = true
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "]"), !isFirst { return }
      isFirst = false
      if byte == UInt8(ascii: "-"), let low = former, let next = rest.first, next != UInt8(ascii: "]") {
        rest.removeFirst()
        guard let high = Self.unquoted(next, &rest) else { return nil }
        if low <= high { ranges.append(low...high) }
        former = nil
      } else if byte == UInt8(ascii: "["), rest.first == UInt8(ascii: ":"), let name = Self.className(rest) {
        guard let members = Self.classes[name] else { return nil }
        ranges += members
        rest = rest.dropFirst(name.utf8.count + 3)
        former = nil
      } else {
        guard let member = Self.unquoted(byte, &rest) else { return nil }
        ranges.append(member...member)
        former = member
      }
    }
    return nil
  }

  func accepts(_ byte: UInt8) -> Bool { ranges.contains { $0.contains(byte) } != isNegated }

  private static func unquoted(_ byte: UInt8, _ rest: inout ArraySlice<UInt8>) -> UInt8? {
    byte == UInt8(ascii: "\\") ? rest.popFirst() : byte
  }

  /// The name in `:name:]`; nil if the next bracket does not end a class.
  private static func className(_ rest: ArraySlice<UInt8>) -> String? {
    guard let end = rest.firstIndex(of: UInt8(ascii: "]")), end - rest.startIndex >= 2,
      rest[end - 1] == UInt8(ascii: ":")
    else { return nil }
    return String(decoding: rest[(rest.startIndex + 1)..<(end - 1)], as: UTF8.self)
  }

  private static let digit: ClosedRange<UInt8> = 0x30...0x39
  private static let upper: ClosedRange<UInt8> = 0x41...0x5A
  private static let lower: ClosedRange<UInt8> = 0x61...0x7A
  private static let classes: [String: [ClosedRange<UInt8>]] = [
    "alnum": [digit, upper, lower], "alpha": [upper, lower], "blank": [0x09...0x09, 0x20...0x20],
    "cntrl": [0x00...0x1F, 0x7F...0x7F], "digit": [digit], "graph": [0x21...0x7E], "lower": [lower],
    "print": [0x20...0x7E], "punct": [0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E],
    "space": [0x09...0x0D, 0x20...0x20], "upper": [upper], "xdigit": [digit, 0x41...0x46, 0x61...0x66],
  ]
}
