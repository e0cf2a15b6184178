/// An exchange in which the client sends: a list, then the files that the server requests, as the difference to its own.
///
/// Before anything is sent, the server reports which version of the file it has at that moment, and the caller decides.
public final class Sending {
  private let session: Session
  /// The list, in the order of the indices.
  public let files: [SentFile]
  private let basis: Basis
  private var ends = 0
  /// The number of requests for each file.
  private var asked: [Int: Int] = [:]

  /// A request of the server for a file.
  public struct Request: Sendable {
    public var index: Int
    /// True if no file of that name exists, neither at the destination nor in the folder to compare with.
    public var isNew: Bool
    /// The sums of the server's file.
    public var sums: BlockSums
    /// True if the file was sent already but assembled wrongly, because the server's file has changed meanwhile.
    public var isRepeated: Bool
    fileprivate var attributes: Attributes
  }

  /// Attributes of a request that are echoed to the server.
  fileprivate struct Attributes: Sendable {
    var flags: UInt16
    /// The kind of the server's basis file: at the destination, or in the folder to compare with.
    var basis: [UInt8] = []
  }

  /// The files that the server compares with.
  public enum Basis: Sendable {
    /// The files at the destination.
    case destination
    /// The files in another folder, because the destination is empty.
    case elsewhere
  }

  public enum Event: Sendable {
    case request(Request)
    /// The content is there already, or it is a folder: there is nothing to send.
    case unchanged(Int)
    /// The server reports that the file is in place; verify it.
    case landed(Int)
  }

  private static let isTransfer: UInt16 = 0x8000
  private static let isNew: UInt16 = 0x2000
  /// The server's basis is in another folder, or has another name.
  private static let hasOtherFolder: UInt16 = 0x0800
  private static let hasOtherName: UInt16 = 0x1000
  /// The number of request phases.
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

  /// The server's messages for people.
  public var remarks: [UInt8] { session.said }

  /// The strong sum algorithm of this exchange.
  public var strongSum: StrongSum { session.strongSum }

  // MARK: Requests of the server

  /// Returns the server's next event; nil after the last one.
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
      // The file is always new in the empty folder; what matters is if there was a file to compare with.
      case .elsewhere: attributes.basis.isEmpty
      }
    return .transfer(
      Request(index: index, isNew: isNew, sums: sums, isRepeated: ends > 0, attributes: attributes))
  }

  private func attributes(_ queue: inout ByteQueue) throws(RsyncError) -> Attributes {
    var attributes = Attributes(flags: try queue.short())
    guard attributes.flags & Self.hasOtherName == 0 else { throw .violation(.request) }
    if attributes.flags & Self.hasOtherFolder != 0 {
      // Only one folder to compare with was given, with index 0.
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

  // MARK: Answers

  /// Sends nothing; the server keeps its file.
  public func refuse(_ request: Request) throws(RsyncError) {
    try session.say(Message.Tag.notSent, index: request.index)
  }

  /// Begins to send a file.
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

  /// Ends a file. With a hash that differs from the content's, the server does not put it in place.
  public func end(hash: [UInt8]) throws(RsyncError) {
    try say(int: 0)
    try session.say(hash)
  }

  /// Ends the exchange after the server's last event.
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
