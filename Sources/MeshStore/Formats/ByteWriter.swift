/// Writes the parts of a format one after the other.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  mutating func write(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

  mutating func write(byte: UInt8) { bytes.append(byte) }

  /// An unsigned LEB128 number, in its shortest form.
  mutating func write(number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  mutating func write(count: Int) { write(number: UInt64(count)) }

  /// A length, and that number of bytes.
  mutating func write(sized more: [UInt8]) {
    write(count: more.count)
    bytes += more
  }

  /// A number of a fixed length, the most significant byte first.
  mutating func write(fixed number: UInt64, length: Int) {
    for index in (0..<length).reversed() { bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * index))) }
  }
}
