/// An exchange in which the server sends: its list, then the requested files.
///
/// The caller requests files (`request`), reads the answers (`answer`, and `piece` until a file has ended), ends the phase, may
/// request damaged files again, and finishes. The size of unanswered requests should stay below `window`, or both sides block
/// each other.
public final class Reading {
  private let session: Session
  private let limits: RsyncLimits
  private var isTold = 0
  private var hasEnded = 0
  /// The files that were requested and have not arrived, each with the block layout of its request.
  private var open: [Int: SumHead] = [:]
  private var requested = 0
  private var current: Current?
  /// The server's file list.
  public private(set) var list = FileList([], hasErrors: false)

  /// The file that is being received.
  private struct Current {
    var index: Int
    var head: SumHead
    var left = 0
    var size = 0
  }

  /// The number of phases, and the number of times that their end is sent on both sides (`send_files` in `sender.c`, and the
  /// goodbye in `main.c`).
  private static let phases = 3
  private static let ends = 5
  private static let isTransfer: UInt16 = 0x8000
  private static let isNew: UInt16 = 0x2000
  private static let longestLiteral = 16 << 20
  private static let piece = 1 << 15
  /// The maximum size of unanswered requests in bytes: less than the capacity of any pipe.
  public static let window = 1 << 14

  /// - Parameter onlyLists: true if no file will be requested; then everything is sent at once.
  public init(
    _ stream: any ByteStream, _ scope: Scope, onlyLists: Bool = false, limits: RsyncLimits = RsyncLimits()
  ) throws(RsyncError) {
    self.limits = limits
    // An empty list of filter rules.
    var opening: [UInt8] = [0, 0, 0, 0]
    var hasHashes = false
    if case .names(let names) = scope {
      for name in names { opening += name + [0] }
      opening.append(0)
      hasHashes = true
    }
    if onlyLists {
      opening += Array(repeating: 0, count: Self.ends)
      isTold = Self.ends
    }
    session = try Session(stream, opening: opening)
    list = try receiveList(hasHashes)
  }

  private func receiveList(_ hasHashes: Bool) throws(RsyncError) -> FileList {
    var decoder = FileListDecoder(hasHashes: hasHashes, limits)
    var files: [ListedFile] = []
    while true {
      switch try session.next({ queue throws(RsyncError) in try decoder.next(&queue) }) {
      case .file(let file): files.append(file)
      case .end(let hasErrors): return FileList(files, hasErrors: hasErrors)
      }
    }
  }

  /// True if the server reported anything that it could not read.
  public var hasErrors: Bool { list.hasErrors || session.hasErrors }

  /// The server's messages for people.
  public var remarks: [UInt8] { session.said }

  /// The strong sum algorithm of this exchange.
  public var strongSum: StrongSum { session.strongSum }

  // MARK: Asking

  /// Requests a file as the difference to one with these sums; without sums, as a whole.
  public func request(_ index: Int, basis: BlockSums = .none) throws(RsyncError) {
    guard list.files.indices.contains(index), list.files[index].kind == .file else { throw .violation(.index) }
    open[index] = basis.head
    requested += 24 + basis.head.sumBytes
    try session.say(index: Int32(index))
    var flags: [UInt8] = []
    flags.append(short: Self.isTransfer | (basis.head.count == 0 ? Self.isNew : 0))
    try session.say(flags + basis.bytes)
  }

  /// True if more can be requested before an answer is read.
  public var hasRoom: Bool { open.isEmpty || requested < Self.window }

  /// True if requested files have not arrived.
  public var isWaiting: Bool { !open.isEmpty }

  /// Reports that the file is no longer needed: the server removes it if it is unchanged since it was listed (`successful_send`
  /// in `sender.c`). Call it before the first phase ends.
  public func release(_ index: Int) throws(RsyncError) { try session.say(Message.Tag.success, index: index) }

  // MARK: Answers

