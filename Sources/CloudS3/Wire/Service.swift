internal import CurlHTTP
internal import HTTPStorage
internal import SyncKit
import Synchronization

/// A client of one bucket: signs requests, corrects the region and a wrong clock once, pauses when the server asks for it, and
/// repeats requests that change nothing.
final class Service: Sendable {
  let bucket: Bucket
  let runtime: Runtime
  let parallelism: Int
  private let client: HTTPClient
  private let ring: KeyRing
  private let state: Mutex<State>
  private let pause: ServerPause

  private struct State {
    var region: String
    /// The difference of the server's clock to ours in seconds, where the server has refused our time.
    var clockOffset: Int64 = 0
    /// The server's name in its answers.
    var product: String?
  }

  /// The maximum number of attempts for a request that changes nothing.
  private static let attempts = 5
  /// The difference of clocks in seconds from which a refusal without a reason is attributed to the clock.
  private static let suspiciousOffset: Int64 = 300

  init(
    _ bucket: Bucket, _ client: HTTPClient, _ ring: KeyRing, region: String, runtime: Runtime, parallelism: Int
  ) {
    self.bucket = bucket
    self.client = client
    self.ring = ring
    self.runtime = runtime
    self.parallelism = parallelism
    state = Mutex(State(region: region))
    pause = ServerPause(runtime)
  }

  var product: String? { state.withLock { $0.product } }
  var region: String { state.withLock { $0.region } }
  /// The seconds by which this machine's clock is behind the server's; 0 unless the server has refused our time.
  var clockOffset: Int64 { state.withLock { $0.clockOffset } }
  /// The present time, corrected where the server has refused ours.
  var now: Timestamp { Timestamp(seconds: runtime.now().seconds + clockOffset) }

  /// A response whose body was not read, or the answer with a failure.
  enum Reply: Sendable {
    case good(HTTPResponse)
    case bad(Answer)
  }

  // MARK: Reading

  /// Sends a request that changes nothing, again if it is lost or rejected for now. Throws an error if it is lost each time.
  func ask(_ call: Call) async throws(SyncError) -> Reply {
    for attempt in 1..<Self.attempts {
      do throws(HTTPError) {
        let reply = try await exchange(call)
        guard case .bad(let answer) = reply, answer.isTemporary else { return reply }
        try await back(off: attempt, answer)
      } catch {
        guard error.isTransient else { throw syncError(error, call.method) }
        try await pauseRandomly(upTo: .milliseconds(200 << attempt))
      }
    }
    do throws(HTTPError) { return try await exchange(call) } catch { throw syncError(error, call.method) }
  }

  /// The same, with the complete answer.
  func answer(to call: Call) async throws(SyncError) -> Answer {
    for attempt in 1... {
      switch try await ask(call) {
      case .bad(let answer): return answer
      case .good(let response):
        do throws(HTTPError) { return try await Answer(response) } catch {
          guard error.isTransient, attempt < Self.attempts else { throw syncError(error, call.method) }
        }
      }
    }
    throw cancelled
  }

  // MARK: Changing

  /// Sends a request that changes something, once, unless the server refuses its time, region or token: then it was not
  /// carried out. Throws only errors that end the pass.
  func change(_ call: Call) async throws(SyncError) -> Outcome {
    do throws(HTTPError) {
      switch try await exchange(call) {
      case .bad(let answer): return .answered(answer)
      case .good(let response): return .answered(try await Answer(response))
      }
    } catch {
      return try outcome(of: error, call.method)
    }
  }

  /// Sends a request that is signed in its query and that the server refuses after `expiry` seconds from `time`, once.
  func change(_ call: Call, signedAt time: Timestamp, expiringAfter expiry: Int) async throws(SyncError) -> Outcome {
    let keys = try await ring.keys()
    let host = bucket.host(in: region)
    let parts = SignedParts(
      method: call.method, path: bucket.path(of: call.key), query: call.query, headers: [HTTPHeader("Host", host)],
      payload: call.payload)
    let query = Signature(keys: keys, region: region).query(
      for: parts, at: SigningTime(time), expiringAfter: expiry)
    do throws(HTTPError) {
      let response = try await client.send(
        HTTPRequest(call.method, "\(bucket.scheme)://\(host)\(parts.path)?\(query)", answerLimit: call.answerLimit))
      return .answered(try await Answer(response))
    } catch {
      return try outcome(of: error, call.method)
    }
  }

