internal import CurlHTTP
internal import SyncKit
import Synchronization

/// Dropbox as one account sees it: sends calls with a token that is good, leaves the account alone when it is asked to,
/// and says of every call that failed whether it may have been carried out.
final class Service: Sendable {
  let runtime: Runtime
  let parallelism: Int
  /// One change of an account at a time: Dropbox refuses those that come while it works on another one.
  let locks = LockQueue()
  private let hosts: Hosts
  private let client: HTTPClient
  /// For what blocks for minutes.
  private let waitingClient: HTTPClient
  private let tokens: AccessTokens
  private let remote: String
  private let timeout: Duration
  private let state = Mutex(State())

  private struct State {
    /// Nothing is sent before.
    var pause: Timestamp?
    /// The namespace that paths start from; nil for the member's own.
    var root: String?
  }

  /// How often a call that was refused for now is sent in all, and how many seconds it waits at most before each time.
  private static let attempts = 5
  private static let longestPause = 30
  /// How often a question is asked whose answer gets lost.
  private static let questions = 3
  /// The answer to a long poll may come 90 seconds late, says Dropbox.
  private static let longestDelay = Duration.seconds(120)
  private static let answerLimit = 64 << 20

  init(_ hosts: Hosts, _ access: HTTPClient.Configuration, tokens: AccessTokens, remote: String, runtime: Runtime) {
    self.hosts = hosts
    self.runtime = runtime
    self.tokens = tokens
    self.remote = remote
    parallelism = access.connections
    timeout = access.stallTimeout
    client = HTTPClient(access)
    var patient = access
    patient.stallTimeout = .seconds(LongPoll.longest) + Self.longestDelay
    waitingClient = HTTPClient(patient)
  }

  /// The namespace that paths start from; nil for the member's own.
  var root: String? {
    get { state.withLock { $0.root } }
    set { state.withLock { $0.root = newValue } }
  }

  // MARK: Calls

  /// A question, asked again if it or its answer gets lost.
  func ask<Value: Decodable & Sendable>(
    _ route: String, _ argument: JSON, as type: Value.Type = Value.self
  ) async throws(CallError) -> Value {
    try await retrying { () async throws(CallError) in try await self.change(route, argument) }
  }

  /// A call that changes something, sent once unless Dropbox says that it has not even looked at it.
  func change<Value: Decodable & Sendable>(
    _ route: String, _ argument: JSON, as type: Value.Type = Value.self
  ) async throws(CallError) -> Value {
    try await answer(to: request(route, argument), route).value(type)
  }

  /// A call that takes a content in.
  func send<Value: Decodable & Sendable>(
    _ route: String, _ argument: JSON, _ bytes: [UInt8], as type: Value.Type = Value.self
  ) async throws(CallError) -> Value {
    let headers = [
      HTTPHeader("Dropbox-API-Arg", argument.headerText), HTTPHeader("Content-Type", "application/octet-stream"),
    ]
    let request = HTTPRequest("POST", "\(hosts.content)/2/\(route)", headers: headers, body: HTTPBytes(bytes))
    return try await answer(to: request, route).value(type)
  }

  /// Waits until there is news for a cursor. Here, and only here, no token is sent.
  func wait(_ argument: JSON) async throws(CallError) -> LongPoll.Answer {
    let route = LongPoll.route
    let headers = [HTTPHeader("Content-Type", "application/json")]
    let request = HTTPRequest("POST", "\(hosts.notify)/2/\(route)", headers: headers, body: HTTPBytes(argument.line))
    do {
      let response = try await waitingClient.send(request)
      return try await Answer(response, to: route).value(LongPoll.Answer.self)
    } catch let error as CallError { throw error } catch let error as HTTPError {
      throw CallError(error, route)
    } catch { throw CallError(kind: .lost, error: SyncError(.unexpected, "\(error)")) }
  }

