/// The id of a git object: the SHA-1 of its type, size and bytes.
package struct ObjectID: Hashable, Sendable {
  package let bytes: [UInt8]

  package static let size = 20
  /// The id that means "no object" in the protocol.
  package static let zero = ObjectID(bytes: Array(repeating: 0, count: size))

  package init(bytes: [UInt8]) { self.bytes = bytes }

  /// Parses forty hexadecimal digits; returns nil for any other text.
  package init?(_ text: some StringProtocol) {
    let digits = text.utf8.compactMap(Self.value)
    guard text.utf8.count == 2 * Self.size, digits.count == 2 * Self.size else { return nil }
    bytes = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// The first digits, enough for people to distinguish commits.
  package var short: String { String(description.prefix(10)) }
}

extension ObjectID: CustomStringConvertible {
  package var description: String {
    let digits = Array("0123456789abcdef")
    return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }
}

extension ObjectID: Decodable {
  /// Decodes forty hexadecimal digits.
  package init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard let id = ObjectID(text) else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "not the id of an object"))
    }
    self = id
  }
}
