import Crypto
internal import EmulatorWire
import Foundation
internal import SettingsRegistry

/// The tokens that are valid from the start.
public struct Credentials: Sendable {
  /// The access token and the refresh token; nil for any plausible one.
  public var token: String?
  public var refreshToken: String?
  /// The client that may refresh tokens; nil for any.
  public var appKey: String?

  public init(token: String? = "test-token", refreshToken: String? = "test-refresh", appKey: String? = nil) {
    self.token = token
    self.refreshToken = refreshToken
    self.appKey = appKey
  }

  /// True for a token that may have been issued elsewhere: it has the length of a token, and not the form of those that are
  /// issued here.
  static func couldBeToken(_ token: String) -> Bool { token.utf8.count >= 8 && !token.hasPrefix("sl.") }
}

/// Authorization: OAuth 2 with PKCE (RFC 7636), as far as clients see it.
struct Tokens {
  private let credentials: Credentials
  private var access: Set<String>
  private var expired: Set<String> = []
  private var refresh: Set<String>
  private var isRevoked = false
  /// The query for each code that was not used yet.
  private var codes: [String: [String: String]] = [:]

  init(_ credentials: Credentials) {
    self.credentials = credentials
    access = Set([credentials.token].compactMap(\.self))
    refresh = Set([credentials.refreshToken].compactMap(\.self))
  }

  static let scope = "account_info.read files.content.read files.content.write files.metadata.read"

  mutating func expireAll() {
    expired.formUnion(access)
    access = []
  }

  mutating func revokeAll() {
    access = []
    refresh = []
    isRevoked = true
  }

  /// The refusal of a call with this header; nil if the token is valid.
  mutating func refusal(of header: String?) -> Reply? {
    let token = (header ?? "").split(separator: " ").last.map(String.init) ?? ""
    if credentials.token == nil, !isRevoked, !expired.contains(token), Credentials.couldBeToken(token) {
      access.insert(token)
    }
    guard !access.contains(token) else { return nil }
    let tag = expired.contains(token) ? "expired_access_token" : "invalid_access_token"
    return APIError(summary: tag + "/", [".tag": .string(tag)], status: 401).reply
  }

  /// The page on which a user agrees; it agrees at once.
  mutating func authorize(_ query: [String: String]) -> Reply {
    let code = UUID().uuidString.lowercased()
    codes[code] = query
    guard let target = query["redirect_uri"] else {
      return Reply(status: 200, text: "<p>code: <b id=code>\(code)</b></p>", type: "text/html")
    }
    var address = URLComponents(string: target) ?? URLComponents()
    address.queryItems = [URLQueryItem(name: "code", value: code), URLQueryItem(name: "state", value: query["state"])]
    var reply = Reply(status: 302, text: "")
    reply.headers.append(("Location", address.string ?? ""))
    return reply
  }

  /// The answer of `/oauth2/token`.
  mutating func grant(_ form: [String: String]) -> Reply {
    switch form["grant_type"] {
    case "refresh_token": refreshed(form)
    case "authorization_code": exchanged(form)
    default: Self.refused("unsupported_grant_type", "the grant_type is unknown")
    }
  }

  private mutating func refreshed(_ form: [String: String]) -> Reply {
    let isAnybody = credentials.refreshToken == nil && !isRevoked
    guard let token = form["refresh_token"],
      refresh.contains(token) || isAnybody && Credentials.couldBeToken(token), let client = form["client_id"],
      !client.isEmpty, credentials.appKey == nil || credentials.appKey == client
    else {
      return Self.refused("invalid_grant", "refresh token is invalid or revoked")
    }
    return Reply(json: newAccess())
  }

  private mutating func exchanged(_ form: [String: String]) -> Reply {
    guard let wish = form["code"].flatMap({ codes.removeValue(forKey: $0) }) else {
      return Self.refused("invalid_grant", "code doesn't exist or has expired")
    }
    if let challenge = wish["code_challenge"], challenge != Self.challenge(form["code_verifier"] ?? "") {
      return Self.refused("invalid_grant", "invalid code verifier")
    }
    guard wish["redirect_uri"] == form["redirect_uri"], wish["client_id"] == form["client_id"] else {
      return Self.refused("invalid_grant", "redirect_uri or client_id differs from the one of the code")
    }
    var answer = newAccess()
    answer["account_id"] = .string(Identity.accountID)
    answer["uid"] = "12345"
    answer["scope"] = .string(Self.scope)
    isRevoked = false
    if wish["token_access_type"] == "offline" {
      let token = UUID().uuidString
      refresh.insert(token)
      answer["refresh_token"] = .string(token)
    }
    return Reply(json: answer)
  }

  private mutating func newAccess() -> JSON {
    let token = "sl." + UUID().uuidString
    access.insert(token)
    return ["access_token": .string(token), "token_type": "bearer", "expires_in": 14_400]
  }

  private static func refused(_ error: String, _ words: String) -> Reply {
    Reply(status: 400, json: ["error": .string(error), "error_description": .string(words)])
  }

  private static func challenge(_ verifier: String) -> String {
    Data(SHA256.hash(data: Array(verifier.utf8))).base64EncodedString()
      .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
      .replacingOccurrences(of: "=", with: "")
  }
}
