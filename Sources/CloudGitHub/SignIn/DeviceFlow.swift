internal import CurlHTTP
internal import HTTPStorage
internal import SyncKit

/// A client of the sign-in without a browser on this machine (RFC 8628): the user enters a code on another device.
struct DeviceFlow: Sendable {
  let place: Place
  let clientId: String
  let runtime: Runtime
  private let client: HTTPClient

  init(_ place: Place, _ client: HTTPClient, clientId: String, runtime: Runtime) {
    (self.place, self.client, self.clientId, self.runtime) = (place, client, clientId, runtime)
  }

  /// A code for the user, with the secret that belongs to it.
  struct Code: Sendable {
    var device: String
    /// What the user enters.
    var user: String
    /// The address of the page on which to enter it.
    var page: String
    /// The pause between two questions, in seconds.
    var interval: Int
    /// The seconds in which the code is valid.
    var life: Int
  }

  /// Requests a code.
  func begin() async throws(SyncError) -> Code {
    let answer = try await post("/login/device/code", [("client_id", clientId)])
    if let refusal = answer.value(Refusal.self) { throw refused(refusal) }
    guard answer.status == 200, let reply = answer.value(CodeReply.self), let code = Code(reply) else {
      throw nonsense(answer)
    }
    return code
  }

  /// Asks until the user has entered the code, and returns the token. Throws `.timedOut` if that takes too long.
  func token(for code: Code) async throws(SyncError) -> String {
    let end = runtime.now().seconds + Int64(code.life)
    var interval = code.interval
    while runtime.now().seconds < end {
      do { try await runtime.sleep(.seconds(interval)) } catch { throw .stopped(waitingFor: place.host) }
      switch try await answer(to: code) {
      case .token(let token): return token
      case .pending(let pause?): interval = pause
      case .pending(nil): continue
      case .slowDown: interval += Self.step
      }
    }
    throw SyncError(.timedOut, "the code for \(place.host) has expired; sign in again")
  }

  /// Returns the name of the token's account.
  func account(of token: String) async throws(SyncError) -> String {
    let answer = try await get("/user", token)
    guard answer.status == 200, let user = answer.value(UserReply.self) else { throw nonsense(answer) }
    return user.login
  }

  /// Returns true if the token can see the repository.
  func canSeeRepository(_ token: String) async throws(SyncError) -> Bool {
    try await get("/repos/\(place.repository)", token).status == 200
  }

  // MARK: Answers

  fileprivate struct CodeReply: Decodable {
    var deviceCode: String
    var userCode: String
    var verificationUri: String
    var expiresIn: Int?
    var interval: Int?
  }

  private struct TokenReply: Decodable {
    var accessToken: String
    var expiresIn: Int?
  }

  /// A refusal, which has the status 200.
  private struct Refusal: Decodable {
    var error: String
    var errorDescription: String?
    var interval: Int?
  }

  private struct UserReply: Decodable { var login: String }

  private enum Progress {
    case token(String)
    /// The user has not decided yet; the pause is new, or stays.
    case pending(Int?)
    case slowDown
  }

  private static let grant = "urn:ietf:params:oauth:grant-type:device_code"
  /// The seconds by which the pause grows if GitHub asks for it without a number.
  private static let step = 5
  /// The longest pause and the longest life of a code, in seconds.
  fileprivate static let limits = (pause: 60, life: 1_800)
  private static let answerLimit = 64 << 10

  /// Asks once. A lost answer is like one that is pending.
  private func answer(to code: Code) async throws(SyncError) -> Progress {
    let answer: Answer
    do throws(SyncError) {
      answer = try await post(
        "/login/oauth/access_token",
        [("client_id", clientId), ("device_code", code.device), ("grant_type", Self.grant)])
    } catch {
      guard error.code == .unavailable else { throw error }
      return .pending(nil)
    }
    guard answer.status < 500 else { return .pending(nil) }
    if let refusal = answer.value(Refusal.self) { return try progress(after: refusal) }
    guard answer.status == 200, let reply = answer.value(TokenReply.self) else { throw nonsense(answer) }
    guard reply.expiresIn == nil else { throw expiring }
    return .token(reply.accessToken)
  }

  private func progress(after refusal: Refusal) throws(SyncError) -> Progress {
    switch refusal.error {
    case "authorization_pending": return .pending(nil)
    case "slow_down": return refusal.interval.map { .pending(min(max(1, $0), Self.limits.pause)) } ?? .slowDown
    default: throw refused(refusal)
    }
  }

  private func refused(_ refusal: Refusal) -> SyncError {
    switch refusal.error {
    case "access_denied": SyncError(.unauthorized, "the sign-in to \(place.host) was cancelled in the browser")
    case "expired_token", "incorrect_device_code":
      SyncError(.timedOut, "the code for \(place.host) has expired; sign in again")
    case "device_flow_disabled":
      SyncError(
        .unauthorized, "\(place.host) refused the sign-in: the app does not allow it; switch on its device flow",
        cause: refusal.errorDescription)
    default:
      SyncError(
        .unauthorized, "\(place.host) refused the sign-in: \(refusal.error); check `client-id`",
        cause: refusal.errorDescription)
    }
  }

  private var expiring: SyncError {
    SyncError(
      .unauthorized,
      "the tokens of the app expire after some hours, and syncd cannot renew them; switch off the expiration of user tokens "
        + "in the app's settings, then sign in again")
  }

  private func nonsense(_ answer: Answer) -> SyncError {
    SyncError(
      .unavailable,
      "\(place.host) answered the sign-in with HTTP \(answer.status) and no usable content; check `client-id` and `api-url`"
    )
  }

  // MARK: The wire

  private func post(_ path: String, _ fields: [(String, String)]) async throws(SyncError) -> Answer {
    return try await send(
      HTTPRequest(
        "POST", place.web + path,
        headers: [
          HTTPHeader("Accept", "application/json"), HTTPHeader("Content-Type", FormEncoding.type),
        ], body: HTTPBytes(FormEncoding.text(fields)), answerLimit: Self.answerLimit))
  }

  private func get(_ path: String, _ token: String) async throws(SyncError) -> Answer {
    try await send(
      HTTPRequest(
        "GET", place.api + path,
        headers: [
          HTTPHeader("Accept", "application/vnd.github+json"), HTTPHeader("Authorization", "Bearer \(token)"),
        ], answerLimit: Self.answerLimit, mayBeRepeated: true))
  }

  private func send(_ request: HTTPRequest) async throws(SyncError) -> Answer {
    do throws(HTTPError) { return try await Answer(try await client.send(request)) } catch {
      throw error.syncError(request.method, at: place.host, setting: "api-url")
    }
  }
}

extension DeviceFlow.Code {
  /// Returns nil if a user could not read the code or open the address.
  fileprivate init?(_ reply: DeviceFlow.CodeReply) {
    guard (1...32).contains(reply.userCode.count),
      reply.userCode.allSatisfy({ $0 == "-" || $0.isASCII && ($0.isLetter || $0.isNumber) }),
      reply.verificationUri.hasPrefix("http"), reply.verificationUri.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { return nil }
    self.init(
      device: reply.deviceCode, user: reply.userCode, page: reply.verificationUri,
      interval: min(max(1, reply.interval ?? 5), DeviceFlow.limits.pause),
      life: min(max(0, reply.expiresIn ?? 900), DeviceFlow.limits.life))
  }
}
