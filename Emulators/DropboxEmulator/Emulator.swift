package import EmulatorWire
import Foundation
internal import SettingsRegistry

/// A Dropbox with one account in memory, which answers like the documented service, and fails on demand.
public actor Emulator {
  var account = Account()
  var tokens: Tokens
  private let credentials: Credentials
  var faults = FaultList<Fault>()
  var identity = Identity()
  /// The duration of a second of a long poll, and the backoff that its answers request.
  var longpoll = (scale: 1.0, backoff: Int?.none)
  var counts: [String: Int] = [:]
  /// Batches that were started and whose result was not requested yet.
  var jobs: [String: JSON] = [:]
  /// What other clients do just before the next call of a route.
  var interruptions: [String: @Sendable (isolated Emulator) throws -> Void] = [:]
  private let notifier = ChangeNotifier()

  public init(_ credentials: Credentials = Credentials()) {
    self.credentials = credentials
    tokens = Tokens(credentials)
  }

  /// Answers one request.
  package func answer(_ call: Call) async -> Reply {
    var reply = await plainAnswer(call)
    reply.headers.append(("X-Dropbox-Request-Id", UUID().uuidString))
    return reply
  }

  private func plainAnswer(_ call: Call) async -> Reply {
    do {
      switch (call.method, call.path) {
      case ("GET", "/oauth2/authorize"): return tokens.authorize(call.query)
      case ("POST", "/oauth2/token"): return meetFault("oauth2/token") { tokens.grant(call.form) }
      case ("POST", "/emulator/control"): return try obey(call)
      case ("GET", "/emulator/counts"): return Reply(json: .object(counts.map { JSON.Member($0, .integer($1)) }))
      default:
        guard call.method == "POST", let name = call.route else { return Reply(status: 404, text: "no such page") }
        return try await answer(name, call)
      }
    } catch let error as APIError { return error.reply } catch let error as BadInput { return error.reply } catch {
      return Reply(status: 500, text: "\(error)")
    }
  }

  private func meetFault(_ name: String, _ work: () -> Reply) -> Reply {
    counts[name, default: 0] += 1
    guard let fault = faults.take(for: name) else { return work() }
    return fault.refusal ?? fault.spoiled(work())
  }

  private func answer(_ name: String, _ call: Call) async throws -> Reply {
    counts[name, default: 0] += 1
    let fault = faults.take(for: name)
    if let refusal = fault?.refusal { return refusal }
    guard let route = Route(rawValue: name) else { throw BadInput("Unknown API function: \"\(name)\"") }
    if route != .longpoll {
      if let refusal = tokens.refusal(of: call.headers["authorization"]) { return refusal }
      if let refusal = try identity.refusal(ofPathRoot: call.headers["dropbox-api-path-root"]) { return refusal }
    }
    try interruptions.removeValue(forKey: name)?(self)
    let position = account.log.count
    defer { if account.log.count != position { contentChanged() } }
    let reply = try await carryOut(route, call)
    return fault?.spoiled(reply) ?? reply
  }

  /// Waits until a cursor has changes, or until its timeout.
  func wait(for argument: LongpollArgument) async throws -> JSON {
    guard 30...480 ~= argument.timeout ?? 30 else {
      throw BadInput("timeout: \(argument.timeout ?? 0) is not within [30, 480]")
    }
    let end = ContinuousClock.now + .seconds(Double(argument.timeout ?? 30) * longpoll.scale)
    while try !account.hasNews(for: argument.cursor), ContinuousClock.now < end, !Task.isCancelled {
      await notifier.wait(until: end)
    }
    var answer: JSON = ["changes": .boolean(try account.hasNews(for: argument.cursor))]
    if let backoff = longpoll.backoff { answer["backoff"] = .integer(backoff) }
    return answer
  }

  /// Wakes the long polls.
  func contentChanged() { notifier.notify(after: account.delay) }

  // MARK: Orders

  private func obey(_ call: Call) throws(BadInput) -> Reply {
    let order: Order = try call.argument()
    switch order.op {
    case .fail: faults.add(try call.argument())
    default: obey(order)
    }
    notifier.notify(after: .zero)
    return Reply(json: ["ok": true])
  }

  private func obey(_ order: Order) {
    switch order.op {
    case .reset: reset()
    case .fail: break
    case .calm: faults = FaultList<Fault>()
    case .expireTokens: tokens.expireAll()
    case .revoke: tokens.revokeAll()
    case .resetCursors: account.voidCursors = account.cursorCount
    case .longpoll: longpoll = (order.scale ?? longpoll.scale, order.backoff)
    case .pageSize: account.pageSize = max(1, order.n ?? 2_000)
    case .quota: account.quota = order.bytes
    case .delay: account.delay = .seconds(order.seconds ?? 0)
    case .caseRenames: account.ignoresCaseRenames = order.ignored ?? true
    case .undownloadable: account.undownloadable.insert(Names.key(order.path ?? ""))
    case .root: identity.root = order.namespace ?? Identity().root
    case .recount: counts = [:]
    }
  }

  private func reset() {
    account = Account()
    tokens = Tokens(credentials)
    faults = FaultList<Fault>()
    identity = Identity()
    longpoll = (1, nil)
    jobs = [:]
    counts = [:]
  }
}

extension Emulator: EmulatedService {}

/// Serves an emulator on a local port.
package typealias EmulatorServer = ServedEmulator<Emulator>
