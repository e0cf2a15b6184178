/// Encodes objects as git stores them one by one: zlib (RFC 1950) around the header and the bytes.
enum LooseObject {
  /// The longest stored block of deflate (RFC 1951, 3.2.4).
  private static let longestBlock = 65_535

  /// Returns the file of an object. Nothing is compressed: any valid stream will do.
  static func file(_ object: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = [0x78, 0x01]
    for start in stride(from: 0, to: max(1, object.count), by: longestBlock) {
      let block = object[start..<min(start + longestBlock, object.count)]
      let (size, isLast) = (UInt16(block.count), start + longestBlock >= object.count)
      bytes.append(isLast ? 1 : 0)
      for number in [size, ~size] { bytes += [UInt8(truncatingIfNeeded: number), UInt8(number >> 8)] }
      bytes += block
    }
    let sum = adler32(object)
    for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: sum >> UInt32(shift))) }
    return bytes
  }

  private static func adler32(_ bytes: [UInt8]) -> UInt32 {
    var (a, b): (UInt32, UInt32) = (1, 0)
    for byte in bytes {
      a = (a + UInt32(byte)) % 65_521
      b = (b + a) % 65_521
    }
    return b << 16 | a
  }
}
