package import SettingsRegistry

extension JSON {
  /// The value in one line of ASCII with everything else escaped, as headers require.
  package var ascii: [UInt8] {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return bytes
  }

  private func append(to bytes: inout [UInt8]) {
    switch self {
    case .null, .boolean, .integer, .number: bytes += line.utf8
    case .string(let text): Self.append(text, to: &bytes)
    case .array(let values):
      Self.append(values, between: ("[", "]"), to: &bytes) { $0.append(to: &$1) }
    case .object(let members):
      Self.append(members, between: ("{", "}"), to: &bytes) { member, bytes in
        Self.append(member.name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        member.value.append(to: &bytes)
      }
    }
  }

  private static func append<Item>(
    _ items: [Item], between ends: (Unicode.Scalar, Unicode.Scalar), to bytes: inout [UInt8],
    _ append: (Item, inout [UInt8]) -> Void
  ) {
    bytes.append(UInt8(ascii: ends.0))
    for (index, item) in items.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      append(item, &bytes)
    }
    bytes.append(UInt8(ascii: ends.1))
  }

  private static func append(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for unit in text.utf16 {
      switch unit {
      case 0x22, 0x5C: bytes += [0x5C, UInt8(unit)]
      case 0x20..<0x7F: bytes.append(UInt8(unit))
      default:
        let digits = String(unit, radix: 16)
        bytes += ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
