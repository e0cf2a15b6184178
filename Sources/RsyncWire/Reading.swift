/// An exchange in which the server sends: its list, then whatever files are asked for.
///
/// The caller asks (`request`), takes the answers (`answer`, and `piece` until a file has ended), ends the phase, may ask
/// again for what did not come out right, and finishes. What is asked for and not answered yet should stay below
/// `window`, or both sides wait for each other.
public final class Reading {
  private let session: Session
  private let limits: RsyncLimits
  private var isTold = 0
  private var hasEnded = 0
  /// The files that were asked for and have not come, and what they were asked with.
  private var open: [Int: SumHead] = [:]
  private var requested = 0
  private var current: Current?
  /// What the server has.
  public private(set) var list = FileList([], hasErrors: false)

  /// The file that is being sent.
  private struct Current {
    var index: Int
    var head: SumHead
    var left = 0
    var size = 0
  }

  /// How many phases there are, and how often their end is said on both sides (`send_files` in `sender.c`, and the
  /// goodbye in `main.c`).
  private static let phases = 3
  private static let ends = 5
  private static let isTransfer: UInt16 = 0x8000
  private static let isNew: UInt16 = 0x2000
  private static let longestLiteral = 16 << 20
  private static let piece = 1 << 15
  /// Number of request bytes in transit: less than any pipe holds.
  public static let window = 1 << 14

  /// - Parameter onlyLists: whether nothing will be asked for; everything we ever say is then said at once.
  public init(
    _ stream: any ByteStream, _ scope: Scope, onlyLists: Bool = false, limits: RsyncLimits = RsyncLimits()
  ) throws(RsyncError) {
    self.limits = limits
    // No filter rules.
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

  /// True if the server said of anything that it could not be read.
  public var hasErrors: Bool { list.hasErrors || session.hasErrors }

  /// What the server said in words.
  public var remarks: [UInt8] { session.said }

  /// What block sums are made with that this exchange understands.
  public var strongSum: StrongSum { session.strongSum }

  // MARK: Asking

  /// Asks for a file, as the difference to one with these sums; without sums, as it is.
  public func request(_ index: Int, basis: BlockSums = .none) throws(RsyncError) {
    guard list.files.indices.contains(index), list.files[index].kind == .file else { throw .violation(.index) }
    open[index] = basis.head
    requested += 24 + basis.head.sumBytes
    try session.say(index: Int32(index))
    var flags: [UInt8] = []
    flags.append(short: Self.isTransfer | (basis.head.count == 0 ? Self.isNew : 0))
    try session.say(flags + basis.bytes)
  }

  /// True if more can be asked for before an answer is taken.
  public var hasRoom: Bool { open.isEmpty || requested < Self.window }

  /// True if requested files are missing.
  public var isWaiting: Bool { !open.isEmpty }

  /// Says that the file is not needed any more: the server removes it if it still is as it was listed
  /// (`successful_send` in `sender.c`). To be said before the first phase ends.
  public func release(_ index: Int) throws(RsyncError) { try session.say(Message.Tag.success, index: index) }

  // MARK: Answers

  /// The next answer, or nil when all were taken.
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

  /// The next piece of the file that comes.
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
      // The smallest number has no opposite.
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

  /// Ends the first phase: what is asked for afterwards is asked for again.
  public func endPhase() throws(RsyncError) {
    try tellEnds(upTo: 1)
    try hearEnds(upTo: 1)
  }

  /// Says that nothing more will be asked for; answers may still be taken.
  public func endRequests() throws(RsyncError) { try tellEnds(upTo: Self.ends) }

  /// Says goodbye when all answers were taken. Only then is it known whether there were errors.
  public func finish() throws(RsyncError) {
    try endRequests()
    // A server that has nothing to list has gone by now.
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
