internal import CurlHTTP
internal import HTTPStorage
internal import SyncKit

/// A client of Box for one account: sends calls with a valid token, waits when Box asks for it, and repeats requests that can
/// do no harm.
final class Service: Sendable {
  let runtime: Runtime
  let parallelism: Int
  let hosts: Hosts
  let remote: String
  /// One change of a folder at a time.
  let locks = LockQueue()
  private let client: HTTPClient
  /// The client for calls that block for minutes.
  private let waitingClient: HTTPClient
  private let tokens: AccessTokens
  private let pause: ServerPause
  private let limit: RequestLimit

  /// The maximum number of attempts for a request that can be repeated.
  private static let attempts = 4
  /// The longest limit, in seconds, that a request waits for; and the wait after a limit without an explanation.
  private static let longestWait: Int64 = 30
  /// A page has at most 1,000 items of some hundred bytes.
  private static let answerLimit = 8 << 20
  /// The longest time that a call may block, in seconds.
  static let longestPoll = 900
  /// The seconds for which a token must be valid at the beginning of a pass, so that it is hardly ever replaced in a batch.
  private static let earlyMargin: Int64 = 900

  init(_ hosts: Hosts, _ access: HTTPClient.Configuration, tokens: AccessTokens, remote: String, runtime: Runtime) {
    self.hosts = hosts
    self.tokens = tokens
    self.remote = remote
    self.runtime = runtime
    parallelism = access.connections
    pause = ServerPause(runtime)
    limit = RequestLimit("Box", runtime)
    client = HTTPClient(access)
    var patient = access
    patient.stallTimeout = .seconds(Self.longestPoll + 10)
    waitingClient = HTTPClient(patient)
  }

  /// The remedy for a sign-in that is not valid.
  var remedy: SyncError.Remedy { .signIn(remote: remote) }

  // MARK: Requests

  /// Replaces a token that expires soon, before a pass begins.
  func renewToken() async throws(SyncError) { _ = try await tokens.token(margin: Self.earlyMargin) }

  /// Sends a request that changes nothing; repeats it if it or its answer is lost.
  func ask(_ path: String, method: String = "GET") async throws(SyncError) -> Answer {
    let request = HTTPRequest(
      method, "\(hosts.api)/2.0/\(path)", answerLimit: Self.answerLimit, mayBeRepeated: true)
    for attempt in 1..<Self.attempts {
      do throws(HTTPError) {
        let answer = try await answer(to: request)
        guard answer.status >= 500 else { return answer }
      } catch {
        guard error.isTransient else { throw syncError(error, method) }
      }
      try await sleep(for: .milliseconds(200 << attempt))
    }
    do throws(HTTPError) { return try await answer(to: request) } catch { throw syncError(error, method) }
  }

  /// Sends such a request, and decodes its answer. Throws for every other status than 200.
  ///
  /// - Parameter place: the file or folder, for messages
  func ask<Value: Decodable & Sendable>(
    _ path: String, method: String = "GET", at place: String, as type: Value.Type = Value.self
  ) async throws(SyncError) -> Value {
    try value(in: try await ask(path, method: method), at: place)
  }

  /// Decodes an answer; throws the error for its status, or if it is another document.
  func value<Value: Decodable>(in answer: Answer, at place: String) throws(SyncError) -> Value {
    guard answer.status == 200 || answer.status == 201 else { throw failure(answer, at: place) }
    guard let value = answer.value(Value.self) else { throw nonsense(place) }
    return value
  }

  /// Sends a request that changes something, once.
  func change(_ request: HTTPRequest) async throws(SyncError) -> Outcome {
    var request = request
    request.answerLimit = Self.answerLimit
    do throws(HTTPError) { return .answered(try await answer(to: request)) } catch {
      return try Outcome(of: error, syncError(error, request.method))
    }
  }

  /// Sends a change whose arguments are JSON.
  func change(
    _ method: String, _ path: String, _ body: JSON? = nil, match etag: String? = nil
  ) async throws(SyncError) -> Outcome {
    var request = HTTPRequest(method, "\(hosts.api)/2.0/\(path)")
    if let etag { request.headers.append(HTTPHeader("If-Match", etag)) }
    if let body {
      request.headers.append(HTTPHeader("Content-Type", "application/json"))
      request.body = HTTPBytes(body.line)
    }
    return try await change(request)
  }

  // MARK: Contents

  /// The answer to a request for a content.
  enum Download: Sendable {
    case content(HTTPResponse)
    case refused(Answer)
  }

  /// Requests the content of a version of a file. Box answers with another address, which gets no token.
  func download(_ file: String, version: String) async throws(SyncError) -> Download {
    var request = HTTPRequest(
      "GET", "\(hosts.api)/2.0/files/\(file)/content?version=\(version)",
      headers: [HTTPHeader("Accept-Encoding", "identity")], mayBeRepeated: true)
    request.followsRedirects = false
    request.answerLimit = .max
    do throws(HTTPError) {
      let response = try await exchange(request)
      if response.status == 200 { return .content(response) }
      let answer = try await Answer(response)
      guard [301, 302, 303, 307].contains(answer.status) else { return .refused(answer) }
      guard let target = answer.header("Location"), hosts.mayName(target) else {
        throw HTTPError(.body(nonsense("a download")), "no address")
      }
      request.url = target
      let content = try await client.send(request)
      return content.status == 200 ? .content(content) : .refused(try await Answer(content))
    } catch { throw syncError(error, "GET") }
  }

  // MARK: News

  /// Waits at an address that Box has named, without a token.
  func wait(at url: String, seconds: Int) async throws(SyncError) -> Answer {
    guard hosts.mayName(url) else { throw nonsense("the events") }
    var request = HTTPRequest(
      "GET", url, timeout: .seconds(min(max(1, seconds), Self.longestPoll)), mayBeRepeated: true)
    request.followsRedirects = false
    do throws(HTTPError) { return try await Answer(try await waitingClient.send(request)) } catch {
      throw syncError(error, "GET")
    }
  }

  /// Waits; throws `.cancelled` if the task is cancelled.
  func sleep(for duration: Duration) async throws(SyncError) {
    do { try await runtime.sleep(duration) } catch { throw .stopped(waitingFor: "Box") }
  }

  // MARK: The wire

  private func answer(to request: HTTPRequest) async throws(HTTPError) -> Answer {
    try await Answer(try await exchange(request))
  }

  /// Sends a request with a token, and repeats it while Box rejects it unprocessed: an expired token, too many requests. Returns
  /// any other answer.
  private func exchange(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    var (attempt, stale) = (1, String?.none)
    while true {
      do { try await pause.wait() } catch { throw HTTPError(.cancelled, "cancelled") }
      let token: String
      do throws(SyncError) {
        try limit.check()
        token = try await tokens.token(insteadOf: stale)
      } catch { throw HTTPError(.body(error), "nothing was sent") }
      var signed = request
      signed.headers.append(HTTPHeader("Authorization", "Bearer \(token)"))
      let response = try await client.send(signed)
      switch response.status {
      // A rejected token is replaced once.
      case 401 where stale == nil: stale = token
      case 429:
        let wait =
          response.header("Retry-After").flatMap { ServerPause.seconds(in: $0, date: response.header("Date")) }
          ?? Self.longestWait
        guard wait <= Self.longestWait, attempt < Self.attempts else {
          throw HTTPError(.body(limit.begin(seconds: wait)), "limited")
        }
        pause.begin(seconds: wait)
        attempt += 1
      default: return response
      }
    }
  }
}
