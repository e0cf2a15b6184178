/// The capacity and the arrangement of a version of QR codes, with the lowest level of error correction.
struct QRLayout {
  private let version: Int

  init(_ version: Int) { self.version = version }

  /// The number of bytes of error correction in a block, by version.
  private static let correctionBytes = [
    7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28, 28, 28, 30, 30, 26, 28, 30, 30, 30,
    30,
    30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
  ]
  /// The number of blocks, by version.
  private static let blockCounts = [
    1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8, 8, 9, 9, 10, 12, 12, 12, 13, 14, 15, 16, 17, 18, 19, 19,
    20, 21, 22, 24, 25,
  ]

  var correctionBytes: Int { Self.correctionBytes[version - 1] }
  var blockCount: Int { Self.blockCounts[version - 1] }

  /// The number of bytes that the modules without a pattern hold.
  var bytes: Int {
    var modules = (16 * version + 128) * version + 64
    if version >= 2 {
      let count = version / 7 + 2
      modules -= (25 * count - 10) * count - 55
    }
    if version >= 7 { modules -= 36 }
    return modules / 8
  }

  /// The number of bytes without error correction.
  var dataBytes: Int { bytes - correctionBytes * blockCount }

  /// The number of bits in the length of the content.
  var lengthBits: Int { version < 10 ? 8 : 16 }

  /// Returns the number of bits for a content with its header.
  func dataBits(for count: Int) -> Int { 4 + lengthBits + count * 8 }

  /// The columns and rows of the centres of alignment patterns.
  var alignments: [Int] {
    guard version > 1 else { return [] }
    let count = version / 7 + 2
    let step = (version * 8 + count * 3 + 5) / (count * 4 - 4) * 2
    return [6] + (0..<count - 1).map { version * 4 + 10 - $0 * step }.reversed()
  }
}

/// The bytes of a QR code in the order in which they are drawn.
enum QRCodewords {
  /// Returns the content with its header, padding and error correction.
  static func all(of bytes: [UInt8], _ layout: QRLayout) -> [UInt8] {
    let data = padded(bytes, layout)
    let (count, correction) = (layout.blockCount, layout.correctionBytes)
    // The last blocks have one more byte.
    let shorter = count - layout.bytes % count
    var blocks: [[UInt8]] = []
    var start = 0
    for index in 0..<count {
      let end = start + layout.bytes / count - correction + (index < shorter ? 0 : 1)
      blocks.append(Array(data[start..<end]))
      start = end
    }
    let corrections = blocks.map { ReedSolomon.correction(of: $0, count: correction) }
    return interleaved(blocks) + interleaved(corrections)
  }

  private static func padded(_ bytes: [UInt8], _ layout: QRLayout) -> [UInt8] {
    var bits: [Bool] = []
    func append(_ value: Int, _ count: Int) {
      for shift in (0..<count).reversed() { bits.append(value >> shift & 1 == 1) }
    }
    append(0b0100, 4)
    append(bytes.count, layout.lengthBits)
    for byte in bytes { append(Int(byte), 8) }
    append(0, min(4, layout.dataBytes * 8 - bits.count))
    append(0, (8 - bits.count % 8) % 8)
    let content = stride(from: 0, to: bits.count, by: 8).map { start in
      bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
    }
    return content + (0..<layout.dataBytes - content.count).map { $0 % 2 == 0 ? 0xEC : 0x11 }
  }

  private static func interleaved(_ blocks: [[UInt8]]) -> [UInt8] {
    let longest = blocks.map(\.count).max() ?? 0
    return (0..<longest).flatMap { index in blocks.filter { index < $0.count }.map { $0[index] } }
  }
}

/// The error correction of QR codes: a Reed-Solomon code over the field of 256 elements with the polynomial 0x11D.
private enum ReedSolomon {
  static func correction(of data: [UInt8], count: Int) -> [UInt8] {
    let divisor = divisor(count)
    return data.reduce(into: Array(repeating: 0, count: count)) { rest, byte in
      let factor = byte ^ rest.removeFirst()
      rest.append(0)
      for index in rest.indices { rest[index] ^= product(divisor[index], factor) }
    }
  }

  /// The product of all (x - 2^i), without the leading 1.
  private static func divisor(_ count: Int) -> [UInt8] {
    var divisor: [UInt8] = Array(repeating: 0, count: count - 1) + [1]
    var root: UInt8 = 1
    for _ in 0..<count {
      for index in divisor.indices {
        divisor[index] = product(divisor[index], root) ^ (index + 1 < count ? divisor[index + 1] : 0)
      }
      root = product(root, 2)
    }
    return divisor
  }

  private static func product(_ a: UInt8, _ b: UInt8) -> UInt8 {
    (0..<8).reversed().reduce(UInt8(0)) { result, bit in
      let doubled = result << 1 ^ (result & 0x80 == 0 ? 0 : 0x1D)
      return b >> bit & 1 == 1 ? doubled ^ a : doubled
    }
  }
}