  /// Returns the next answer; nil if there are none left.
  public func answer() throws(RsyncError) -> Answer? {
    guard current == nil else { throw .violation(.unsolicited) }
    guard !open.isEmpty else { return nil }
    while true {
      let utterance = try session.nextOrMessage { [session] queue throws(RsyncError) -> (Int32, UInt16, SumHead) in
        let index = try session.index(&queue)
        guard index >= 0 else { throw .violation(.index) }
        return (index, try queue.short(), try SumHead.read(&queue))
      }
      switch utterance {
      case .message(.notSent(let index)):
        try close(index)
        return .missing(index)
      case .message: continue
      case .value((let index, let flags, let head)): return try begin(Int(index), flags, head)
      }
    }
  }

  private func begin(_ index: Int, _ flags: UInt16, _ head: SumHead) throws(RsyncError) -> Answer {
    guard flags & Self.isTransfer != 0 else { throw .violation(.unsolicited) }
    let asked = open[index]
    try close(index)
    guard asked == head else { throw .violation(.echo) }
    current = Current(index: index, head: head)
    return .file(index)
  }

  private func close(_ index: Int) throws(RsyncError) {
    guard let head = open.removeValue(forKey: index) else { throw .violation(.unsolicited) }
    requested -= 24 + head.sumBytes
  }

  /// Returns the next piece of the current file.
  public func piece() throws(RsyncError) -> Piece {
    guard let head = current?.head, let left = current?.left else { throw .violation(.unsolicited) }
    if left > 0 {
      let bytes = try session.next { queue throws(RsyncError) in Array(try queue.some(atMost: min(left, Self.piece))) }
      current?.left -= bytes.count
      return .bytes(bytes)
    }
    let token = try session.next { queue throws(RsyncError) in try queue.int() }
    if token > 0 {
      guard token <= Self.longestLiteral else { throw .violation(.literalLength) }
      try count(Int(token))
      current?.left = Int(token)
      return try piece()
    }
    if token < 0 {
      // The smallest integer has no negation.
      let block = -(Int(token) + 1)
      guard block < head.count else { throw .violation(.token) }
      try count(head.length(of: block))
      return .copy(block * head.blockLength..<block * head.blockLength + head.length(of: block))
    }
    let hash = try session.next { queue throws(RsyncError) in Array(try queue.dequeue(16)) }
    current = nil
    return .end(hash)
  }

  private func count(_ bytes: Int) throws(RsyncError) {
    current?.size += bytes
    guard current?.size ?? 0 <= limits.file else { throw .violation(.fileLimit) }
  }

  // MARK: Ending

  /// Ends the first phase: later requests are repetitions.
  public func endPhase() throws(RsyncError) {
    try tellEnds(upTo: 1)
    try hearEnds(upTo: 1)
  }

  /// Announces the end of the requests; answers may still follow.
  public func endRequests() throws(RsyncError) { try tellEnds(upTo: Self.ends) }

  /// Ends the exchange after the last answer. Only then all errors are known.
  public func finish() throws(RsyncError) {
    try endRequests()
    // A server with an empty list has exited already.
    if list.files.isEmpty { return try session.listenToTheEnd() }
    try hearEnds(upTo: Self.phases)
    for _ in 0..<5 { _ = try session.next { queue throws(RsyncError) in try queue.varlong(3) } }
    try hearEnds(upTo: Self.phases + 1)
    try session.listenToTheEnd()
  }

  private func tellEnds(upTo count: Int) throws(RsyncError) {
    while isTold < count {
      try session.say(index: IndexCoder.done)
      isTold += 1
    }
  }

  private func hearEnds(upTo count: Int) throws(RsyncError) {
    while hasEnded < count {
      let index = try session.next { [session] queue throws(RsyncError) in try session.index(&queue) }
      guard index == IndexCoder.done else { throw .violation(.unsolicited) }
      hasEnded += 1
    }
  }
}
