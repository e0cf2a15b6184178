/// An HTTP client on libcurl. It always verifies certificates, uses HTTP/2 over TLS until that fails once, reuses connections,
/// and streams bodies in both directions with back pressure.
///
/// - A request that may change something is never sent twice. libcurl itself repeats a request if a reused connection turns out
///   to be closed; therefore a request without a body that may change something gets a new connection, and the body of any
///   other is never rewound.
/// - Credentials are sent only to the origin of the request: a redirect to another origin is an error that names it.
/// - Plain HTTP is allowed only for this machine, unless the configuration allows it.
///
/// Any number of tasks may share a client. Requests beyond ``Configuration/connections`` wait in order. libcurl is loaded when
/// the first client is created, so a program that is linked with this module starts without it.
public final class HTTPClient: Sendable {
  private let configuration: Configuration
  /// The event loop, or the reason why libcurl is unavailable.
  private let loop: Result<CurlLoop, HTTPError>
  private let gate: Gate

  private static let redirects = 3

  /// Creates a client. It connects with the first request; if libcurl is not installed, every request fails with `.refused`.
  public init(_ configuration: Configuration) {
    self.configuration = configuration
    loop = CurlLoop.start(connections: configuration.connections)
    gate = Gate(count: configuration.connections)
  }

  deinit { if case .success(let loop) = loop { loop.stop() } }

  /// Sends a request and returns the response as soon as its head has arrived, whatever its status.
  ///
  /// The client follows a redirect within the origin for requests that change nothing; every other redirect throws
  /// `.redirected`, unless the request has ``HTTPRequest/followsRedirects`` false. Cancelling the task ends the request with `.cancelled`. After `.broken` and `.timedOut` the server may have
  /// carried out the request; after every other error it has not.
  public func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    var request = request
    for _ in 0...Self.redirects {
      let response = try await sendOnce(request)
      guard request.followsRedirects, (300..<400).contains(response.status), response.status != 304 else {
        return response
      }
      guard let location = response.header("Location") else { return response }
      request.url = try target(of: location, from: request)
    }
    throw HTTPError(.redirected(to: Origin.text(of: request.url)), "the server redirects in circles")
  }

  private func target(of location: String, from request: HTTPRequest) throws(HTTPError) -> String {
    let target =
      location.hasPrefix("/") && !location.hasPrefix("//") ? Origin.text(of: request.url) + location : location
    guard request.onlyAsks, Origin(target) == Origin(request.url) else {
      throw HTTPError(
        .redirected(to: Origin.text(of: target)),
        "the server redirects to another address (\(Origin.text(of: target))), where no password is sent")
    }
    return target
  }

  private func sendOnce(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    try checkProtocol(of: request)
    let loop = try loop.get()
    try await gate.enter()
    let transfer = Transfer(request, configuration, loop) { [gate] in gate.leave() }
    do {
      return try await withTaskCancellationHandler {
        try await exchange(request, transfer)
      } onCancel: {
        transfer.cancel()
      }
    } catch let error as HTTPError {
      transfer.cancel()
      throw error
    } catch {
      transfer.cancel()
      throw HTTPError(.body(error), "cannot read the file to send")
    }
  }

  private func exchange(_ request: HTTPRequest, _ transfer: Transfer) async throws -> HTTPResponse {
    if let body = request.body {
      try await Upload(body, transfer).run { transfer.start() }
    } else {
      transfer.start()
    }
    return HTTPResponse(try await transfer.head(), transfer)
  }

  private func checkProtocol(of request: HTTPRequest) throws(HTTPError) {
    guard let origin = Origin(request.url) else { throw HTTPError(.refused, "not an http or https address") }
    guard origin.scheme == "https" || configuration.allowsPlainHTTP || origin.isThisMachine else {
      throw HTTPError(.refused, "unencrypted http is allowed to this machine only")
    }
  }
}
