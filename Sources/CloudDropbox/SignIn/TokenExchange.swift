internal import CurlHTTP
internal import HTTPStorage
internal import SyncKit

/// A client of `/oauth2/token` without a client secret (RFC 6749, 4.1.3 and 6; RFC 7636).
struct TokenExchange: Sendable {
  let appKey: String
  let runtime: Runtime
  private let endpoint: TokenEndpoint

  init(hosts: Hosts, client: HTTPClient.Configuration, appKey: String, runtime: Runtime) {
    self.appKey = appKey
    self.runtime = runtime
    endpoint = TokenEndpoint(hosts.api + "/oauth2/token", of: "Dropbox", client)
  }

  /// The seconds for which an access token is valid, unless Dropbox says otherwise.
  static let life = 14_400
  /// The number of attempts while Dropbox does not answer.
  private static let attempts = 3

  /// Returns a new access token. The refresh token remains valid until access is revoked.
  func refresh(_ refreshToken: String, remote: String) async throws(SyncError) -> AccessToken {
    let fields = [("grant_type", "refresh_token"), ("refresh_token", refreshToken), ("client_id", appKey)]
    return try await grant(fields) { refusal in
      refusal.error == "invalid_grant"
        ? SyncError(
          .unauthorized, "the access of the remote \(remote) to Dropbox was revoked", cause: refusal.description,
          remedy: .signIn(remote: remote))
        : SyncError(
          .unauthorized,
          "Dropbox refused to renew the sign-in of the remote \(remote): \(refusal.error); check `app-key`",
          cause: refusal.description)
    }
    .token(at: runtime.now(), life: Self.life)
  }

  /// Exchanges a code for tokens, which works once.
  func redeem(_ code: String, _ proof: PKCE, redirect: String?) async throws(SyncError) -> TokenGrant {
    var fields = [
      ("grant_type", "authorization_code"), ("code", code), ("client_id", appKey), ("code_verifier", proof.verifier),
    ]
    if let redirect { fields.append(("redirect_uri", redirect)) }
    return try await grant(fields) { refusal in
      SyncError(
        .unauthorized, "Dropbox rejected the code: \(refusal.error); sign in again and paste the new code at once",
        cause: refusal.description)
    }
  }

  private func grant(
    _ fields: [(String, String)], refused: (TokenRefusal) -> SyncError
  ) async throws(SyncError) -> TokenGrant {
    for attempt in 1... {
      switch await endpoint.request(fields) {
      case .granted(let grant): return grant
      case .refused(let refusal): throw refused(refusal)
      case .failed(let error, _):
        guard attempt < Self.attempts, error.code == .unavailable else { throw error }
      }
      do { try await runtime.sleep(.milliseconds(300 * attempt)) } catch { throw .cancelledByUs }
    }
    preconditionFailure("a loop without an end has ended")
  }
}
