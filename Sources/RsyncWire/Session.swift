/// One conversation with an rsync server after the greeting: frames both ways, and nothing understood of what is in them
/// but the numbers.
///
/// The dialect is one and the same with every server from 3.1.0 on: no incremental recursion, no negotiated checksums,
/// MD5 everywhere (`compat.c`; we ask for it by the letters `e.LfxC`).
final class Session {
  private let stream: any ByteStream
  private var frames = FrameDecoder()
  private var data = ByteQueue()
  private var heard: [Message] = []
  private var heardFirst = 0
  /// What was said and has not gone out: frames, and behind them data that is in no frame yet.
  private var outbox: [UInt8] = []
  private var unframed: [UInt8] = []
  private var incoming = IndexCoder()
  private var outgoing = IndexCoder()
  /// What the strong sums of this exchange are salted with.
  let strongSum: StrongSum
  /// The version that the server announced.
  let version: Int
  /// What the server has complained about in band.
  private(set) var said: [UInt8] = []
  /// True if it could not read everything, or said that something failed.
  private(set) var hasErrors = false

  private static let version: Int32 = 31
  private static let longestFrame = 1 << 15
  private static let largestComplaint = 1 << 14
  /// A server counts its deletions once for an exchange (`write_del_stats` in `main.c`).
  private static let mostDeletions = 8
  private static let longestEnd = 2 << 20

  /// Flags of the server that we asked for none of: incremental recursion and long list flags.
  private static let foreignFlags: Int32 = 0x01 | 0x80
  private static let seedFirst: Int32 = 0x20

  /// Greets, and says `opening` in the same breath.
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

  /// What the server has said next: a message as soon as there is one, else what `parse` understands.
  enum Utterance<Value> {
    case message(Message)
    case value(Value)
  }

  /// Understands the next thing, waiting for as much of it as it takes. Messages are left for later.
  func next<Value>(
    _ parse: (inout ByteQueue) throws(RsyncError) -> Value
  ) throws(RsyncError) -> Value {
    while true {
      if let value = try attempt(parse) { return value }
      try receive()
    }
  }

  /// The next message, or the next thing that `parse` understands, whichever comes first.
  func nextOrMessage<Value>(
    _ parse: (inout ByteQueue) throws(RsyncError) -> Value
  ) throws(RsyncError) -> Utterance<Value> {
    while true {
      if let message = nextBufferedMessage() { return .message(message) }
      if let value = try attempt(parse) { return .value(value) }
      try receive()
    }
  }

  /// What `parse` understands, or nil if not all of it has come; then nothing has happened.
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

  /// The number of a file, or that a phase has ended.
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

  /// Reads to the end of the stream, where the server has nothing more to say.
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

  /// A side that waits for an answer has sent everything.
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
      // It waits for an answer before it goes; that it cannot be given changes nothing.
      try? stream.write(FrameDecoder.frame(Message.Tag.errorExit, []))
      throw .remoteExit(status)
    case .success, .notSent: heard.append(message)
    }
  }

  // MARK: Speaking

  /// Says `bytes`, together with what follows: what is said goes out when it is much, and before anything is waited for.
  /// Small pieces that travel by themselves cost more than what is in them.
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