  private func outcome(of error: HTTPError, _ method: String) throws(SyncError) -> Outcome {
    try Outcome(of: error, syncError(error, method))
  }

  // MARK: The wire

  /// Sends a request, and sends it once more with a corrected time, region or token, if the server refuses the present one.
  private func exchange(_ call: Call) async throws(HTTPError) -> Reply {
    var corrections: Set<Correction> = []
    while true {
      do { try await pause.wait() } catch { throw .cancelled }
      let keys: AccessKeys
      do throws(SyncError) { keys = try await ring.keys() } catch { throw HTTPError(.body(error), "no keys") }
      let time = now
      let response = try await client.send(signed(call, keys, time))
      if response.status < 500 { state.withLock { $0.product = response.header("Server") ?? $0.product } }
      if (200..<300).contains(response.status) { return .good(response) }
      let answer = try await Answer(response)
      guard let correction = correction(for: answer, signedAt: time), corrections.insert(correction).inserted else {
        return .bad(answer)
      }
      apply(correction, from: answer, keys)
    }
  }

  private func signed(_ call: Call, _ keys: AccessKeys, _ time: Timestamp) -> HTTPRequest {
    let host = bucket.host(in: region)
    var headers =
      call.headers + [
        HTTPHeader("Host", host), HTTPHeader("x-amz-content-sha256", call.payload),
        HTTPHeader("x-amz-date", SigningTime(time).text),
      ]
    if let token = keys.sessionToken { headers.append(HTTPHeader("x-amz-security-token", token)) }
    let parts = SignedParts(
      method: call.method, path: bucket.path(of: call.key), query: call.query, headers: headers, payload: call.payload)
    headers.append(Signature(keys: keys, region: region).authorization(for: parts, at: SigningTime(time)))
    headers.append(HTTPHeader("Accept-Encoding", "identity"))
    let query = call.query.isEmpty ? "" : "?\(parts.encodedQuery)"
    return HTTPRequest(
      call.method, "\(bucket.scheme)://\(host)\(parts.path)\(query)", headers: headers, body: call.body,
      answerLimit: call.answerLimit)
  }

  // MARK: Corrections

  /// What a server's refusal tells about the next attempt.
  private enum Correction: Hashable { case clock, region, token }

  private func correction(for answer: Answer, signedAt time: Timestamp) -> Correction? {
    let code = answer.failure?.code
    if answer.status == 403, code == "ExpiredToken" { return .token }
    if answer.status == 403, code == "RequestTimeTooSkewed" || code == nil, let date = answer.date,
      abs(date.seconds - time.seconds) > Self.suspiciousOffset
    {
      return .clock
    }
    guard [301, 307, 400].contains(answer.status), let other = otherRegion(in: answer), other != region else {
      return nil
    }
    return .region
  }

  private func otherRegion(in answer: Answer) -> String? {
    let region = answer.failure?.region ?? answer.header("x-amz-bucket-region")
    return region.flatMap { $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") } ? $0 : nil }
  }

  private func apply(_ correction: Correction, from answer: Answer, _ keys: AccessKeys) {
    switch correction {
    case .token: ring.forget(keys)
    case .clock:
      guard let date = answer.date else { return }
      state.withLock { $0.clockOffset = date.seconds - runtime.now().seconds }
    case .region:
      guard let other = otherRegion(in: answer), !other.isEmpty else { return }
      state.withLock { $0.region = other }
    }
  }

  // MARK: Pauses

  /// Pauses after a temporary rejection, as long as the server asks for.
  private func back(off attempt: Int, _ answer: Answer) async throws(HTTPError) {
    let retryAfter = answer.header("Retry-After").flatMap { ServerPause.seconds(in: $0, date: answer.header("Date")) }
    if let retryAfter, retryAfter > 0 { pause.begin(seconds: retryAfter) }
    do throws(SyncError) { try await pauseRandomly(upTo: .milliseconds(200 << attempt)) } catch { throw .cancelled }
  }

  /// Waits a random time, so that two clients that collided do not collide again.
  func pauseRandomly(upTo duration: Duration) async throws(SyncError) {
    let part = Double((runtime.random(1).first ?? 0)) / 255
    do { try await runtime.sleep(duration * part) } catch { throw cancelled }
  }

  var cancelled: SyncError { .stopped(waitingFor: bucket.address) }

  /// The name of the present access key, for messages.
  func keyName() async -> String { (try? await ring.keys().shortID) ?? "unknown" }
}
