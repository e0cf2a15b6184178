internal import EmulatorWire
import Foundation
internal import SettingsRegistry

/// Authorization: OAuth 2 with a client secret, and refresh tokens that work once.
struct Tokens {
  private static let client = (id: "test-client", secret: "test-secret")

  private var access: Set<String> = ["test-token"]
  private var refresh: Set<String> = ["test-refresh"]
  /// The codes that were not used yet, with the address to which each was sent.
  private var codes: [String: String] = [:]
  /// The seconds for which a new access token is valid, according to the answer.
  var life = 3_900

  mutating func expireAll() { access = [] }

  mutating func revokeAll() { (access, refresh) = ([], []) }

  /// Throws unless the header has a valid token.
  func check(_ header: String?) throws(APIError) {
    guard let header, header.hasPrefix("Bearer "), access.contains(String(header.dropFirst(7))) else {
      throw .invalidToken
    }
  }

  /// The page on which a user agrees; it agrees at once.
  mutating func authorize(_ query: [String: String]) -> Reply {
    guard query["client_id"] == Self.client.id, let target = query["redirect_uri"] else {
      return Self.refused("invalid_client")
    }
    let code = UUID().uuidString
    codes[code] = target
    var address = URLComponents(string: target) ?? URLComponents()
    address.queryItems = [URLQueryItem(name: "code", value: code), URLQueryItem(name: "state", value: query["state"])]
    return Reply(status: 302, headers: [("Location", address.string ?? "")], body: [])
  }

  /// The answer of `/oauth2/token`.
  mutating func grant(_ form: [String: String]) -> Reply {
    guard Self.isClient(form) else { return Self.refused("invalid_client") }
    switch form["grant_type"] {
    case "refresh_token":
      guard let token = form["refresh_token"], refresh.remove(token) != nil else {
        return Self.refused("invalid_grant")
      }
      return pair()
    case "authorization_code":
      guard let code = form["code"], let target = codes.removeValue(forKey: code),
        target == form["redirect_uri"] ?? target
      else { return Self.refused("invalid_grant") }
      return pair()
    case "client_credentials":
      guard ["user", "enterprise"].contains(form["box_subject_type"]), form["box_subject_id"]?.isEmpty == false else {
        return Self.refused("invalid_grant")
      }
      return Reply(json: newAccess())
    default: return Self.refused("unsupported_grant_type")
    }
  }

  /// The answer of `/oauth2/revoke`.
  mutating func revoke(_ form: [String: String]) -> Reply {
    guard Self.isClient(form), let token = form["token"] else { return Self.refused("invalid_client") }
    access.remove(token)
    refresh.remove(token)
    return Reply(status: 200, headers: [], body: [])
  }

  private static func isClient(_ form: [String: String]) -> Bool {
    form["client_id"] == client.id && form["client_secret"] == client.secret
  }

  private mutating func pair() -> Reply {
    var answer = newAccess()
    let token = "refresh-" + UUID().uuidString
    refresh.insert(token)
    answer["refresh_token"] = .string(token)
    return Reply(json: answer)
  }

  private mutating func newAccess() -> JSON {
    let token = "access-" + UUID().uuidString
    access.insert(token)
    return [
      "access_token": .string(token), "expires_in": .integer(life), "token_type": "bearer", "restricted_to": [],
    ]
  }

  private static func refused(_ error: String) -> Reply {
    Reply(status: 400, json: ["error": .string(error), "error_description": .string(error)])
  }
}
