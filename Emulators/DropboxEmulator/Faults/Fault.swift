internal import EmulatorWire
internal import SettingsRegistry

/// A fault of the next calls of a route.
struct Fault: PlannedFault {
  /// The route, or `*` for any.
  var route: String?
  /// The number of calls; 1 if missing.
  var count: Int?
  /// A status to answer without doing the work.
  var status: Int?
  /// The requested wait of the client; any text, possibly invalid.
  var retryAfter: RetryAfter?
  /// True if a 429 has a body in JSON.
  var json: Bool?
  var reason: String?
  /// Closes the connection before or after the work is done.
  var drop: FaultMoment?
  /// Answers with this text.
  var body: String?
  /// Does the work and changes a byte of a returned content.
  var spoil: Bool?

  /// The answer without doing the work; nil if the work is done.
  var refusal: Reply? {
    if drop == .before { return .cut }
    if let body { return Reply(status: status ?? 200, text: body, type: "text/html") }
    guard let status else { return nil }
    var reply = status == 429 && json ?? true ? explained : Reply(status: status, text: "try later")
    if status == 429 { reply.headers.append(("Retry-After", retryAfter?.text ?? "1")) }
    return reply
  }

  private var explained: Reply {
    let wait: JSON = retryAfter.map { $0.number.map(JSON.integer) ?? .string($0.text) } ?? 1
    let tag = reason ?? "too_many_requests"
    return Reply(
      status: 429,
      json: [
        "error_summary": .string(tag + "/.."), "error": ["reason": [".tag": .string(tag)], "retry_after": wait],
      ])
  }

  /// The answer after the work was done.
  func spoiled(_ reply: Reply) -> Reply {
    if drop == .after { return .cut }
    var reply = reply
    if spoil == true, !reply.body.isEmpty { reply.body[reply.body.count / 2] ^= 1 }
    return reply
  }
}
