internal import EmulatorWire
import Foundation
internal import SettingsRegistry

/// Tokens, and the sign-in without a browser (RFC 8628) by which programs get them.
struct DeviceSignIn {
  /// What the user did with the code.
  enum State: String, Decodable {
    case pending, slow, granted, denied, expired
  }

  /// The valid access tokens.
  var tokens: Set<String>
  var state = State.pending
  private var codes: Set<String> = []
  /// True if a code was requested and not used.
  var isAsked: Bool { !codes.isEmpty }
  private var refreshTokens: Set<String> = []
  /// True if tokens expire, as those of GitHub Apps do by default.
  let expires: Bool

  init(token: String, expires: Bool) {
    tokens = [token]
    self.expires = expires
  }

  /// The answer of `/login/device/code`.
  mutating func begin(at address: String) -> Reply {
    let code = UUID().uuidString
    codes.insert(code)
    state = .pending
    return Reply(
      json: [
        "device_code": .string(code), "user_code": "ABCD-1234",
        "verification_uri": .string("\(address)/login/device"), "expires_in": 900, "interval": 5,
      ])
  }

  /// The answer of `/login/oauth/access_token`, always with status 200.
  mutating func grant(_ form: [String: String]) -> Reply {
    if form["grant_type"] == "refresh_token" {
      guard let token = form["refresh_token"], refreshTokens.remove(token) != nil else {
        return Self.refused("bad_refresh_token")
      }
      return granted()
    }
    guard let code = form["device_code"], codes.contains(code) else { return Self.refused("incorrect_device_code") }
    switch state {
    case .pending: return Self.refused("authorization_pending")
    case .slow: return Self.refused("slow_down", ["interval": 10])
    case .denied: return Self.refused("access_denied")
    case .expired: return Self.refused("expired_token")
    case .granted:
      codes.remove(code)
      return granted()
    }
  }

  private mutating func granted() -> Reply {
    let token = "ghu_" + UUID().uuidString
    tokens.insert(token)
    var answer: JSON = ["access_token": .string(token), "token_type": "bearer", "scope": ""]
    if expires {
      let refresh = "ghr_" + UUID().uuidString
      refreshTokens.insert(refresh)
      answer.add(["expires_in": 28_800, "refresh_token": .string(refresh), "refresh_token_expires_in": 15_897_600])
    }
    return Reply(json: answer)
  }

  private static func refused(_ error: String, _ more: JSON = [:]) -> Reply {
    var answer: JSON = ["error": .string(error), "error_description": .string(error)]
    answer.add(more)
    return Reply(json: answer)
  }
}
