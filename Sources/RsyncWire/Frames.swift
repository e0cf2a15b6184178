/// A message of the server outside the data stream.
enum Message: Equatable {
  /// A text for people. `isError` if at least one file is affected.
  case text([UInt8], isError: Bool)
  /// Some files could not be read.
  case ioError(Int)
  /// The server exits.
  case errorExit(Int)
  /// A file was written; received while sending files.
  case success(Int)
  /// A requested file is not sent.
  case notSent(Int)

  /// The message types that a server of protocol 31 may send, and those that we send (`rsync.h`).
  enum Tag {
    static let data: UInt8 = 0
    static let success: UInt8 = 100
    static let notSent: UInt8 = 102
    static let errorExit: UInt8 = 86
  }
}

/// Splits the multiplexed stream that follows the greeting into data and messages.
struct FrameDecoder {
  private var queue = ByteQueue()
  /// The number of bytes of the current data frame that have not arrived.
  private var expected = 0
  private var spoken = 0

  private static let largestMessage = 1 << 16
  private static let mostSpoken = 1 << 20
  /// The first byte of a header is the tag plus seven.
  static let base: UInt8 = 7

  /// Decodes received bytes: appends data to `data` and messages to `messages`.
  mutating func decode(
    _ bytes: [UInt8], into data: inout ByteQueue, _ messages: inout [Message]
  ) throws(RsyncError) {
    queue.append(bytes[...])
    while !queue.isEmpty {
      if expected > 0 {
        let part = try queue.some(atMost: expected)
        expected -= part.count
        data.append(part)
      } else {
        let start = queue.position
        do throws(RsyncError) { try header(&messages) } catch .brokenOff {
          queue.position = start
          return
        }
      }
    }
  }

  /// True if the stream may end here.
  var isBetweenFrames: Bool { queue.isEmpty && expected == 0 }

  private mutating func header(_ messages: inout [Message]) throws(RsyncError) {
    let word = UInt32(bitPattern: try queue.int())
    let (tag, length) = (UInt8(word >> 24) &- Self.base, Int(word & 0xFF_FFFF))
    guard word >> 24 >= UInt32(Self.base) else { throw .violation(.unknownMessage) }
    guard tag != Message.Tag.data else {
      expected = length
      // A keepalive.
      if length == 0 { try addOverhead(8) }
      return
    }
    guard length <= Self.largestMessage, spoken + length <= Self.mostSpoken else {
      throw .violation(.messageLength)
    }
    let message = try Self.message(tag, Array(try queue.dequeue(length)))
    try addOverhead(length + 8)
    if let message { messages.append(message) }
  }

  /// Counts all bytes except data.
  private mutating func addOverhead(_ bytes: Int) throws(RsyncError) {
    spoken += bytes
    guard spoken <= Self.mostSpoken else { throw .violation(.messageLength) }
  }

  private static func message(_ tag: UInt8, _ payload: [UInt8]) throws(RsyncError) -> Message? {
    switch tag {
    case 1, 3: return .text(payload, isError: true)
    case 2, 4: return .text(payload, isError: false)
    case 22: return .ioError(Int(try number(payload)))
    // Timeouts, keepalives and deletions, none of which we request.
    case 33, 42, 101: return nil
    case Message.Tag.errorExit: return .errorExit(payload.isEmpty ? 0 : Int(try number(payload)))
    case Message.Tag.success: return .success(Int(try number(payload)))
    case Message.Tag.notSent: return .notSent(Int(try number(payload)))
    default: throw .violation(.unknownMessage)
    }
  }

  private static func number(_ payload: [UInt8]) throws(RsyncError) -> Int32 {
    guard payload.count == 4 else { throw .violation(.unknownMessage) }
    var queue = ByteQueue(payload)
    return try queue.int()
  }

  /// Returns a frame that contains `payload`.
  static func frame(_ tag: UInt8, _ payload: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(payload.count + 4)
    bytes.append(int: Int(base + tag) << 24 | payload.count)
    return bytes + payload
  }
}
