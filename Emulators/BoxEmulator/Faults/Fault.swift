internal import EmulatorWire
internal import SettingsRegistry

/// A fault of the next calls of a route.
struct Fault: PlannedFault {
  var route: String?
  var count: Int?
  /// A status to answer without doing the work, and the code of that error.
  var status: Int?
  var code: String?
  /// The requested wait of the client; any text, possibly invalid.
  var retryAfter: RetryAfter?
  /// False for an error without JSON.
  var json: Bool?
  /// Closes the connection before or after the work is done.
  var drop: FaultMoment?
  /// Answers with this text.
  var body: String?
  /// Does the work and changes a bit of a returned content.
  var spoil: Bool?

  /// The answer without doing the work; nil if the work is done.
  var refusal: Reply? {
    if drop == .before { return .cut }
    if let body { return Reply(status: status ?? 200, text: body, type: "application/json") }
    guard let status else { return nil }
    var reply =
      json == false ? Reply(status: status, text: "busy") : APIError(status, code ?? Self.code(of: status)).reply
    if let retryAfter { reply.headers.append(("Retry-After", retryAfter.text)) }
    return reply
  }

  private static func code(of status: Int) -> String {
    switch status {
    case 401: "unauthorized"
    case 403: "access_denied_insufficient_permissions"
    case 404: "not_found"
    case 409: "operation_blocked_temporary"
    case 412: "precondition_failed"
    case 429: "rate_limit_exceeded"
    case 503: "unavailable"
    default: status < 500 ? "bad_request" : "internal_server_error"
    }
  }
}
