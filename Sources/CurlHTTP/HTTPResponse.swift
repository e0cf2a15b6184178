/// The answer of a server: its head, and a body that the caller reads in pieces.
///
/// The connection stays busy until the caller has read the whole body. Releasing the response earlier cancels the rest. Only
/// one task may read the body.
public final class HTTPResponse: Sendable {
  /// The status code, such as 200. If the request changes nothing, redirects within the origin have been followed.
  public let status: Int
  /// The header lines in their original order.
  public let headers: [HTTPHeader]
  private let transfer: Transfer

  init(_ head: HTTPHead, _ transfer: Transfer) {
    status = head.status
    headers = head.headers
    self.transfer = transfer
  }

  deinit { transfer.cancel() }

  /// Returns the value of the first header line with this name, ignoring case; nil if there is none.
  public func header(_ name: String) -> String? {
    let name = name.lowercased()
    return headers.first { $0.name.lowercased() == name }?.value
  }

  /// The size of the body in bytes, as the server announced it in `Content-Length`; nil if it did not.
  public var announcedSize: Int? { header("Content-Length").flatMap { Int($0) } }

  /// Returns the next bytes of the body; nil at its end.
  ///
  /// Throws `.broken` if the body ends before its announced length, `.timedOut` if it stalls, `.tooLarge` if it exceeds
  /// the limit of the request, and `.cancelled`.
  public func next() async throws(HTTPError) -> [UInt8]? { try await transfer.nextChunk() }

  /// Returns the rest of the body, at most as many bytes as the request allows. Throws as ``next()`` does.
  public func bytes() async throws(HTTPError) -> [UInt8] {
    var bytes: [UInt8] = []
    while let chunk = try await next() { bytes += chunk }
    return bytes
  }
}
