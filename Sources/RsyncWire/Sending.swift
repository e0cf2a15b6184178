/// An exchange in which we send: a list, then whatever the server asks for, as the difference to what it has.
///
/// The server says of each file what it has at that moment, before anything is sent; the caller decides.
public final class Sending {
  private let session: Session
  /// The list, in the order that numbers count in.
  public let files: [SentFile]
  private let basis: Basis
  private var ends = 0
  /// How often each file was asked for.
  private var asked: [Int: Int] = [:]

  /// What the server wants to be sent.
  public struct Request: Sendable {
    public var index: Int
    /// True if nothing of that name is there, where it goes or where it is compared with.
    public var isNew: Bool
    /// Of what is there.
    public var sums: BlockSums
    /// True if it was sent already and did not come out right: what was there has changed meanwhile.
    public var isRepeated: Bool
    fileprivate var attributes: Attributes
  }

  /// Further attributes of a file from the server, which are sent back to it.
  fileprivate struct Attributes: Sendable {
    var flags: UInt16
    /// Where what it has is: at its place, or in the folder that is compared with.
    var basis: [UInt8] = []
  }

  /// What the server compares files with.
  public enum Basis: Sendable {
    /// With what is in their place.
    case destination
    /// With what is in another folder, because their place is empty.
    case elsewhere
  }

  public enum Event: Sendable {
    case request(Request)
    /// The content was there already, or it is a folder: nothing is to be sent.
    case unchanged(Int)
    /// It was put in place, says the server; that it was is to be looked at.
    case landed(Int)
  }

  private static let isTransfer: UInt16 = 0x8000
  private static let isNew: UInt16 = 0x2000
  /// The server compares with another folder than the file's own; with another name.
  private static let hasOtherFolder: UInt16 = 0x0800
  private static let hasOtherName: UInt16 = 0x1000
  /// Phases of requests, and what follows them.
  private static let phases = 2
  private static let longestLiteral = 1 << 15

  public init(
    _ stream: any ByteStream, _ files: [SentFile], comparedWith basis: Basis = .destination
  ) throws(RsyncError) {
    self.basis = basis
    self.files = files.map { ($0, FileOrder.key(of: $0.listed)) }
      .sorted { $0.1.lexicographicallyPrecedes($1.1) }.map(\.0)
    session = try Session(stream, opening: FileListEncoder.list(self.files))
  }

  public var hasErrors: Bool { session.hasErrors }

  /// What the server said in words.
  public var remarks: [UInt8] { session.said }

  /// What block sums are made with that this exchange understands.
  public var strongSum: StrongSum { session.strongSum }

  // MARK: The server's wishes

  /// What the server says next; nil when it wants nothing more.
  public func next() throws(RsyncError) -> Event? {
    while true {
      switch try session.nextOrMessage({ [self] queue throws(RsyncError) in try nextRequest(&queue) }) {
      case .message(.success(let index)): return .landed(try valid(index))
      case .message: throw .violation(.unknownMessage)
      case .value(.transfer(let request)):
        try recordRequest(request.index)
        return .request(request)
      case .value(.nothing(let index, let attributes)):
        try echo(index, attributes)
        return .unchanged(index)
      case .value(.endOfPhase):
        ends += 1
        if ends > Self.phases { return nil }
        try session.say(index: IndexCoder.done)
      }
    }
  }

  private enum ServerRequest {
    case transfer(Request)
    case nothing(Int, Attributes)
    case endOfPhase
  }

  private func nextRequest(_ queue: inout ByteQueue) throws(RsyncError) -> ServerRequest {
    let number = try session.index(&queue)
    guard number != IndexCoder.done else { return .endOfPhase }
    let index = try valid(Int(number))
    let attributes = try self.attributes(&queue)
    guard attributes.flags & Self.isTransfer != 0 else { return .nothing(index, attributes) }
    let head = try SumHead.read(&queue)
    let sums = BlockSums(head: head, wire: try queue.dequeue(head.sumBytes))
    let isNew =
      switch basis {
      case .destination: attributes.flags & Self.isNew != 0
      // It is new in the empty folder always; what counts is whether there was something to compare it with.
      case .elsewhere: attributes.basis.isEmpty
      }
    return .transfer(
      Request(index: index, isNew: isNew, sums: sums, isRepeated: ends > 0, attributes: attributes))
  }

  private func attributes(_ queue: inout ByteQueue) throws(RsyncError) -> Attributes {
    var attributes = Attributes(flags: try queue.short())
    guard attributes.flags & Self.hasOtherName == 0 else { throw .violation(.request) }
    if attributes.flags & Self.hasOtherFolder != 0 {
      // There is one folder to compare with, the first.
      attributes.basis = [try queue.byte()]
      guard basis == .elsewhere, attributes.basis == [0] else { throw .violation(.request) }
    }
    return attributes
  }

  private func recordRequest(_ index: Int) throws(RsyncError) {
    asked[index, default: 0] += 1
    guard files[index].kind == .file, ends < Self.phases, asked[index] ?? 0 <= 2 else {
      throw .violation(.request)
    }
  }

  private func valid(_ index: Int) throws(RsyncError) -> Int {
    guard files.indices.contains(index) else { throw .violation(.index) }
    return index
  }

  // MARK: Our answers

  /// Sends nothing: what is there stays.
  public func refuse(_ request: Request) throws(RsyncError) {
    try session.say(Message.Tag.notSent, index: request.index)
  }

  /// Begins to send.
  public func begin(_ request: Request) throws(RsyncError) {
    try echo(request.index, request.attributes)
    try session.say(request.sums.head.bytes)
  }

  /// Sends the next part of the new content.
  public func send(_ part: Delta.Part) throws(RsyncError) {
    switch part {
    case .copy(let block): try say(int: -(block + 1))
    case .bytes(let bytes):
      for start in stride(from: 0, to: bytes.count, by: Self.longestLiteral) {
        let piece = bytes[start..<min(start + Self.longestLiteral, bytes.count)]
        try say(int: piece.count)
        try session.say(Array(piece))
      }
    }
  }

  /// Ends what was begun. With a hash that is not the content's, nothing is put in place.
  public func end(hash: [UInt8]) throws(RsyncError) {
    try say(int: 0)
    try session.say(hash)
  }

  /// Says goodbye when the server wants nothing more.
  public func finish() throws(RsyncError) {
    for _ in 0..<2 {
      try session.say(index: IndexCoder.done)
      while true {
        let utterance = try session.nextOrMessage { [session] queue throws(RsyncError) in try session.index(&queue) }
        if case .value(let index) = utterance {
          guard index == IndexCoder.done else { throw .violation(.request) }
          break
        }
      }
    }
    try session.listenToTheEnd()
  }

  private func echo(_ index: Int, _ attributes: Attributes) throws(RsyncError) {
    try session.say(index: Int32(index))
    var bytes: [UInt8] = []
    bytes.append(short: attributes.flags)
    try session.say(bytes + attributes.basis)
  }

  private func say(int value: Int) throws(RsyncError) {
    var bytes: [UInt8] = []
    bytes.append(int: value)
    try session.say(bytes)
  }
}
