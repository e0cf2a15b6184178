/// The encoding of file indices as differences; one coder for each direction of an exchange (`write_ndx` in `io.c`).
struct IndexCoder {
  private var former: Int32 = -1
  private var formerNegative: Int32 = 1

  /// The value that ends a phase, in place of a file index.
  static let done: Int32 = -1
  /// Precedes the numbers of deleted files; we never request deletions, and skip them.
  static let deletions: Int32 = -3

  mutating func read(_ queue: inout ByteQueue) throws(RsyncError) -> Int32 {
    var head = try queue.byte()
    guard head != 0 else { return Self.done }
    let isNegative = head == 0xFF
    if isNegative { head = try queue.byte() }
    let value = try number(head, &queue, since: isNegative ? formerNegative : former)
    guard value >= 0 else { throw .violation(.index) }
    if isNegative { formerNegative = value } else { former = value }
    return isNegative ? -value : value
  }

  private func number(_ head: UInt8, _ queue: inout ByteQueue, since former: Int32) throws(RsyncError) -> Int32 {
    guard head == 0xFE else { return former &+ Int32(head) }
    let pair = Array(try queue.dequeue(2))
    guard pair[0] & 0x80 != 0 else { return former &+ (Int32(pair[0]) << 8 | Int32(pair[1])) }
    let rest = Array(try queue.dequeue(2))
    return Int32(pair[0] & 0x7F) << 24 | Int32(rest[1]) << 16 | Int32(rest[0]) << 8 | Int32(pair[1])
  }

  mutating func write(_ index: Int32) -> [UInt8] {
    guard index >= 0 else { return [0] }
    let difference = Int(index) - Int(former)
    former = index
    switch difference {
    case 1...253: return [UInt8(difference)]
    case 0, 254...32_767: return [0xFE, UInt8(difference >> 8), UInt8(difference & 0xFF)]
    default:
      return [
        0xFE, UInt8(index >> 24) | 0x80, UInt8(index & 0xFF), UInt8(index >> 8 & 0xFF), UInt8(index >> 16 & 0xFF),
      ]
    }
  }
}
