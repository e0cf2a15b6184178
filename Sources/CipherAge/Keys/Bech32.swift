/// The text form of keys (BIP 173, without its length limit).
enum Bech32 {
  private static let digits = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)

  /// Encodes `bytes` after the prefix `kind`, in lower case.
  static func text(of bytes: [UInt8], kind: String) -> String {
    let data = regrouped(bytes, from: 8, to: 5, padding: true) ?? []
    let prefix = expanded(Array(kind.utf8))
    let check = checksum(prefix + data + [0, 0, 0, 0, 0, 0]) ^ 1
    let code = (0..<6).map { UInt8(check >> (5 * (5 - $0)) & 31) }
    return "\(kind)1\(String(decoding: (data + code).map { digits[Int($0)] }, as: UTF8.self))"
  }

  /// Decodes a key; returns nil if the text is invalid. Mixed case is invalid.
  static func read(_ text: String) -> (kind: String, bytes: [UInt8])? {
    let lower = text.lowercased()
    guard text == lower || text == text.uppercased(), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
      let separator = lower.utf8.lastIndex(of: UInt8(ascii: "1")), separator != lower.startIndex
    else { return nil }
    let values = lower.utf8[separator...].dropFirst().map { digits.firstIndex(of: $0) }
    guard values.count >= 6, !values.contains(nil) else { return nil }
    let data = values.compactMap(\.self).map { UInt8($0) }
    guard checksum(expanded(Array(lower.utf8[..<separator])) + data) == 1,
      let bytes = regrouped(data.dropLast(6), from: 5, to: 8, padding: false)
    else { return nil }
    return (String(text[..<separator]), bytes)
  }

  private static func expanded(_ kind: [UInt8]) -> [UInt8] { kind.map { $0 >> 5 } + [0] + kind.map { $0 & 31 } }

  private static func checksum(_ values: [UInt8]) -> UInt32 {
    let generators: [UInt32] = [0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3]
    var check: UInt32 = 1
    for value in values {
      let top = check >> 25
      check = (check & 0x1ff_ffff) << 5 ^ UInt32(value)
      for (bit, generator) in generators.enumerated() where top >> UInt32(bit) & 1 == 1 { check ^= generator }
    }
    return check
  }

  private static func regrouped(_ values: some Sequence<UInt8>, from: UInt32, to: UInt32, padding: Bool) -> [UInt8]? {
    var bits: UInt32 = 0
    var count: UInt32 = 0
    var result: [UInt8] = []
    for value in values {
      bits = (bits << from | UInt32(value)) & 0xFFFF
      count += from
      while count >= to {
        count -= to
        result.append(UInt8(truncatingIfNeeded: bits >> count & (1 << to - 1)))
      }
    }
    let rest = bits & (1 << count - 1)
    if padding {
      if count > 0 { result.append(UInt8(truncatingIfNeeded: rest << (to - count))) }
    } else if count >= from || rest != 0 {
      return nil
    }
    return result
  }
}
