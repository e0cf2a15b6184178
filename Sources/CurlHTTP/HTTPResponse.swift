/// What a server answered: the head, and a body that is taken piece by piece.
///
/// The connection is busy until the body was taken to its end. When the response is let go earlier, the rest is not
/// fetched.
public final class HTTPResponse: Sendable {
  public let status: Int
  /// The lines of the header, in their order.
  public let headers: [HTTPHeader]
  private let transfer: Transfer

  init(_ head: HTTPHead, _ transfer: Transfer) {
    status = head.status
    headers = head.headers
    self.transfer = transfer
  }

  deinit { transfer.cancel() }

  /// The value of the first line with this name, in whatever case it was written.
  public func header(_ name: String) -> String? {
    let name = name.lowercased()
    return headers.first { $0.name.lowercased() == name }?.value
  }

  /// The length that the server announced for the body.
  public var announcedSize: Int? { header("Content-Length").flatMap { Int($0) } }

  /// The next bytes of the body, or nil at its end. A body that ends before its announced length is an error, never an
  /// end.
  public func next() async throws(HTTPError) -> [UInt8]? { try await transfer.nextChunk() }

  /// The whole rest of the body; at most what the request allowed.
  public func bytes() async throws(HTTPError) -> [UInt8] {
    var bytes: [UInt8] = []
    while let chunk = try await next() { bytes += chunk }
    return bytes
  }
}
