internal import EmulatorWire
internal import SettingsRegistry

/// A fault of the next calls of a route.
struct Fault: PlannedFault {
  var route: String?
  var count: Int?
  /// A status to answer without doing the work.
  var status: Int?
  /// The headers `Retry-After`, `X-RateLimit-Remaining` and `X-RateLimit-Reset` of that answer.
  var retryAfter: Int?
  var remaining: Int?
  var reset: Int?
  var message: String?
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
    var reply = APIError(status, message ?? "planned").reply
    if let retryAfter { reply.headers.append(("Retry-After", "\(retryAfter)")) }
    if let remaining { reply.headers.append(("X-RateLimit-Remaining", "\(remaining)")) }
    if let reset { reply.headers.append(("X-RateLimit-Reset", "\(reset)")) }
    return reply
  }
}
