#if Hub
  import HTTPTypes
  package import Hub
  import Hummingbird
  import HummingbirdCore
  package import Logging
  import NIOCore
  import ServiceLifecycle
  package import SyncDaemon
  package import SyncKit

  #if canImport(Glibc)
    import Glibc
  #else
    import Darwin
  #endif

  /// Serves a hub by HTTP/1.1, encrypted if its settings have a certificate.
  package struct HubServer: Sendable {
    private let hub: HubAPI
    private let host: String
    private let port: Int
    private let logger: Logger
    /// The hub's own messages; the server's are left out.
    private let notices: Logger
    private let certificate: RenewedCertificate?

    /// The limits of a connection.
    private static let limits = (header: 16 << 10, fields: 100, connections: 256, idle: TimeAmount.seconds(30))
    /// The interval of comments on event streams.
    private static let heartbeat = Duration.seconds(20)
    /// The interval, while streams are open, between two checks for devices that another process has revoked. A check without news
    /// reads one number that is in memory.
    private static let revocationInterval = Duration.milliseconds(250)
    /// The interval at which the hub's database is tidied.
    private static let tidyInterval = Duration.seconds(86_400)

    /// A server as the settings say. Throws if its certificate cannot be used.
    package init(_ hub: HubAPI, _ settings: HubConfiguration, logger: Logger) throws(SyncError) {
      (host, port) = (settings.settings.listen.host, Int(settings.settings.listen.port))
      (self.hub, notices) = (hub, logger)
      certificate = try RenewedCertificate(settings)
      for warning in certificate?.warnings ?? [] { logger.warning("\(warning)") }
      var logger = logger
      logger.logLevel = .critical
      self.logger = logger
    }

    /// Serves until the task is cancelled. The batch that is being carried out then is finished.
    ///
    /// - Parameter ready: is called with the port as soon as the server listens.
    package func run(_ ready: @escaping @Sendable (Int) async -> Void) async throws {
      do {
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask { try await serve(ready) }
          group.addTask { try await keepStreamsAlive() }
          group.addTask { try await endRevokedStreams() }
          group.addTask { try await renewCertificate() }
          group.addTask { try await tidyDaily() }
          defer { group.cancelAll() }
          try await group.next()
        }
      } catch let error as IOError {
        throw refusal(error.errnoCode)
      }
      hub.endStreams()
      try await hub.finish()
    }

    /// The error if the address cannot be used. A port in use may be free later; any other reason is a mistake in the settings.
    private func refusal(_ number: CInt) -> SyncError {
      let isInUse = number == EADDRINUSE
      let reason = isInUse ? "another program uses that port" : unsafe String(cString: strerror(number))
      return SyncError(
        isInUse ? .locked : .invalidSettings,
        "cannot listen at \(host):\(port): \(reason). Choose another address with --listen, or `listen` in [hub]")
    }

    private func serve(_ ready: @escaping @Sendable (Int) async -> Void) async throws {
      let decoder = HTTP1Channel.Configuration.DecoderConfiguration(
        maxHeaderFieldSize: Self.limits.header, maxHeaderListSize: Self.limits.header,
        maxHeaderFieldCount: Self.limits.fields)
      let application = Application(
        responder: CallbackResponder<HubContext> { request, context in try await respond(to: request, context) },
        server: .http1(
          .init(idleTimeout: Self.limits.idle, httpDecoderConfiguration: decoder), encryptedBy: certificate),
        configuration: ApplicationConfiguration(
          address: .hostname(host, port: port),
          availableConnectionsDelegate: .maximum(Self.limits.connections, logger: logger)),
        onServerRunning: { channel in await ready(channel.localAddress?.port ?? port) },
        logger: logger)
      try await application.runService(gracefulShutdownSignals: [])
    }

    /// Reads the certificate again when its files have changed.
    private func renewCertificate() async throws {
      while true {
        try await Task.sleep(for: Self.heartbeat)
        guard let certificate else { continue }
        do throws(SyncError) {
          guard try certificate.renew() else { continue }
          notices.notice("the hub uses the renewed certificate")
          for warning in certificate.warnings { notices.warning("\(warning)") }
        } catch { notices.error("\(error.message); the hub continues with the former certificate") }
      }
    }

    /// Removes what no device can ask for any longer.
    private func tidyDaily() async throws {
      while true {
        do throws(SyncError) { try hub.tidy() } catch {
          notices.error("cannot remove what the hub does not need any longer: \(error.message)")
        }
        try await Task.sleep(for: Self.tidyInterval)
      }
    }

    private func keepStreamsAlive() async throws {
      while true {
        try await Task.sleep(for: Self.heartbeat)
        hub.keepStreamsAlive()
      }
    }

    /// Ends the streams of devices that a command has revoked. Without open streams, it waits for one.
    private func endRevokedStreams() async throws {
      for await _ in hub.openedStreams {
        while hub.hasStreams {
          hub.endStreamsRevokedElsewhere()
          try await Task.sleep(for: Self.revocationInterval)
        }
      }
    }

    // MARK: Translating

    private func respond(to request: Request, _ context: HubContext) async throws -> Response {
      var body: [UInt8] = []
      if request.method != .get, request.method != .head {
        do {
          let buffer = try await request.body.collect(upTo: Self.maxBody)
          body = Array(buffer.readableBytesView)
        } catch is NIOTooManyBytesError { body = [UInt8](repeating: 0, count: Self.maxBody) }
      }
      var fields: [String: String] = [:]
      for field in request.headers {
        let name = field.name.canonicalName
        fields[name] = fields[name].map { $0 + (name == "cookie" ? "; " : ", ") + field.value } ?? field.value
      }
      fields["host"] = request.head.authority ?? fields["host"]
      let target = (request.head.path ?? "/").split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
      let answer = await hub.answer(
        HubRequest(
          request.method.rawValue, String(target.first ?? "/"), query: target.count > 1 ? String(target[1]) : "",
          fields: fields, body: body, address: context.address))
      return response(answer, to: request)
    }

    /// One byte more than a body may have, so that a larger one is refused with the reason.
    private static let maxBody = RequestLimits.body + 1

    private func response(_ answer: HubResponse, to request: Request) -> Response {
      var fields = HTTPFields()
      for (name, value) in answer.fields {
        if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
      }
      let status = HTTPResponse.Status(code: answer.status)
      switch answer.body {
      case .bytes(let bytes):
        let body = ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        let response = Response(status: status, headers: fields, body: body)
        guard request.method == .head else { return response }
        return response.createHeadResponse()
      case .events(let subscription):
        return Response(status: status, headers: fields, body: stream(subscription, of: request))
      }
    }

    /// The events of a subscription as a body, until the client is gone or the subscription ends.
    private func stream(_ subscription: EventSubscription, of request: Request) -> ResponseBody {
      ResponseBody { writer in
        defer { subscription.end() }
        try await writer.write(ByteBuffer(string: "retry: 2000\n\n"))
        try await request.body.consumeWithCancellationOnInboundClose { _ in
          for try await event in subscription.events.cancelOnGracefulShutdown() {
            try await writer.write(ByteBuffer(string: event.text))
          }
        }
        try await writer.finish(nil)
      }
    }
  }

  /// What is known about the connection of a request.
  private struct HubContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The address of the client.
    let address: String

    init(source: ApplicationRequestContextSource) {
      coreContext = CoreRequestContextStorage(source: source)
      address = source.channel.remoteAddress?.ipAddress ?? ""
    }
  }
#endif
