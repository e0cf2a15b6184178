internal import CurlHTTP
internal import HTTPStorage
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
  private let pause: ServerPause
  private let controlTimeout: Duration

  private struct State {
    /// The server's name in its answers.
    var product: String?
    /// The WebDAV classes in its answers to PROPFIND; other answers omit some, or all.
    var classes: String?
    /// The difference of the server's clock to ours in seconds; positive if it is ahead.
    var advance: Int64?
  }

  /// The maximum number of attempts for a request that is rejected temporarily.
  private static let attempts = 4
  /// The maximum number of attempts for a read whose answer is lost.
  private static let questions = 3

  init(_ address: Address, _ access: HTTPClient.Configuration, runtime: Runtime) {
    self.address = address
    self.runtime = runtime
    parallelism = access.connections
    controlTimeout = max(access.stallTimeout, .seconds(1))
    client = HTTPClient(access)
    pause = ServerPause(runtime)
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
    do { return try await Answer(response) } catch { throw syncError(error, request.method) }
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
    do { answer = try await Answer(try await send(request, before: end)) } catch {
      return try Outcome(of: error, syncError(error, request.method))
    }
    if answer.status == 401 { throw unauthorized }
    return .answered(answer)
  }

  // MARK: The wire

  private func send(
    _ request: HTTPRequest, before end: ContinuousClock.Instant? = nil
  ) async throws(HTTPError) -> HTTPResponse {
    var request = request
    var attempt = 1
    while true {
      do { try await pause.wait() } catch { throw .cancelled }
      if let end {
        let rest = end - ContinuousClock.now
        guard rest > .zero else { throw HTTPError(.unreachable, "the lock on the file has expired") }
        request.timeout = rest
      }
      let response = try await client.send(request)
      record(response, to: request)
      guard response.status == 429 || response.status == 503, attempt < Self.attempts else { return response }
      let retryAfter = response.header("Retry-After").flatMap {
        ServerPause.seconds(in: $0, date: response.header("Date"))
      }
      pause.begin(seconds: retryAfter ?? Int64(1) << Int64(attempt - 1))
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

  /// Waits; throws `.cancelled` if the task is cancelled.
  func sleep(for duration: Duration) async throws(SyncError) {
    do { try await runtime.sleep(duration) } catch { throw cancelled }
  }

  /// Waits a random time around `duration`, so that two clients that collided do not collide again.
  func pauseRandomly(around duration: Duration) async throws(SyncError) {
    try await sleep(for: duration * (0.5 + Double(runtime.random(1).first ?? 0) / 255))
  }

  // MARK: Errors

  private var cancelled: SyncError { .stopped(waitingFor: address.text) }

  private var unauthorized: SyncError {
    SyncError(.unauthorized, "\(address.text) refused the login; check `user` and `password` of the remote")
  }

  /// The error for a failed exchange.
  func syncError(_ error: HTTPError, _ method: String) -> SyncError {
    error.syncError(method, at: address.text, setting: "url")
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
    // Apache damages its lock database when many requests use it at once, and then rejects every LOCK (measured on 2.4.71).
    case 500 where method == "LOCK":
      return SyncError(
        .unavailable,
        "\(said); syncd tries again later. If it remains so, the server's lock database may be damaged: on Apache, stop the server, "
          + "remove the files of `DavLockDB`, and start it again")
    case 425, 429, 500..<600: return SyncError(.unavailable, "\(said); syncd tries again later")
    default: return SyncError(.pathFailed, said)
    }
  }
}
