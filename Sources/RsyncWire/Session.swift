/// An exchange with an rsync server after the greeting: frames in both directions, of whose content only the indices are
/// parsed.
///
/// The protocol is the same for every server since 3.1.0: no incremental recursion, no negotiated checksums, MD5 everywhere
/// (`compat.c`; the letters `e.LfxC` request that).
final class Session {
  private let stream: any ByteStream
  private var frames = FrameDecoder()
  private var data = ByteQueue()
  private var heard: [Message] = []
  private var heardFirst = 0
  /// Outgoing bytes that are not sent yet: frames, followed by data that is not framed yet.
  private var outbox: [UInt8] = []
  private var unframed: [UInt8] = []
  private var incoming = IndexCoder()
  private var outgoing = IndexCoder()
  /// The strong sum algorithm with the seed of this exchange.
  let strongSum: StrongSum
  /// The version that the server announced.
  let version: Int
  /// The server's error messages in the stream.
  private(set) var said: [UInt8] = []
  /// True if the server could not read everything, or reported a failure.
  private(set) var hasErrors = false

  private static let version: Int32 = 31
  private static let longestFrame = 1 << 15
  private static let largestComplaint = 1 << 14
  /// A server reports its deletions once per exchange (`write_del_stats` in `main.c`).
  private static let mostDeletions = 8
  private static let longestEnd = 2 << 20

  /// Server flags that we did not request: incremental recursion and long list flags.
  private static let foreignFlags: Int32 = 0x01 | 0x80
  private static let seedFirst: Int32 = 0x20

  /// Sends the greeting together with `opening`.
  init(_ stream: any ByteStream, opening: [UInt8]) throws(RsyncError) {
    self.stream = stream
    var greeting: [UInt8] = []
    greeting.append(int: Int(Self.version))
    try stream.write(greeting + Self.framed(opening[...]))
    var raw = Greeting(stream)
    version = try raw.version()
    let flags = try raw.next { queue throws(RsyncError) in try queue.varint() }
    guard flags & Self.foreignFlags == 0 else { throw .violation(.unrequestedFlags) }
    let seed = try raw.next { queue throws(RsyncError) in try queue.int() }
    strongSum = StrongSum(seed: seed, isSeedFirst: flags & Self.seedFirst != 0)
    try decode(raw.rest)
  }

  // MARK: Listening

  /// The server's next output: a message as soon as there is one, otherwise a value that `parse` returns.
  enum Utterance<Value> {
    case message(Message)
    case value(Value)
  }

  /// Parses the next value, and waits for the bytes that it needs. Queues messages for later.
  func next<Value>(
    _ parse: (inout ByteQueue) throws(RsyncError) -> Value
  ) throws(RsyncError) -> Value {
    while true {
      if let value = try attempt(parse) { return value }
      try receive()
    }
  }

  /// Returns the next message or the next parsed value, whichever comes first.
  func nextOrMessage<Value>(
    _ parse: (inout ByteQueue) throws(RsyncError) -> Value
  ) throws(RsyncError) -> Utterance<Value> {
    while true {
      if let message = nextBufferedMessage() { return .message(message) }
      if let value = try attempt(parse) { return .value(value) }
      try receive()
    }
  }

  /// Returns the result of `parse`, or nil if not all of its bytes have arrived; then nothing is consumed.
  private func attempt<Value>(
    _ parse: (inout ByteQueue) throws(RsyncError) -> Value
  ) throws(RsyncError) -> Value? {
    let (start, coder) = (data.position, incoming)
    do throws(RsyncError) { return try parse(&data) } catch .brokenOff {
      (data.position, incoming) = (start, coder)
      return nil
    }
  }

  private func nextBufferedMessage() -> Message? {
    guard heardFirst < heard.count else { return nil }
    heardFirst += 1
    return heard[heardFirst - 1]
  }

  /// Reads a file index, or the end of a phase.
  func index(_ queue: inout ByteQueue) throws(RsyncError) -> Int32 {
    for _ in 0..<Self.mostDeletions {
      let index = try incoming.read(&queue)
      guard index == IndexCoder.deletions else { return try Self.valid(index) }
      for _ in 0..<5 { _ = try queue.varint() }
    }
    throw .violation(.endless)
  }

  private static func valid(_ index: Int32) throws(RsyncError) -> Int32 {
    guard index >= 0 || index == IndexCoder.done else { throw .violation(.index) }
    return index
  }

  /// Reads to the end of the stream; the server has no more data.
  func listenToTheEnd() throws(RsyncError) {
    var count = 0
    while count <= Self.longestEnd {
      let bytes = try read()
      if bytes.isEmpty { return }
      count += bytes.count
      try decode(bytes)
    }
    throw .violation(.endless)
  }

  private func receive() throws(RsyncError) {
    let bytes = try read()
    guard !bytes.isEmpty else { throw .brokenOff }
    try decode(bytes)
  }

  /// Everything must be sent before waiting for an answer.
  private func read() throws(RsyncError) -> [UInt8] {
    try flush()
    return try stream.read()
  }

  private func decode(_ bytes: [UInt8]) throws(RsyncError) {
    var messages: [Message] = []
    try frames.decode(bytes, into: &data, &messages)
    for message in messages { try hear(message) }
  }

  private func hear(_ message: Message) throws(RsyncError) {
    switch message {
    case .text(let text, let isError):
      said += text.prefix(max(0, Self.largestComplaint - said.count))
      if isError { hasErrors = true }
    case .ioError(let bits): if bits != 0 { hasErrors = true }
    case .errorExit(let status):
      // The server waits for an answer before it exits; a failure to send it does not matter.
      try? stream.write(FrameDecoder.frame(Message.Tag.errorExit, []))
      throw .remoteExit(status)
    case .success, .notSent: heard.append(message)
    }
  }

  // MARK: Sending

  /// Queues `bytes`. The queue is sent when it is large, and before every wait, because small packets cost more than their
  /// content.
  func say(_ bytes: [UInt8]) throws(RsyncError) {
    unframed += bytes
    try flushIfMuch()
  }

  func say(index: Int32) throws(RsyncError) { try say(outgoing.write(index)) }

  func say(_ tag: UInt8, index: Int) throws(RsyncError) {
    var payload: [UInt8] = []
    payload.append(int: index)
    frameAll()
    outbox += FrameDecoder.frame(tag, payload[...])
    try flushIfMuch()
  }

  private func flushIfMuch() throws(RsyncError) {
    if outbox.count + unframed.count >= Self.longestFrame { try flush() }
  }

  private func flush() throws(RsyncError) {
    frameAll()
    guard !outbox.isEmpty else { return }
    let bytes = outbox
    outbox = []
    try stream.write(bytes)
  }

  private func frameAll() {
    outbox += Self.framed(unframed[...])
    unframed.removeAll(keepingCapacity: true)
  }

  private static func framed(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    stride(from: 0, to: bytes.count, by: longestFrame).flatMap { start in
      FrameDecoder.frame(Message.Tag.data, bytes[start..<min(start + longestFrame, bytes.count)])
    }
  }
}
