internal import CurlHTTP
internal import HTTPStorage
internal import SyncKit
import Synchronization

/// A client of the API for one repository: sends the token, waits when the server asks for it, and repeats requests that can do no
/// harm.
final class Service: Sendable {
  let place: Place
  let runtime: Runtime
  let parallelism: Int
  private let client: HTTPClient
  private let secret: Secret
  private let remote: String
  /// The remedy for a token that is missing or not valid; nil if the user has the token from elsewhere.
  let signIn: SyncError.Remedy?
  private let state: Mutex<State>
  private let pause: ServerPause
  private let limit: RequestLimit

  private struct State {
    /// The present name of the repository, which may have been renamed.
    var repository: String
    var token: String?
  }

  /// The maximum number of attempts for a request that can be repeated.
  private static let attempts = 4
  /// The longest limit, in seconds, that a request waits for.
  private static let longestWait: Int64 = 30

  init(
    _ place: Place, _ client: HTTPClient, _ secret: Secret, remote: String, runtime: Runtime, parallelism: Int,
    signsIn: Bool
  ) {
    self.place = place
    self.client = client
    self.secret = secret
    self.remote = remote
    self.runtime = runtime
    self.parallelism = parallelism
    signIn = signsIn ? .signIn(remote: remote) : nil
    state = Mutex(State(repository: place.repository))
    pause = ServerPause(runtime)
    limit = RequestLimit(place.host, runtime)
  }

  /// The present name of the repository.
  var repository: String {
    get { state.withLock { $0.repository } }
    set { state.withLock { $0.repository = newValue } }
  }

  /// A response whose body was not read, or the answer with a failure.
  enum Reply: Sendable {
    case good(HTTPResponse)
    case bad(Answer)
  }

  /// The requests that read the repository.
  var api: any RepositoryAPI { place.kind.api(self) }

  // MARK: Requests

  /// Sends a request whose repetition can do no harm: a read, or the upload of an object, whose name is its hash. Repeats it if
  /// it or its answer is lost.
  func ask(
    _ method: String = "GET", _ path: String, _ body: JSON? = nil, headers: [HTTPHeader] = []
  ) async throws(SyncError) -> Answer {
    for attempt in 1..<Self.attempts {
      do throws(HTTPError) {
        let answer = try await answer(to: request(method, path, body, headers, mayBeRepeated: true))
        guard answer.status >= 500 else { return answer }
      } catch {
        guard error.isTransient else { throw syncError(error, method) }
      }
      try await sleep(for: .milliseconds(200 << attempt))
    }
    do throws(HTTPError) {
      return try await answer(to: request(method, path, body, headers, mayBeRepeated: true))
    } catch { throw syncError(error, method) }
  }

  /// Sends such a request, and decodes its answer. Throws for every other status than 200 and 201.
  func ask<Value: Decodable & Sendable>(
    _ method: String = "GET", _ path: String, _ body: JSON? = nil, as type: Value.Type = Value.self
  ) async throws(SyncError) -> Value { try value(in: try await ask(method, path, body), method, path) }

  /// Sends a request that changes the branch, once.
  func change(_ method: String, _ path: String, _ body: JSON) async throws(SyncError) -> Outcome {
    do throws(HTTPError) {
      return .answered(try await answer(to: request(method, path, body, [], mayBeRepeated: false)))
    } catch { return try Outcome(of: error, syncError(error, method)) }
  }

  /// Requests the bytes of a blob.
  func download(_ path: String) async throws(SyncError) -> Reply {
    let headers = [
      HTTPHeader("Accept", "application/vnd.github.raw+json"), HTTPHeader("Accept-Encoding", "identity"),
    ]
    var request = request("GET", path, nil, headers, mayBeRepeated: true)
    request.answerLimit = .max
    do throws(HTTPError) { return try await exchange(request) } catch { throw syncError(error, "GET") }
  }

  /// Decodes an answer; throws the error for its status, or if it is another document.
  func value<Value: Decodable>(in answer: Answer, _ method: String, _ path: String) throws(SyncError) -> Value {
    guard answer.status == 200 || answer.status == 201 else { throw failure(answer, method, path) }
    guard let value = answer.value(Value.self) else { throw nonsense(method, path) }
    return value
  }

  /// The error for an answer that has another form than the API's.
  func nonsense(_ method: String, _ path: String) -> SyncError {
    SyncError(
      .unavailable,
      "the answer to \(method) \(path) is not from \(place.kind.product); check `api-url`, and if the network has a sign-in page"
    )
  }

  // MARK: The wire

  private func request(
    _ method: String, _ path: String, _ body: JSON?, _ headers: [HTTPHeader], mayBeRepeated: Bool
  ) -> HTTPRequest {
    var headers = headers
    if !headers.contains(where: { $0.name == "Accept" }) {
      headers.append(HTTPHeader("Accept", place.kind.mediaType))
    }
    headers += place.kind.headers
    if body != nil { headers.append(HTTPHeader("Content-Type", "application/json")) }
    return HTTPRequest(
      method, "\(place.api)/repos/\(repository)\(path)", headers: headers, body: body.map { HTTPBytes($0.line) },
      answerLimit: place.kind.answerLimit, mayBeRepeated: mayBeRepeated)
  }

  private func answer(to request: HTTPRequest) async throws(HTTPError) -> Answer {
    switch try await exchange(request) {
    case .good(let response): try await Answer(response)
    case .bad(let answer): answer
    }
  }

  /// Sends a request with the token, and repeats it while the server rejects it unprocessed because of a limit.
  private func exchange(_ request: HTTPRequest) async throws(HTTPError) -> Reply {
    var (attempt, stale) = (1, String?.none)
    while true {
      do { try await pause.wait() } catch { throw .cancelled }
      let token: String
      do throws(SyncError) {
        try limit.check()
        token = try await self.token(insteadOf: stale)
      } catch { throw HTTPError(.body(error), "nothing was sent") }
      var signed = request
      signed.headers.append(place.kind.authorization(token))
      let response = try await client.send(signed)
      if (200..<300).contains(response.status) { return .good(response) }
      let answer = try await Answer(response)
      // The token may have been replaced since it was read.
      if answer.status == 401, stale == nil {
        stale = token
        continue
      }
      guard let wait = RateLimit.wait(in: answer, now: runtime.now()) else { return .bad(answer) }
      guard wait <= Self.longestWait, attempt < Self.attempts else {
        throw HTTPError(.body(limit.begin(seconds: wait)), "limited")
      }
      pause.begin(seconds: wait)
      attempt += 1
    }
  }

  private func token(insteadOf stale: String?) async throws(SyncError) -> String {
    if let token = state.withLock({ $0.token }), token != stale { return token }
    let token: String
    do { token = try await secret.reveal() } catch {
      throw SyncError(.unauthorized, "cannot read the token of the remote \(remote): \(error)", remedy: signIn)
    }
    state.withLock { $0.token = token }
    return token
  }

  /// Waits; throws `.cancelled` if the task is cancelled.
  func sleep(for duration: Duration) async throws(SyncError) {
    do { try await runtime.sleep(duration) } catch { throw .stopped(waitingFor: place.address) }
  }
}
