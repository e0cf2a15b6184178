internal import CurlHTTP
internal import SyncKit
import Synchronization

/// A client of a WebDAV server for one account: sends requests, pauses when the server asks for it, and turns failures into
/// errors that name the address and a remedy.
final class Server: Sendable {
  let address: Address
  let runtime: Runtime
  let parallelism: Int
  private let client: HTTPClient
  private let state = Mutex(State())
  private let controlTimeout: Duration

  private struct State {
    /// The server's name in its answers.
    var product: String?
    /// The WebDAV classes in its answers to PROPFIND; other answers omit some, or all.
    var classes: String?
    /// The time before which nothing is sent, because the server asked for a pause.
    var pause: Timestamp?
    /// The difference of the server's clock to ours in seconds; positive if it is ahead.
    var advance: Int64?
  }

  /// The maximum number of attempts for a request that is rejected temporarily, and the maximum pause before each in seconds.
  private static let attempts = 4
  private static let longestPause: Int64 = 30
  /// The jitter of pauses: nanoseconds for each of 255 random steps.
  private static let jitterStep: Int64 = 2_000_000
  private static let longestWait = longestPause * 1_000_000_000 + 255 * jitterStep
  /// The maximum number of attempts for a read whose answer is lost.
  private static let questions = 3

  init(_ address: Address, _ access: HTTPClient.Configuration, runtime: Runtime) {
    self.address = address
    self.runtime = runtime
    parallelism = access.connections
    controlTimeout = max(access.stallTimeout, .seconds(1))
    client = HTTPClient(access)
  }

  /// The server's name in its last answer.
  var product: String? { state.withLock { $0.product } }

  /// The WebDAV classes in the server's answers to PROPFIND.
  var classes: String? { state.withLock { $0.classes } }

  // MARK: Reading

  /// Sends a request that changes nothing; repeats it if it is lost.
  func ask(_ request: HTTPRequest) async throws(SyncError) -> HTTPResponse {
    var request = request
    if request.method != "GET" { request.timeout = controlTimeout }
    var pause = Duration.milliseconds(200)
    for _ in 1..<Self.questions {
      do throws(HTTPError) { return try await send(request) } catch {
        guard error.isTransient else { throw syncError(error, request.method) }
      }
      try await pauseRandomly(around: pause)
      pause *= 3
    }
    do throws(HTTPError) { return try await send(request) } catch { throw syncError(error, request.method) }
  }

  /// The same, with the complete answer.
  func answer(to request: HTTPRequest) async throws(SyncError) -> Answer {
    let response = try await ask(request)
    do { return try await Self.whole(response) } catch { throw syncError(error, request.method) }
  }

  // MARK: Changing

  /// Sends a request that changes something, once, unless the server reports that it was not processed.
  ///
  /// Throws only errors that end the pass: refused credentials, cancellation.
  ///
  /// - Parameter end: the time after which it is not sent, and a running request is aborted.
  func change(
    _ request: HTTPRequest, before end: ContinuousClock.Instant? = nil
  ) async throws(SyncError) -> Outcome {
    let answer: Answer
    do { answer = try await Self.whole(try await send(request, before: end)) } catch {
      return try outcome(of: error, request.method)
    }
    if answer.status == 401 { throw unauthorized }
    return .answered(answer)
  }

  private func outcome(of error: HTTPError, _ method: String) throws(SyncError) -> Outcome {
    let failure = syncError(error, method)
    switch error.kind {
    case .cancelled: throw failure
    case .unreachable, .untrusted, .refused, .redirected, .body: return .notSent(failure)
    case .broken, .timedOut, .tooLarge: return .lost(failure)
    }
  }

  private static func whole(_ response: HTTPResponse) async throws(HTTPError) -> Answer {
    Answer(status: response.status, headers: response.headers, body: try await response.bytes())
  }

  // MARK: The wire

  private func send(
    _ request: HTTPRequest, before end: ContinuousClock.Instant? = nil
  ) async throws(HTTPError) -> HTTPResponse {
    var request = request
    var attempt = 1
    while true {
      try await waitForRetryAfter()
      if let end {
        let rest = end - ContinuousClock.now
        guard rest > .zero else { throw HTTPError(.unreachable, "the lock on the file has expired") }
        request.timeout = rest
      }
      let response = try await client.send(request)
      record(response, to: request)
      guard response.status == 429 || response.status == 503, attempt < Self.attempts else { return response }
      pause(after: response, attempt)
      attempt += 1
    }
  }

  private func record(_ response: HTTPResponse, to request: HTTPRequest) {
    let advance = response.header("Date").flatMap(HTTPDate.time).map { $0.seconds - runtime.now().seconds }
    state.withLock { state in
      // A proxy in front of an unreachable server has another name.
      if response.status < 500 { state.product = response.header("Server") ?? state.product }
      if request.method == "PROPFIND", response.status == 207 {
        state.classes = response.header("DAV") ?? state.classes
      }
      state.advance = advance ?? state.advance
    }
  }