  /// A content, with what Dropbox says of it.
  func download(_ path: String) async throws(CallError) -> HTTPResponse {
    let argument: JSON = ["path": .string(path)]
    // Without a body libcurl announces no length, which some proxies refuse; a type it adds of itself would be refused.
    let headers = [
      HTTPHeader("Dropbox-API-Arg", argument.headerText), HTTPHeader("Accept-Encoding", "identity"),
      HTTPHeader("Content-Length", "0"),
    ]
    let route = "files/download"
    let request = HTTPRequest(
      "POST", "\(hosts.content)/2/\(route)", headers: headers, answerLimit: .max, mayBeRepeated: true)
    return try await retrying { () async throws(CallError) in
      let response = try await self.exchange(request, route)
      guard response.status != 200 else { return response }
      do { throw try await Answer(response, to: route).failure } catch let error as HTTPError {
        throw CallError(error, route)
      } catch let error as CallError { throw error } catch { preconditionFailure("nothing else is thrown") }
    }
  }

  private func request(_ route: String, _ argument: JSON) -> HTTPRequest {
    HTTPRequest(
      "POST", "\(hosts.api)/2/\(route)", headers: [HTTPHeader("Content-Type", "application/json")],
      body: HTTPBytes(argument.line), answerLimit: Self.answerLimit, timeout: max(timeout, .seconds(1)) * 2)
  }

  private func retrying<Value>(
    _ call: () async throws(CallError) -> Value
  ) async throws(CallError) -> Value {
    var pause = Duration.milliseconds(200)
    for _ in 1..<Self.questions {
      do throws(CallError) { return try await call() } catch { guard error.isTransient else { throw error } }
      try await sleep(for: pause * (0.5 + Double(runtime.random(1).first ?? 0) / 255))
      pause *= 3
    }
    return try await call()
  }

  private func answer(to request: HTTPRequest, _ route: String) async throws(CallError) -> Answer {
    let response = try await exchange(request, route)
    do { return try await Answer(response, to: route) } catch { throw CallError(error, route) }
  }

  // MARK: The wire

  /// Sends a request with a token and again for as long as Dropbox refuses it unread: a token that has expired, too many
  /// requests. Any other answer is returned.
  private func exchange(_ request: HTTPRequest, _ route: String) async throws(CallError) -> HTTPResponse {
    var (attempt, stale) = (1, String?.none)
    while true {
      try await waitForPause()
      let token: String
      do throws(SyncError) { token = try await tokens.token(insteadOf: stale) } catch {
        throw CallError(kind: .notDone, error: error)
      }
      let response: HTTPResponse
      do { response = try await client.send(authorized(request, token)) } catch { throw CallError(error, route) }
      switch response.status {
      case 401:
        let answer: Answer
        do { answer = try await Answer(response, to: route) } catch { throw CallError(error, route) }
        // A token of our own making that is refused is worth one more; an account without access gets none.
        guard stale == nil, !answer.accessProblem.has("missing_scope") else { throw answer.failure }
        stale = token
      case 429 where attempt < Self.attempts:
        let answer: Answer
        do { answer = try await Answer(response, to: route) } catch { throw CallError(error, route) }
        pause(for: answer.wantedPause ?? 1 << (attempt - 1))
        attempt += 1
      default: return response
      }
    }
  }

  private func authorized(_ request: HTTPRequest, _ token: String) -> HTTPRequest {
    var request = request
    request.headers.append(HTTPHeader("Authorization", "Bearer \(token)"))
    if let root {
      let argument: JSON = [".tag": "root", "root": .string(root)]
      request.headers.append(HTTPHeader("Dropbox-API-Path-Root", argument.headerText))
    }
    return request
  }

  /// Nothing is sent for this many seconds, and somewhat longer, so that devices do not come back all at once.
  private func pause(for seconds: Int) {
    let now = runtime.now()
    let jitter = Int64(runtime.random(1).first ?? 0) * 2_000_000
    let end = now.nanoseconds + Int64(min(max(0, seconds), Self.longestPause)) * 1_000_000_000 + jitter
    state.withLock { $0.pause = max($0.pause ?? now, Timestamp(nanoseconds: end)) }
  }

  private func waitForPause() async throws(CallError) {
    guard let pause = state.withLock({ $0.pause }) else { return }
    let wait = pause.nanoseconds - runtime.now().nanoseconds
    if wait > 0 { try await sleep(for: .nanoseconds(min(wait, Int64(Self.longestPause + 1) * 1_000_000_000))) }
  }

  /// Waits; `.cancelled` if the task is.
  func sleep(for duration: Duration) async throws(CallError) {
    do { try await runtime.sleep(duration) } catch { throw CallError(kind: .notDone, error: .cancelledByUs) }
  }
}
