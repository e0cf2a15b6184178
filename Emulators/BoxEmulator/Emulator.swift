package import EmulatorWire
import Foundation
internal import SettingsRegistry

/// A Box with one account in memory, which answers like the documented service, and fails on demand.
public actor Emulator {
  var account = Account()
  var tokens = Tokens()
  var faults = FaultList<Fault>()
  /// The duration of a second of a long poll.
  var longPollScale = 1.0
  /// The number of commits of upload sessions that are not ready yet.
  var delayedCommits = 0
  /// The contents that can be downloaded, by the unguessable part of their address.
  var downloads: [String: [UInt8]] = [:]
  /// The number of downloads that came with an access token, which the real host of contents must not see.
  var exposedTokens = 0
  var counts: [String: Int] = [:]
  /// What other clients do just before the next call of a route.
  var interruptions: [String: @Sendable (isolated Emulator) throws -> Void] = [:]
  let notifier = ChangeNotifier()

  public init() {}

  /// Answers one request.
  package func answer(_ call: Call) async -> Reply {
    do {
      switch (call.method, call.path) {
      case ("GET", "/api/oauth2/authorize"): return tokens.authorize(call.query)
      case ("POST", "/oauth2/token"): return try meetFault("POST /oauth2/token") { tokens.grant(call.form) }
      case ("POST", "/oauth2/revoke"): return tokens.revoke(call.form)
      case ("POST", "/emulator/control"): return try obey(call)
      case ("GET", "/emulator/counts"): return Reply(json: .object(counts.map { JSON.Member($0, .integer($1)) }))
      case ("GET", "/subscribe"): return try await subscribe(call)
      case ("GET", _) where call.path.hasPrefix("/dl/"): return try meetFault("GET /dl/:id") { try content(call) }
      default: return try answer(to: call)
      }
    } catch let error as APIError { return error.reply } catch let error as BadInput {
      return Reply(status: 400, text: error.message)
    } catch {
      return Reply(status: 500, text: "\(error)")
    }
  }

  private func answer(to call: Call) throws -> Reply {
    guard let request = Request(call) else { throw APIError(404, "not_found") }
    let position = account.events.end
    defer { if account.events.end != position { notifier.notify(after: .zero) } }
    return try meetFault(request.route) {
      try tokens.check(call.headers["authorization"])
      try interruptions.removeValue(forKey: request.route)?(self)
      return try carryOut(request)
    }
  }

  private func meetFault(_ route: String, _ work: () throws -> Reply) throws -> Reply {
    counts[route, default: 0] += 1
    let fault = faults.take(for: route)
    if let refusal = fault?.refusal { return refusal }
    var reply: Reply
    do { reply = try work() } catch let error as APIError { reply = error.reply }
    if fault?.drop == .after { return .cut }
    if fault?.spoil == true { spoil(&reply) }
    return reply
  }

  /// Changes one bit of a content, which may be behind a redirect.
  private func spoil(_ reply: inout Reply) {
    guard let key = reply.headers.first(where: { $0.name == "Location" })?.value.split(separator: "/").last else {
      if !reply.body.isEmpty { reply.body[reply.body.count / 2] ^= 1 }
      return
    }
    if downloads[String(key)]?.isEmpty == false { downloads[String(key)]?[0] ^= 1 }
  }

  /// Waits for events after a position, for 30 seconds at most.
  private func subscribe(_ call: Call) async throws -> Reply {
    counts["GET /subscribe", default: 0] += 1
    if let fault = faults.take(for: "GET /subscribe"), let refusal = fault.refusal { return refusal }
    if call.headers["authorization"] != nil { exposedTokens += 1 }
    guard let position = call.query["stream_position"].flatMap({ Int($0) }) else { throw APIError(400, "bad_request") }
    let end = ContinuousClock.now + .seconds(30 * longPollScale)
    while account.events.end <= position, ContinuousClock.now < end, !Task.isCancelled {
      await notifier.wait(until: end)
    }
    let message = account.events.end > position ? "new_change" : "reconnect"
    return Reply(json: ["version": 1, "message": .string(message)])
  }

  /// Sends a content to any client that has its address.
  private func content(_ call: Call) throws(APIError) -> Reply {
    if call.headers["authorization"] != nil { exposedTokens += 1 }
    guard let bytes = downloads[String(call.path.dropFirst("/dl/".count))] else { throw APIError(404, "not_found") }
    guard let range = call.range(of: bytes.count) else { return Reply(content: bytes, status: 200, headers: []) }
    return Reply(content: Array(bytes[range]), status: 206, headers: [])
  }

  // MARK: Orders

  private func obey(_ call: Call) throws(BadInput) -> Reply {
    let order: Order = try Call.decode(call.body, from: "request body")
    if order.op == .fail {
      faults.add(try Call.decode(call.body, from: "request body"))
    } else {
      obey(order)
    }
    notifier.notify(after: .zero)
    return Reply(json: ["ok": true])
  }

  private func obey(_ order: Order) {
    switch order.op {
    case .fail: break
    case .reset: reset()
    case .calm: faults = FaultList<Fault>()
    case .expireTokens: tokens.expireAll()
    case .revoke: tokens.revokeAll()
    case .tokenLife: tokens.life = order.seconds ?? tokens.life
    case .pageSize: account.pageSize = max(1, order.n ?? 1_000)
    case .longpoll: longPollScale = order.scale ?? 1
    case .events:
      account.events.isDoubled = order.duplicate ?? false
      account.events.isShuffled = order.shuffle ?? false
      account.events.isLossy = order.lose ?? false
    case .event: account.events.add(order.type ?? "UNKNOWN", .null)
    case .commitDelay: delayedCommits = order.count ?? 0
    case .quota: account.quota = order.bytes
    case .recount: counts = [:]
    }
  }

  private func reset() {
    (account, tokens, faults) = (Account(), Tokens(), FaultList<Fault>())
    (longPollScale, delayedCommits, downloads, exposedTokens, counts) = (1, 0, [:], 0, [:])
  }
}

extension Emulator: EmulatedService {}

/// Serves an emulator on a local port.
package typealias EmulatorServer = ServedEmulator<Emulator>
