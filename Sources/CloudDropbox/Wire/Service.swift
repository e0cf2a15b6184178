internal import CurlHTTP
internal import HTTPStorage
internal import SyncKit
import Synchronization

/// A client of Dropbox for one account: sends calls with a valid token, pauses when Dropbox asks for it, and reports for every
/// failed call if it may have been carried out.
final class Service: Sendable {
  let runtime: Runtime
  let parallelism: Int
  /// One change of an account at a time: Dropbox rejects concurrent ones.
  let locks = LockQueue()
  private let hosts: Hosts
  private let client: HTTPClient
  /// The client for calls that block for minutes.
  private let waitingClient: HTTPClient
  private let tokens: AccessTokens
  private let remote: String
  private let timeout: Duration
  private let state = Mutex(State())
  private let pause: ServerPause

  private struct State {
    /// The root namespace of paths; nil for the member's own.
    var root: String?
  }

  /// The maximum number of attempts for a call that is rejected temporarily.
  private static let attempts = 5
  /// The maximum number of attempts for a read whose answer is lost.
  private static let questions = 3
  /// The answer to a long poll may come 90 seconds late, according to Dropbox.
  private static let longestDelay = Duration.seconds(120)
  /// A page has about 2,000 entries of some hundred bytes.
  private static let answerLimit = 8 << 20

  init(_ hosts: Hosts, _ access: HTTPClient.Configuration, tokens: AccessTokens, remote: String, runtime: Runtime) {
    self.hosts = hosts
    self.runtime = runtime
    self.tokens = tokens
    self.remote = remote
    parallelism = access.connections
    timeout = access.stallTimeout
    pause = ServerPause(runtime)
    client = HTTPClient(access)
    var patient = access
    patient.stallTimeout = .seconds(LongPoll.longest) + Self.longestDelay
    waitingClient = HTTPClient(patient)
  }

  /// The root namespace of paths; nil for the member's own.
  var root: String? {
    get { state.withLock { $0.root } }
    set { state.withLock { $0.root = newValue } }
  }

  // MARK: Calls

  /// Sends a read-only call; repeats it if it or its answer is lost.
  func ask<Value: Decodable & Sendable>(
    _ route: String, _ argument: JSON, as type: Value.Type = Value.self
  ) async throws(CallError) -> Value {
    try await retrying { () async throws(CallError) in try await self.change(route, argument) }
  }

  /// Sends a call that changes something; repeats it only if Dropbox reports that it was not processed.
  func change<Value: Decodable & Sendable>(
    _ route: String, _ argument: JSON, as type: Value.Type = Value.self
  ) async throws(CallError) -> Value {
    try await answer(to: request(route, argument), route).value(type)
  }

  /// Sends a call that uploads a content.
  func send<Value: Decodable & Sendable>(
    _ route: String, _ argument: JSON, _ bytes: [UInt8], as type: Value.Type = Value.self
  ) async throws(CallError) -> Value {
    let headers = [
      HTTPHeader("Dropbox-API-Arg", argument.headerText), HTTPHeader("Content-Type", "application/octet-stream"),
    ]
    let request = HTTPRequest("POST", "\(hosts.content)/2/\(route)", headers: headers, body: HTTPBytes(bytes))
    return try await answer(to: request, route).value(type)
  }

  /// Waits for changes after a cursor. Only this call is sent without a token.
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

  /// Downloads a content with its metadata.
  func download(_ path: String) async throws(CallError) -> HTTPResponse {
    let argument: JSON = ["path": .string(path)]
    // Without a body libcurl sends no length, which some proxies reject; Dropbox rejects the content type that libcurl adds to
    // one.
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

  /// Sends a request with a token, and repeats it while Dropbox rejects it unprocessed: an expired token, too many requests.
  /// Returns any other answer.
  private func exchange(_ request: HTTPRequest, _ route: String) async throws(CallError) -> HTTPResponse {
    var (attempt, stale) = (1, String?.none)
    while true {
      do { try await pause.wait() } catch { throw CallError(.cancelled, route) }
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
        // A rejected access token of ours is replaced once; missing permissions cannot be fixed that way.
        guard stale == nil, !answer.accessProblem.has("missing_scope") else { throw answer.failure }
        stale = token
      case 429 where attempt < Self.attempts:
        let answer: Answer
        do { answer = try await Answer(response, to: route) } catch { throw CallError(error, route) }
        pause.begin(seconds: Int64(answer.wantedPause ?? 1 << (attempt - 1)))
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

  /// Waits; throws `.cancelled` if the task is cancelled.
  func sleep(for duration: Duration) async throws(CallError) {
    do { try await runtime.sleep(duration) } catch { throw CallError(kind: .notDone, error: .cancelledByUs) }
  }
}
