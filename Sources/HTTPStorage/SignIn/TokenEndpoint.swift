package import CurlHTTP
package import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The tokens that a service grants (RFC 6749, 5.1).
package struct TokenGrant: Decodable, Sendable {
  package var accessToken: String
  private var expiresIn: Int?
  package var refreshToken: String?

  private enum CodingKeys: String, CodingKey {
    case accessToken = "access_token"
    case expiresIn = "expires_in"
    case refreshToken = "refresh_token"
  }

  private static let longestLife = 86_400 * 365

  /// Returns the access token, which expires within a year, whatever the service says.
  ///
  /// - Parameter life: the seconds for which it is valid if the service does not say it
  package func token(at now: Timestamp, life: Int) -> AccessToken {
    let seconds = min(max(0, expiresIn ?? life), Self.longestLife)
    return AccessToken(text: accessToken, expiry: Timestamp(seconds: now.seconds + Int64(seconds)))
  }
}

/// The reason why a service grants no tokens (RFC 6749, 5.2).
package struct TokenRefusal: Decodable, Error {
  /// The code, such as `invalid_grant`.
  package var error: String
  package var description: String?

  private enum CodingKeys: String, CodingKey {
    case error
    case description = "error_description"
  }
}

/// A client of a service's token endpoint (RFC 6749, 3.2).
package struct TokenEndpoint: Sendable {
  /// The result of one request.
  package enum Reply: Sendable {
    case granted(TokenGrant)
    case refused(TokenRefusal)
    /// No tokens arrived, for this reason.
    ///
    /// - Parameter mayBeGranted: true if the service may have granted some, and the answer was lost
    case failed(SyncError, mayBeGranted: Bool)
  }

  private let url: String
  private let service: String
  private let http: HTTPClient
  private let timeout: Duration

  /// - Parameters:
  ///   - url: the address of the endpoint
  ///   - service: the name of the service, for messages
  ///   - client: the configuration of the connection
  package init(_ url: String, of service: String, _ client: HTTPClient.Configuration) {
    self.url = url
    self.service = service
    http = HTTPClient(client)
    timeout = max(client.stallTimeout, .seconds(1))
  }

  /// Sends a form, once.
  package func request(_ fields: [(String, String)]) async -> Reply {
    let request = HTTPRequest(
      "POST", url, headers: [HTTPHeader("Content-Type", FormEncoding.type)],
      body: HTTPBytes(FormEncoding.text(fields)), timeout: timeout)
    do throws(HTTPError) { return reply(try await Answer(try await http.send(request))) } catch {
      let failure = error.syncError("POST", at: service, setting: "api-url")
      switch error.kind {
      case .broken, .timedOut, .tooLarge: return .failed(failure, mayBeGranted: true)
      case .unreachable, .untrusted, .refused, .redirected, .body, .cancelled:
        return .failed(failure, mayBeGranted: false)
      }
    }
  }

  private func reply(_ answer: Answer) -> Reply {
    let decoder = JSONDecoder()
    if answer.status == 200, let grant = try? decoder.decode(TokenGrant.self, from: Data(answer.body)) {
      return .granted(grant)
    }
    if [400, 401].contains(answer.status),
      let refusal = try? decoder.decode(TokenRefusal.self, from: Data(answer.body))
    {
      return .refused(refusal)
    }
    let wasUnusable = answer.status == 200
    return .failed(
      SyncError(
        .unavailable,
        wasUnusable
          ? "the answer to the sign-in is not from \(service); check if the network has a sign-in page"
          : "\(service) answered HTTP \(answer.status) to the sign-in; syncd tries again later"),
      mayBeGranted: wasUnusable || answer.status >= 500)
  }
}
