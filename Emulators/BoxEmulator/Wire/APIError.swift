internal import EmulatorWire
import Foundation
internal import SettingsRegistry

/// An error of the API: a status and a code.
struct APIError: Error {
  var status: Int
  var code: String
  var context = JSON.null
  var headers: [(name: String, value: String)] = []

  init(_ status: Int, _ code: String, context: JSON = .null, headers: [(name: String, value: String)] = []) {
    self.status = status
    self.code = code
    self.context = context
    self.headers = headers
  }

  var reply: Reply {
    var reply = Reply(
      status: status,
      json: [
        "type": "error", "status": .integer(status), "code": .string(code), "context_info": context,
        "help_url": "https://developer.box.com/guides/api-calls/permissions-and-errors/common-errors",
        "message": .string(code), "request_id": .string(String(UUID().uuidString.prefix(12)).lowercased()),
      ])
    reply.headers += headers
    return reply
  }

  /// The refusal of an access token.
  static var invalidToken: APIError {
    APIError(
      401, "unauthorized",
      headers: [("WWW-Authenticate", #"Bearer realm="Service", error="invalid_token""#)])
  }
}
