package import SyncDaemon
package import SyncKit
import Synchronization
internal import WebPush

/// The hub: answers the requests of devices. It knows nothing of sockets.
package final class HubAPI: Sendable {
  let configuration: DaemonConfiguration
  let database: HubDatabase
  let access: WorkspaceAccess
  let files: HubFiles
  let writer: BatchWriter
  let events = HubEvents()
  let reports: HubReports
  /// Begins a pass now.
  let sync: @Sendable () -> Void
  /// The push services to which reminders may be sent.
  let pushServices: PushServices
  /// The address at which push services can complain; nil for none.
  let pushContact: String?
  let pushSignal = PushSignal()
  /// The version of the database at which it was last checked which streams must end.
  private let checkedVersion = Atomic(-1)
  private let check: RequestCheck
  private let shell: @Sendable (String) -> ShellFile?
  private let rate: RequestRate
  /// Failed authentications, by address.
  private let failures: RequestRate
  /// Wrong pairing codes, of all addresses together.
  let wrongCodes: RequestRate

  /// The name of the cookie with a device's secret. With TLS, browsers send it only over TLS, and only to this host.
  private var cookie: String { check.network.isEncrypted ? "__Host-syncd" : "syncd" }

  /// A hub for a store.
  ///
  /// - Parameters:
  ///   - access: provides the workspace in which it changes the store; nil: it acquires the lock of the store, as a command does.
  ///   - network: how devices reach it.
  ///   - push: how it sends reminders.
  ///   - shell: returns a file of the web client by its path, such as `/index.html`.
  ///   - now: the clock for the rates of requests.
  package init(
    _ configuration: DaemonConfiguration, _ database: HubDatabase, access: WorkspaceAccess? = nil,
    network: HubNetwork = HubNetwork(), push: HubPushSettings = HubPushSettings(), reports: HubReports,
    sync: @escaping @Sendable () -> Void,
    shell: @escaping @Sendable (String) -> ShellFile?,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) throws(SyncError) {
    (self.configuration, self.database, self.reports) = (configuration, database, reports)
    (self.sync, self.shell) = (sync, shell)
    pushServices = PushServices(others: push.hosts)
    pushContact = push.contact ?? network.hosts.first.map { "https://\($0)" }
    rate = RequestRate(perMinute: 300, burst: 60, now: now)
    failures = RequestRate(perMinute: 10, burst: 10, now: now)
    wrongCodes = RequestRate(perMinute: 1, burst: 5, now: now)
    check = RequestCheck(network: network)
    files = HubFiles(try configuration.store.files())
    self.access = access ?? .alone(configuration)
    writer = BatchWriter(configuration, database, self.access)
  }

  /// Answers a request.
  package func answer(_ request: HubRequest) async -> HubResponse {
    var response: HubResponse
    do {
      try check.requireProxy(request)
      var request = request
      request.address = check.client(of: request)
      response = try await respond(to: request)
    } catch { response = Self.problem(error).response }
    response.fields += SecurityFields.all
    if !response.fields.contains(where: { $0.name == "Cache-Control" }) {
      response.fields.append(("Cache-Control", "no-cache"))
    }
    return response
  }

  /// Finishes the batches that a crash interrupted.
  package func recover(in workspace: Workspace) async throws { try await writer.recover(in: workspace) }

  /// Removes what no device can ask for any longer from the database. Its server calls it at the start, and once a day.
  package func tidy() throws(SyncError) { try database.tidy() }

  /// Ends all event streams.
  package func endStreams() { events.endAll() }

  /// Waits for the batch that is being carried out.
  package func finish() async throws { try await writer.finish() }

  /// Sends a comment on each stream, so that proxies do not end it, and that clients that are gone are noticed.
  package func keepStreamsAlive() { events.send(HubEvent(name: "", data: [:])) }

  /// Tells all clients that files may have changed.
  package func announceChange() { events.send(HubEvent(name: "change", data: [:])) }

  /// Gets a value whenever a device opens a stream. It has one reader.
  package var openedStreams: AsyncStream<Void> { events.opened }

  /// True while a device listens.
  package var hasStreams: Bool { !events.devices.isEmpty }

  /// Ends the streams of devices that another process has revoked since the last call. If the database cannot be read, all end: a
  /// device that may still listen comes back.
  package func endStreamsRevokedElsewhere() {
    do throws(SyncError) {
      let version = try database.foreignVersion()
      guard version != checkedVersion.load(ordering: .relaxed) else { return }
      for device in events.devices where try database.isRevoked(device) { end(device) }
      checkedVersion.store(version, ordering: .relaxed)
    } catch { events.endAll() }
  }

  /// Opens a stream of events for a device.
  func subscribe(_ device: HubDevice) throws -> EventSubscription {
    let first = HubEvent(name: "hello", data: ["batch": .integer(try database.lastBatch())])
    let subscription = try events.subscribe(device.id, first: first)
    do {
      // It may have been revoked after its session was checked, when it had no stream to be ended.
      if try database.isRevoked(device.id) { end(device.id) }
    } catch {
      subscription.end()
      throw error
    }
    return subscription
  }

  func end(_ device: String) { events.end(device: device, with: HubEvent(name: "device", data: ["revoked": true])) }

  private static func problem(_ error: any Error) -> Problem {
    switch error {
    case let problem as Problem: problem
    case let error as SyncError: Problem(error)
    default: Problem(503, "store", "\(error)")
    }
  }

  // MARK: Dispatching

  private func respond(to request: HubRequest) async throws -> HubResponse {
    try check.requireHost(request)
    guard let path = PercentEncoding.decoded(request.path), !path.contains("\0"), !request.path.contains("%2"),
      !path.split(separator: "/", omittingEmptySubsequences: false).contains("..")
    else { throw Problem.notFound }
    if path == "/health" { return HubResponse(["status": "ok"]) }
    if path == "/api/v1/pair" { return try await pair(request) }
    guard path.hasPrefix("/api/") else { return try shellFile(path, request) }
    return try await answerAPI(request, path)
  }

  private func shellFile(_ path: String, _ request: HubRequest) throws(Problem) -> HubResponse {
    let name = path == "/" || path == "/pair" ? "/index.html" : path
    guard let file = shell(name) else { throw Problem.notFound }
    guard request.method == "GET" || request.method == "HEAD" else { throw Self.wrongMethod(["GET"]) }
    if request.fields["if-none-match"] == file.etag { return Self.unchanged(file.etag) }
    return HubResponse(200, file.type, file.bytes, [("ETag", file.etag)])
  }

  static func unchanged(_ etag: String) -> HubResponse {
    var response = HubResponse(304, "", [])
    response.fields = [("ETag", etag)]
    return response
  }

  static func wrongMethod(_ allowed: [String]) -> Problem {
    Problem(405, "method", "Use \(allowed.joined(separator: " or ")).")
  }

  private func answerAPI(_ request: HubRequest, _ path: String) async throws -> HubResponse {
    let (device, hasToken) = try session(of: request)
    try refuseIfTooMany(rate, device.id)
    let found = HubRoute.all.filter { $0.values(of: path) != nil }
    guard !found.isEmpty else { throw Problem.notFound }
    let method = request.method == "HEAD" ? "GET" : request.method
    guard let route = found.first(where: { $0.method == method }), let values = route.values(of: path) else {
      throw Self.wrongMethod(found.map(\.method))
    }
    if method != "GET" { try check.requireOrigin(request, hasToken: hasToken) }
    guard device.scope.allows(route.scope) || route.isForAll else {
      throw Problem(403, "scope", "The scope of this device is \(device.scope.rawValue), which does not allow this.")
    }
    var response = try await route.answer(self, HubCall(request: request, device: device, values: values))
    if method == "GET" { return Self.validated(response, request) }
    if !hasToken, let token = request.cookie(cookie) { response.fields.append(cookieField(token, request)) }
    return response
  }

  /// Gives a response a validator, or returns that the client has it already.
  private static func validated(_ response: HubResponse, _ request: HubRequest) -> HubResponse {
    guard case .bytes(let bytes) = response.body, response.status == 200 else { return response }
    let etag = "\"\(Digest(of: bytes).description.prefix(32))\""
    if request.fields["if-none-match"] == etag { return unchanged(etag) }
    var response = response
    response.fields.append(("ETag", etag))
    return response
  }

  private func refuseIfTooMany(_ rate: RequestRate, _ client: String) throws(Problem) {
    guard let wait = rate.count(client) else { return }
    var problem = Problem(429, "rate", "Wait \(wait) s before the next request.")
    problem.retryAfter = wait
    throw problem
  }

  // MARK: Sessions

  /// Returns the device that sent a request, and true if it sent its secret by itself instead of as a cookie.
  private func session(of request: HubRequest) throws -> (HubDevice, Bool) {
    let bearer = request.fields["authorization"].flatMap { text in
      text.lowercased().hasPrefix("bearer ") ? String(text.dropFirst(7)) : nil
    }
    guard let token = bearer ?? request.cookie(cookie) else {
      throw Problem(401, "pair", "Pair this device first: run `syncd pair` on the hub's machine, and open its link.")
    }
    if let wait = failures.wait(request.address) { throw Self.tooManyFailures(wait) }
    guard let device = try database.device(token: token, from: request.address, at: Runtime.real.now()) else {
      if let wait = failures.count(request.address) { throw Self.tooManyFailures(wait) }
      throw Problem(401, "pair", "This device is not paired. Run `syncd pair` on the hub's machine, and open its link.")
    }
    guard !device.isRevoked else {
      throw Problem(401, "revoked", "This device was revoked. Delete what it has stored.")
    }
    return (device, bearer != nil)
  }

  private static func tooManyFailures(_ wait: Int) -> Problem {
    var problem = Problem(429, "rate", "Too many failed attempts. Wait \(wait) s.")
    problem.retryAfter = wait
    return problem
  }

  /// Pairs a device by a code.
  private func pair(_ request: HubRequest) async throws -> HubResponse {
    guard request.method == "POST" else { throw Self.wrongMethod(["POST"]) }
    try check.requireOrigin(request, hasToken: false)
    if let wait = wrongCodes.wait("all") { throw Self.tooManyFailures(wait) }
    var reader = MemberReader(try ParsedJSON.read(request.body), at: "")
    let code = reader.text("code", isRequired: true, limit: 200) ?? ""
    let name = reader.text("name", limit: 100) ?? ""
    reader.refuseOthers()
    guard reader.mistakes.isEmpty else { throw Problem.invalid(reader.mistakes) }
    let paired = try database.pair(code, named: name, from: request.address, at: Runtime.real.now())
    guard let (device, token) = paired else {
      _ = wrongCodes.count("all")
      throw Problem(
        403, "code", "The code is wrong, older than 5 minutes, or was used before. Run `syncd pair` for a new one.")
    }
    events.send(HubEvent(name: "device", data: ["paired": .string(device.id)]))
    return HubResponse(["device": device.json], [cookieField(token, request)])
  }

  /// Gives a browser its secret for another year. It sends a cookie back by encrypted connections only if it got it by one, such as
  /// through a proxy that encrypts.
  private func cookieField(_ token: String, _ request: HubRequest) -> (name: String, value: String) {
    let isEncrypted = check.network.isEncrypted || request.fields["origin"]?.hasPrefix("https://") ?? false
    let secure = isEncrypted ? "; Secure" : ""
    return (
      "Set-Cookie", "\(cookie)=\(token); Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000\(secure)"
    )
  }
}
