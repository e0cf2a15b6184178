/// Talks to one server by HTTP: HTTP/2 where TLS offers it and until it fails, connections that are used again, bodies that stream both ways
/// and are held back where the other side is slower.
///
/// Nothing that changes anything is ever sent twice behind the caller's back. libcurl repeats a request by itself when a
/// connection that was used before turns out to be closed; here a request without a body that changes something gets a
/// fresh connection, and the body of any other is never rewound.
public final class HTTPClient: Sendable {
  private let settings: HTTPSettings
  /// Or why there can be none.
  private let loop: Result<CurlLoop, HTTPError>
  private let gate: Gate

  private static let redirects = 3

  public init(_ settings: HTTPSettings) {
    self.settings = settings
    loop = CurlLoop.start(connections: settings.connections)
    gate = Gate(places: settings.connections)
  }

  deinit { if case .success(let loop) = loop { loop.stop() } }

  /// Sends a request and gives the answer as soon as its head is there, whatever its status.
  ///
  /// A redirect within the same origin is followed for requests that only ask; every other one is an error.
  public func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    var request = request
    for _ in 0...Self.redirects {
      let response = try await sendOnce(request)
      guard (300..<400).contains(response.status), response.status != 304 else { return response }
      guard let location = response.header("Location") else { return response }
      request.url = try target(of: location, from: request)
    }
    throw HTTPError(.redirected(to: Origin.text(of: request.url)), "too many redirects")
  }

  private func target(of location: String, from request: HTTPRequest) throws(HTTPError) -> String {
    let target =
      location.hasPrefix("/") && !location.hasPrefix("//") ? Origin.text(of: request.url) + location : location
    guard request.onlyAsks, Origin(target) == Origin(request.url) else {
      throw HTTPError(
        .redirected(to: Origin.text(of: target)),
        "the server redirects to another host (\(Origin.text(of: target))); passwords are not sent there")
    }
    return target
  }

  private func sendOnce(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    try checkProtocol(of: request)
    let loop = try loop.get()
    try await gate.enter()
    let transfer = Transfer(request, settings, loop) { [gate] in gate.leave() }
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
    guard origin.scheme == "https" || settings.allowsPlainHTTP || origin.isThisMachine else {
      throw HTTPError(.refused, "unencrypted http is allowed to this machine only")
    }
  }
}
