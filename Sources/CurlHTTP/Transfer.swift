import Synchronization

/// The state that a task and libcurl's thread share for one request: bytes in both directions, and the result.
///
/// The faster side waits: the task when the upload buffer is full, libcurl when the download buffer is full.
final class Transfer: Sendable {
  let request: HTTPRequest
  let configuration: HTTPClient.Configuration
  private let loop: CurlLoop
  private let state = Mutex(State())
  /// Called once, when the request no longer needs a connection.
  private let ended: @Sendable () -> Void

  /// The maximum number of buffered bytes in each direction.
  private static let room = 512 << 10

  private struct State {
    var hasStarted = false
    var body: [UInt8] = []
    var bodyOffset = 0
    var bodyHasEnded = false
    var sendingIsPaused = false

    var head = HTTPHead()
    var headIsComplete = false
    var chunks: [[UInt8]] = []
    var waitingBytes = 0
    var receivedBytes = 0
    var receivingIsPaused = false
    var isTooLarge = false

    var end: Result<Void, HTTPError>?
    var reader: CheckedContinuation<Void, Never>?
    var writer: CheckedContinuation<Void, Never>?

    var bodyRest: Int { body.count - bodyOffset }
    var hasNews: Bool { end != nil || headIsComplete && !chunks.isEmpty }
  }

  init(
    _ request: HTTPRequest, _ configuration: HTTPClient.Configuration, _ loop: CurlLoop,
    ended: @escaping @Sendable () -> Void
  ) {
    self.request = request
    self.configuration = configuration
    self.loop = loop
    self.ended = ended
  }

  // MARK: The task's side

  /// Starts the transfer, unless it has ended already.
  func start() {
    let isWanted = state.withLock { state in
      state.hasStarted = state.end == nil
      return state.hasStarted
    }
    if isWanted { loop.enqueue(.start(self)) }
  }

  /// Ends the transfer unless it has ended.
  func cancel() {
    let (isDone, hasStarted) = state.withLock { ($0.end != nil, $0.hasStarted) }
    guard !isDone else { return }
    if hasStarted { loop.enqueue(.cancel(self)) } else { finish(.failure(.cancelled)) }
  }

  /// Adds bytes to the body as soon as there is room; returns false if the transfer has ended.
  func offer(_ chunk: [UInt8]) async -> Bool {
    while true {
      let (isOver, isFull) = state.withLock { ($0.end != nil, $0.bodyRest >= Self.room) }
      if isOver { return false }
      if !isFull { break }
      await waitForRoom()
    }
    resume { state in
      state.body.removeFirst(state.bodyOffset)
      state.bodyOffset = 0
      state.body += chunk
    }
    return true
  }

  /// Marks the body as complete.
  func endBody() { resume { $0.bodyHasEnded = true } }

  private func resume(_ change: (inout State) -> Void) {
    let wasPaused = state.withLock { state in
      change(&state)
      defer { state.sendingIsPaused = false }
      return state.sendingIsPaused
    }
    if wasPaused { loop.enqueue(.resume(self)) }
  }

  private func waitForRoom() async {
    await withCheckedContinuation { continuation in
      let isReady = state.withLock { state in
        if state.end != nil || state.bodyRest < Self.room { return true }
        state.writer = continuation
        return false
      }
      if isReady { continuation.resume() }
    }
  }

  /// Returns the head of the answer.
  func head() async throws(HTTPError) -> HTTPHead {
    await waitForNews()
    return try state.withLock { state -> Result<HTTPHead, HTTPError> in
      if !state.headIsComplete, case .failure(let error)? = state.end { return .failure(error) }
      return .success(state.head)
    }
    .get()
  }

  /// Returns the next bytes of the answer; nil at its end.
  func nextChunk() async throws(HTTPError) -> [UInt8]? {
    await waitForNews()
    let (chunk, wasPaused) = state.withLock { state -> (Result<[UInt8]?, HTTPError>, Bool) in
      guard !state.chunks.isEmpty else {
        if case .failure(let error)? = state.end { return (.failure(error), false) }
        return (.success(nil), false)
      }
      let chunk = state.chunks.removeFirst()
      state.waitingBytes -= chunk.count
      let wasPaused = state.receivingIsPaused && state.waitingBytes < Self.room / 2
      if wasPaused { state.receivingIsPaused = false }
      return (.success(chunk), wasPaused)
    }
    if wasPaused { loop.enqueue(.resume(self)) }
    return try chunk.get()
  }

  private func waitForNews() async {
    // A cancelled task still waits for the end of the transfer, which follows at once.
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          if state.hasNews { return true }
          state.reader = continuation
          return false
        }
        if isReady { continuation.resume() }
      }
    } onCancel: {
      cancel()
    }
  }

  // MARK: The side of libcurl's thread

  /// The result of a callback for libcurl.
  enum Answer: Equatable {
    case bytes(Int)
    case pause
    case abort
  }

  /// Moves bytes of the body into libcurl's buffer.
  func fillUpload(_ buffer: UnsafeMutableRawBufferPointer) -> Answer {
    let (answer, writer) = state.withLock { state -> (Answer, CheckedContinuation<Void, Never>?) in
      let count = min(buffer.count, state.bodyRest)
      guard count > 0 else {
        if state.bodyHasEnded { return (.bytes(0), nil) }
        state.sendingIsPaused = true
        return (.pause, nil)
      }
      unsafe buffer.copyBytes(from: state.body[state.bodyOffset..<(state.bodyOffset + count)])
      state.bodyOffset += count
      defer { state.writer = nil }
      return (.bytes(count), state.writer)
    }
    writer?.resume()
    return answer
  }

  /// Receives a header line.
  func receive(line: [UInt8]) -> Answer {
    state.withLock { $0.head.parse(line) } ? .bytes(line.count) : .abort
  }

  /// Receives bytes of the answer's body.
  func receive(_ bytes: [UInt8]) -> Answer {
    let (answer, reader) = state.withLock { state -> (Answer, CheckedContinuation<Void, Never>?) in
      guard state.receivedBytes + bytes.count <= request.answerLimit else {
        state.isTooLarge = true
        return (.abort, nil)
      }
      guard state.waitingBytes < Self.room else {
        state.receivingIsPaused = true
        return (.pause, nil)
      }
      state.headIsComplete = true
      state.chunks.append(bytes)
      state.waitingBytes += bytes.count
      state.receivedBytes += bytes.count
      defer { state.reader = nil }
      return (.bytes(bytes.count), state.reader)
    }
    reader?.resume()
    return answer
  }

  /// True if the transfer has ended, even before its start: the cancel command may arrive before the start command.
  var hasEnded: Bool { state.withLock { $0.end != nil } }

  /// True if the answer was rejected because of its size.
  var isTooLarge: Bool { state.withLock { $0.isTooLarge } }

  /// Records the result of the transfer; only the first one counts.
  func finish(_ end: Result<Void, HTTPError>) {
    let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>?]? in
      guard state.end == nil else { return nil }
      state.end = end
      if case .success = end { state.headIsComplete = true }
      defer { (state.reader, state.writer) = (nil, nil) }
      return [state.reader, state.writer]
    }
    guard let waiting else { return }
    ended()
    for continuation in waiting { continuation?.resume() }
  }
}
