/// Received bytes that are not parsed yet, and rsync's encodings of numbers (`io.c`).
///
/// A read that needs more bytes than have arrived throws `.brokenOff`; a caller that receives more can reset `position` and
/// retry.
struct ByteQueue {
  private var bytes: [UInt8] = []
  /// The bytes before this index are parsed.
  var position = 0

  init(_ bytes: [UInt8] = []) { self.bytes = bytes }

  var count: Int { bytes.count - position }
  var isEmpty: Bool { count == 0 }

  mutating func append(_ more: ArraySlice<UInt8>) {
    if position > 0, position >= bytes.count / 2 {
      bytes.removeFirst(position)
      position = 0
    }
    bytes.append(contentsOf: more)
  }

  mutating func byte() throws(RsyncError) -> UInt8 {
    guard position < bytes.count else { throw .brokenOff }
    position += 1
    return bytes[position - 1]
  }

  mutating func dequeue(_ count: Int) throws(RsyncError) -> ArraySlice<UInt8> {
    guard self.count >= count else { throw .brokenOff }
    position += count
    return bytes[position - count..<position]
  }

  /// Returns the available bytes, at least one and at most `limit`.
  mutating func some(atMost limit: Int) throws(RsyncError) -> ArraySlice<UInt8> {
    guard !isEmpty else { throw .brokenOff }
    return try dequeue(min(limit, count))
  }

  mutating func short() throws(RsyncError) -> UInt16 {
    let part = try dequeue(2)
    return UInt16(part[part.startIndex]) | UInt16(part[part.startIndex + 1]) << 8
  }

  mutating func int() throws(RsyncError) -> Int32 {
    Int32(truncatingIfNeeded: Self.number(try dequeue(4)))
  }

  /// A number of up to 32 bits: the number of leading ones in the first byte is the number of bytes that follow; its other bits
  /// are the most significant ones.
  mutating func varint() throws(RsyncError) -> Int32 {
    let head = try byte()
    let extra = (~head).leadingZeroBitCount
    let rest = UInt64(head) & (0xFF >> UInt64(extra))
    guard extra < 4 || extra == 4 && rest == 0 else { throw .violation(.overlongInteger) }
    let low = Self.number(try dequeue(extra))
    return Int32(truncatingIfNeeded: low | rest << (8 * UInt64(extra)))
  }

  /// A number of up to 64 bits in at least `least` bytes; the first byte works as in a `varint`.
  mutating func varlong(_ least: Int) throws(RsyncError) -> Int64 {
    let head = try byte()
    let extra = min((~head).leadingZeroBitCount, 6)
    guard least + extra <= 9 else { throw .violation(.overlongInteger) }
    let rest = UInt64(head) & (0xFF >> UInt64(extra))
    let low = Self.number(try dequeue(least - 1 + extra))
    let shift = 8 * (least - 1 + extra)
    guard shift < 64 || rest == 0 else { throw .violation(.overlongInteger) }
    return Int64(bitPattern: shift < 64 ? low | rest << UInt64(shift) : low)
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}

extension [UInt8] {
  mutating func append(short value: UInt16) { self += [UInt8(value & 0xFF), UInt8(value >> 8)] }

  mutating func append(int value: Int) {
    let bits = UInt32(truncatingIfNeeded: value)
    for shift in stride(from: 0, to: 32, by: 8) { append(UInt8(truncatingIfNeeded: bits >> UInt32(shift))) }
  }

  mutating func append(varint value: Int32) {
    append(packed: UInt64(UInt32(bitPattern: value)), width: 4, least: 1)
  }

  mutating func append(varlong value: Int64, _ least: Int) {
    append(packed: UInt64(bitPattern: value), width: 8, least: least)
  }

  /// Omits leading zero bytes, but writes at least `least` bytes; the first byte encodes how many more follow.
  private mutating func append(packed value: UInt64, width: Int, least: Int) {
    let bytes = (0..<width).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
    let count = Swift.max(least, width - value.leadingZeroBytes(of: width))
    let extra = count - least
    let top = bytes[count - 1]
    if UInt64(top) < 1 << UInt64(7 - extra) {
      append(UInt8(truncatingIfNeeded: ~(0xFF >> UInt64(extra))) | top)
      self += bytes[..<(count - 1)]
    } else {
      append(UInt8(truncatingIfNeeded: ~(0xFF >> UInt64(extra + 1))))
      self += bytes[..<count]
    }
  }
}

extension UInt64 {
  fileprivate func leadingZeroBytes(of width: Int) -> Int { (leadingZeroBitCount - (64 - 8 * width)) / 8 }
}
