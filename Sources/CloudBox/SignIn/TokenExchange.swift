internal import CurlHTTP
internal import HTTPStorage
internal import SyncKit

/// A client of `/oauth2/token` with a client secret (Box, "Authentication").
struct TokenExchange: Sendable {
  let remote: String
  let runtime: Runtime
  private let clientId: String
  private let secret: Secret
  private let endpoint: TokenEndpoint

  /// The seconds for which an access token is valid, unless Box says otherwise.
  private static let life = 3_600

  init(
    _ hosts: Hosts, _ client: HTTPClient.Configuration, clientId: String, secret: Secret, remote: String,
    runtime: Runtime
  ) {
    self.clientId = clientId
    self.secret = secret
    self.remote = remote
    self.runtime = runtime
    endpoint = TokenEndpoint(hosts.api + "/oauth2/token", of: "Box", client)
  }

  /// Requests tokens, once.
  func request(_ fields: [(String, String)]) async throws(SyncError) -> TokenEndpoint.Reply {
    let secret: String
    do { secret = try await self.secret.reveal() } catch {
      throw SyncError(.unauthorized, "cannot read `client-secret` of the remote \(remote): \(error)")
    }
    return await endpoint.request(fields + [("client_id", clientId), ("client_secret", secret)])
  }

  /// Requests tokens, and repeats the request while Box does not answer it. Only for requests whose repetition does no harm.
  func repeated(_ fields: [(String, String)]) async throws(SyncError) -> Result<TokenGrant, TokenRefusal> {
    for attempt in 1... {
      switch try await request(fields) {
      case .granted(let grant): return .success(grant)
      case .refused(let refusal): return .failure(refusal)
      case .failed(let error, _):
        guard attempt < 3, error.code == .unavailable else { throw error }
      }
      do { try await runtime.sleep(.milliseconds(300 * attempt)) } catch { throw .stopped(waitingFor: "Box") }
    }
    preconditionFailure("a loop without an end has ended")
  }

  /// Returns the tokens of a user; nil if they are missing, or could not be stored as lines.
  func pair(of grant: TokenGrant) -> TokenPair? {
    guard let refresh = grant.refreshToken, refresh.isPrintableWord, grant.accessToken.isPrintableWord else {
      return nil
    }
    return TokenPair(refresh: refresh, access: accessToken(of: grant))
  }

  func accessToken(of grant: TokenGrant) -> AccessToken { grant.token(at: runtime.now(), life: Self.life) }

  /// The error for a refusal that concerns the app and not the sign-in; nil for others.
  func appError(_ refusal: TokenRefusal) -> SyncError? {
    switch refusal.error {
    case "invalid_client":
      SyncError(
        .unauthorized, "Box does not accept the app of the remote \(remote); check `client-id` and `client-secret`",
        cause: refusal.description)
    case "unauthorized_client":
      SyncError(
        .unauthorized,
        "the app of the remote \(remote) may not sign in this way; check its kind in Box's developer console, and if an "
          + "administrator has authorized it", cause: refusal.description)
    default: nil
    }
  }
}

/// Authenticates as the app with its client credentials, which have no refresh token.
struct AppGrant: Sendable {
  /// The account that the app acts for.
  struct Subject: Hashable, Sendable {
    var type: String
    var id: String

    /// Returns nil unless the text is `user:ID` or `enterprise:ID`.
    init?(_ text: String) {
      let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, ["user", "enterprise"].contains(parts[0]), ItemID.isValid(parts[1]) else { return nil }
      (type, id) = (parts[0], parts[1])
    }
  }

  let exchange: TokenExchange
  let subject: Subject

  func token() async throws(SyncError) -> AccessToken {
    let fields = [
      ("grant_type", "client_credentials"), ("box_subject_type", subject.type), ("box_subject_id", subject.id),
    ]
    switch try await exchange.repeated(fields) {
    case .success(let grant): return exchange.accessToken(of: grant)
    case .failure(let refusal): throw exchange.appError(refusal) ?? refused(refusal)
    }
  }

  private func refused(_ refusal: TokenRefusal) -> SyncError {
    SyncError(
      .unauthorized,
      "Box gives the app of the remote \(exchange.remote) no access to \(subject.type) \(subject.id): \(refusal.error); check "
        + "`client-secret`, `subject`, and if an administrator has authorized the app", cause: refusal.description)
  }
}