  /// The present time of the server's clock, as far as known.
  var clock: Timestamp? {
    state.withLock { $0.advance }.map { Timestamp(seconds: runtime.now().seconds + $0) }
  }

  /// Records the pause that the server asks for. An invalid value counts as none.
  private func pause(after response: HTTPResponse, _ attempt: Int) {
    let now = runtime.now()
    let retryAfter = response.header("Retry-After").flatMap { Self.seconds(in: $0, date: response.header("Date")) }
    let jitter = Int64(runtime.random(1).first ?? 0) * Self.jitterStep
    let pause = min(retryAfter ?? Int64(1) << Int64(attempt - 1), Self.longestPause) * 1_000_000_000 + jitter
    state.withLock { $0.pause = max($0.pause ?? now, Timestamp(nanoseconds: now.nanoseconds + pause)) }
  }

  private static func seconds(in retryAfter: String, date: String?) -> Int64? {
    if let seconds = Int64(retryAfter) { return seconds >= 0 ? seconds : nil }
    guard let then = HTTPDate.time(retryAfter), let now = date.flatMap(HTTPDate.time) else { return nil }
    return max(0, then.seconds - now.seconds)
  }

  private func waitForRetryAfter() async throws(HTTPError) {
    while let pause = state.withLock({ $0.pause }) {
      // The clock may have been set back since: no request waits longer than the maximum pause.
      let wait = min(pause.nanoseconds - runtime.now().nanoseconds, Self.longestWait)
      if wait > 0 {
        do { try await runtime.sleep(.nanoseconds(wait)) } catch { throw HTTPError.cancelled }
      }
      // Another request may have received a longer pause meanwhile.
      state.withLock { if $0.pause == pause { $0.pause = nil } }
    }
  }

  /// Waits; throws `.cancelled` if the task is cancelled.
  func sleep(for duration: Duration) async throws(SyncError) {
    do { try await runtime.sleep(duration) } catch { throw cancelled }
  }

  /// Waits a random time around `duration`, so that two clients that collided do not collide again.
  func pauseRandomly(around duration: Duration) async throws(SyncError) {
    try await sleep(for: duration * (0.5 + Double(runtime.random(1).first ?? 0) / 255))
  }

  // MARK: Errors

  private var cancelled: SyncError { SyncError(.cancelled, "the pass was stopped while it waited for \(address.text)") }

  private var unauthorized: SyncError {
    SyncError(.unauthorized, "\(address.text) refused the login; check `user` and `password` of the remote")
  }

  /// The error for a failed exchange.
  func syncError(_ error: HTTPError, _ method: String) -> SyncError {
    let location = address.text
    switch error.kind {
    case .cancelled: return cancelled
    case .body(let cause as SyncError): return cause
    case .body: return SyncError(.unexpected, "cannot read a file while sending it to \(location)")
    case .untrusted:
      return SyncError(
        .unavailable,
        "the certificate of \(location) is not trusted: \(error.message); set `ca-file` if the server uses a private CA"
      )
    case .redirected(let target):
      return SyncError(.unavailable, "\(location) redirects to \(target); set `url` to that address")
    case .refused: return SyncError(.invalidSettings, "cannot use \(location): \(error.message)")
    case .unreachable: return SyncError(.unavailable, "cannot reach \(location): \(error.message)")
    case .timedOut: return SyncError(.unavailable, "\(location) does not answer \(method): \(error.message)")
    case .broken, .tooLarge:
      return SyncError(.unavailable, "the answer of \(location) to \(method) is unusable: \(error.message)")
    }
  }

  /// The error for a status that is not a success.
  func syncError(_ status: Int, _ method: String, _ path: SyncPath?) -> SyncError {
    let location = path.map { "\($0) on \(address.text)" } ?? address.text
    let said = "the server answered HTTP \(status) to \(method) of \(location)"
    switch status {
    case 401: return unauthorized
    case 403: return SyncError(.pathFailed, "\(said): the account lacks the permission")
    case 404, 410: return SyncError(.notFound, "\(location) does not exist")
    case 412: return SyncError(.changedMeanwhile, "another client has changed \(location)")
    case 413: return SyncError(.pathFailed, "\(said): the file is larger than the server allows")
    case 423: return SyncError(.pathFailed, "another client has locked \(location); syncd tries again later")
    case 507: return SyncError(.pathFailed, "\(said): no space left on the server")
    case 200..<400: return SyncError(.unavailable, "\(said), which is not a valid answer; check `url`")
    case 425, 429, 500..<600: return SyncError(.unavailable, "\(said); syncd tries again later")
    default: return SyncError(.pathFailed, said)
    }
  }
}

extension HTTPError {
  /// True if the same request may succeed shortly.
  fileprivate var isTransient: Bool {
    switch kind {
    case .unreachable, .broken, .timedOut: true
    case .untrusted, .tooLarge, .body, .cancelled, .redirected, .refused: false
    }
  }
}
