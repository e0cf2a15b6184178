/// The exchange of versions and flags before the frames.
struct Greeting {
  private let stream: any ByteStream
  private var queue = ByteQueue()

  private static let versions: ClosedRange<Int32> = 20...255
  private static let oldest: Int32 = 31
  private static let longestQuote = 512

  init(_ stream: any ByteStream) { self.stream = stream }

  mutating func next<Value>(
    _ parse: (inout ByteQueue) throws(RsyncError) -> Value
  ) throws(RsyncError) -> Value {
    while true {
      let start = queue.position
      do throws(RsyncError) { return try parse(&queue) } catch .brokenOff { queue.position = start }
      let bytes = try stream.read()
      guard !bytes.isEmpty else { throw .brokenOff }
      queue.append(bytes[...])
    }
  }

  mutating func version() throws(RsyncError) -> Int {
    let version: Int32
    do throws(RsyncError) { version = try next { queue throws(RsyncError) in try queue.int() } } catch .brokenOff {
      let said = quote
      throw said.isEmpty ? .brokenOff : .notRsync(said: said)
    }
    guard Self.versions.contains(version) else {
      queue.position = 0
      throw .notRsync(said: quote)
    }
    guard version >= Self.oldest else { throw .tooOld(version: Int(version)) }
    return Int(version)
  }

  /// The bytes that were read but not parsed.
  var rest: [UInt8] {
    mutating get { (try? Array(queue.dequeue(queue.count))) ?? [] }
  }

  private var quote: [UInt8] {
    mutating get { Array(rest.prefix(Self.longestQuote)) }
  }
}
