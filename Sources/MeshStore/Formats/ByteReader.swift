/// Reads the parts of a format one after the other, and refuses whatever a writer does not write.
struct ByteReader {
  private let bytes: [UInt8]
  private(set) var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  mutating func read(_ count: Int) throws(FormatError) -> [UInt8] {
    guard count >= 0, count <= bytes.count - position else { throw FormatError("it ends too early") }
    defer { position += count }
    return Array(bytes[position..<position + count])
  }

  mutating func byte() throws(FormatError) -> UInt8 {
    guard position < bytes.count else { throw FormatError("it ends too early") }
    defer { position += 1 }
    return bytes[position]
  }

  mutating func number() throws(FormatError) -> UInt64 {
    var (value, shift): (UInt64, UInt64) = (0, 0)
    while true {
      let byte = try byte()
      guard shift < 63 || byte <= 1 else { throw FormatError("a number has more than 64 bits") }
      value |= UInt64(byte & 0x7F) << shift
      if byte & 0x80 == 0 {
        guard byte != 0 || shift == 0 else { throw FormatError("a number is not in its shortest form") }
        return value
      }
      shift += 7
    }
  }

  /// A number of elements of which each has at least one byte.
  mutating func count(atMost limit: Int) throws(FormatError) -> Int {
    let number = try number()
    guard number <= UInt64(limit), number <= UInt64(bytes.count - position) else {
      throw FormatError("a length is too large")
    }
    return Int(number)
  }

  mutating func sized(atMost limit: Int) throws(FormatError) -> [UInt8] { try read(count(atMost: limit)) }

  mutating func fixed(length: Int) throws(FormatError) -> UInt64 {
    try read(length).reduce(0) { $0 << 8 | UInt64($1) }
  }

  func requireEnd() throws(FormatError) {
    guard isAtEnd else { throw FormatError("it has bytes after its end") }
  }
}
