/// A limit for the bytes that a git server sends, other than objects. libgit2 keeps them in memory: the list of references, and the
/// answers to messages. Objects it writes to the disk as they arrive.
///
/// Objects begin with the first packet that follows a message and whose first byte is 1, or, without side bands, with `PACK`
/// (gitprotocol-pack(5)). Anything of that form in the list of references counts like the rest.
struct AnswerLimit {
  /// Enough for 100,000 branches and tags.
  static let size = 8 << 20

  private let limit: Int
  private var received = 0
  private var hasAsked = false
  private var hasObjects = false
  private var packets = Packets()

  init(_ limit: Int = AnswerLimit.size) { self.limit = limit }

  /// Records that a message is sent, which the server has to answer before it sends objects.
  mutating func recordMessage() { (hasAsked, hasObjects) = (true, false) }

  /// Records received bytes. Returns false if they are too many.
  mutating func accepts(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard !hasObjects else { return true }
    received += bytes.count
    let beginsObjects = unsafe packets.read(bytes)
    hasObjects = hasAsked && beginsObjects
    return hasObjects || received <= limit
  }

  /// A stream of packets, each of which begins with its length in four hexadecimal digits.
  private struct Packets {
    private var digits: [UInt8] = []
    /// The number of bytes of the current packet that are still to come.
    private var rest = 0
    private var isAtStart = false
    /// True after something that is not a packet; libgit2 ends the exchange then.
    private var isBroken = false

    /// Reads the next bytes of the stream. Returns true if objects begin in them.
    mutating func read(_ bytes: UnsafeRawBufferPointer) -> Bool {
      var (place, hasObjects) = (0, false)
      while place < bytes.count, !isBroken {
        if rest == 0 {
          unsafe digits.append(bytes[place])
          place += 1
          if digits.count == 4 { hasObjects = begin() || hasObjects }
        } else {
          hasObjects = unsafe isAtStart && bytes[place] == 1 || hasObjects
          isAtStart = false
          let part = min(rest, bytes.count - place)
          (place, rest) = (place + part, rest - part)
        }
      }
      return hasObjects
    }

    /// Begins the packet whose length was read. Lengths below 4 have a meaning of their own, and no content. Returns true if this is
    /// not a packet but the objects without side bands.
    private mutating func begin() -> Bool {
      let text = String(decoding: digits, as: UTF8.self)
      digits = []
      guard let length = Int(text, radix: 16) else {
        isBroken = true
        return text == "PACK"
      }
      rest = max(0, length - 4)
      isAtStart = true
      return false
    }
  }
}
