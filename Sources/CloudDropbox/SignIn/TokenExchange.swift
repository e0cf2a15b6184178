internal import CurlHTTP
internal import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A client of `/oauth2/token` without a client secret (RFC 6749, 4.1.3 and 6; RFC 7636).
struct TokenExchange: Sendable {
  let hosts: Hosts
  let appKey: String
  let runtime: Runtime
  private let http: HTTPClient
  private let timeout: Duration

  init(hosts: Hosts, client: HTTPClient.Configuration, appKey: String, runtime: Runtime) {
    self.hosts = hosts
    self.appKey = appKey
    self.runtime = runtime
    http = HTTPClient(client)
    timeout = max(client.stallTimeout, .seconds(1))
  }

  /// The tokens that Dropbox grants.
  struct Grant: Decodable, Sendable {
    var accessToken: String
    var expiresIn: Int?
    var refreshToken: String?

    private enum CodingKeys: String, CodingKey {
      case accessToken = "access_token"
      case expiresIn = "expires_in"
      case refreshToken = "refresh_token"
    }

    private static let longestLife = 86_400 * 365

    func token(at now: Timestamp) -> AccessToken {
      let seconds = min(max(0, expiresIn ?? 14_400), Self.longestLife)
      return AccessToken(text: accessToken, expiry: Timestamp(seconds: now.seconds + Int64(seconds)))
    }
  }

  private struct Failure: Decodable {
    var error: String
    var description: String?

    private enum CodingKeys: String, CodingKey {
      case error
      case description = "error_description"
    }
  }

  /// The number of attempts while Dropbox does not answer.
  private static let attempts = 3

  /// Returns a new access token. The refresh token remains valid until access is revoked.
  func refresh(_ refreshToken: String, remote: String) async throws(SyncError) -> AccessToken {
    let fields = [("grant_type", "refresh_token"), ("refresh_token", refreshToken), ("client_id", appKey)]
    return try await grant(fields) { failure in
      failure.error == "invalid_grant"
        ? SyncError(
          .unauthorized, "the access of the remote \(remote) to Dropbox was revoked", cause: failure.description,
          remedy: .signIn(remote: remote))
        : SyncError(
          .unauthorized,
          "Dropbox refused to renew the sign-in of the remote \(remote): \(failure.error); check `app-key`",
          cause: failure.description)
    }
    .token(at: runtime.now())
  }

  /// Exchanges a code for tokens, which works once.
  func redeem(_ code: String, _ proof: PKCE, redirect: String?) async throws(SyncError) -> Grant {
    var fields = [
      ("grant_type", "authorization_code"), ("code", code), ("client_id", appKey), ("code_verifier", proof.verifier),
    ]
    if let redirect { fields.append(("redirect_uri", redirect)) }
    return try await grant(fields) { failure in
      SyncError(
        .unauthorized, "Dropbox rejected the code: \(failure.error); sign in again and paste the new code at once",
        cause: failure.description)
    }
  }

  private func grant(
    _ fields: [(String, String)], refused: (Failure) -> SyncError
  ) async throws(SyncError) -> Grant {
    var request = HTTPRequest(
      "POST", hosts.api + "/oauth2/token",
      headers: [HTTPHeader("Content-Type", "application/x-www-form-urlencoded")], body: HTTPBytes(Form.text(fields)))
    request.timeout = timeout
    for attempt in 1..<Self.attempts {
      do throws(CallError) { return try await send(request, refused) } catch {
        guard error.isTransient else { throw error.error }
      }
      do { try await runtime.sleep(.milliseconds(300 * attempt)) } catch { throw .cancelledByUs }
    }
    do throws(CallError) { return try await send(request, refused) } catch { throw error.error }
  }

  private func send(_ request: HTTPRequest, _ refused: (Failure) -> SyncError) async throws(CallError) -> Grant {
    let route = "oauth2/token"
    let answer: Answer
    do throws(HTTPError) { answer = try await Answer(try await http.send(request), to: route) } catch {
      throw CallError(error, route)
    }
    // This route has its own error format (RFC 6749, 5.2).
    if let failure = try? JSONDecoder().decode(Failure.self, from: Data(answer.body)), answer.status == 400 {
      throw CallError(kind: .notDone, error: refused(failure))
    }
    return try answer.value(Grant.self)
  }
}

/// Encodes a form as `application/x-www-form-urlencoded`.
enum Form {
  private static let plain: Set<UInt8> = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)

  static func text(_ fields: [(String, String)]) -> String {
    fields.map { encoded($0) + "=" + encoded($1) }.joined(separator: "&")
  }

  private static func encoded(_ text: String) -> String {
    text.utf8.map { byte in
      plain.contains(byte)
        ? String(Unicode.Scalar(byte)) : (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
    }
    .joined()
  }
}
