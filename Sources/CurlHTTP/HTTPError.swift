/// The reason why a request has no usable answer. It never contains a credential or a line of a header.
public struct HTTPError: Error, Sendable {
  /// The kinds of errors; each one determines if the server may have carried out the request.
  public enum Kind: Sendable {
    /// No connection: unknown name, no network, proxy error or refused. Nothing was sent.
    case unreachable
    /// The certificate or the encryption is not acceptable. Nothing was sent.
    case untrusted
    /// The connection failed, or the answer was not HTTP. The server may have carried out the request.
    case broken
    /// A timeout. The server may have carried out the request.
    case timedOut
    /// The answer was larger than the request allowed.
    case tooLarge
    /// The body of the request could not be read to its end, for this reason.
    case body(any Error)
    /// The task was cancelled.
    case cancelled
    /// A redirect that the client does not follow; `to` is the new origin, which the user can put into the settings.
    case redirected(to: String)
    /// The request cannot be made: its address or its protocol is not allowed.
    case refused
  }

  /// The kind of error.
  public var kind: Kind
  /// The reason as a clause, without the address.
  public var message: String

  /// Creates an error.
  public init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  /// The task was cancelled before there was an answer.
  public static let cancelled = HTTPError(.cancelled, "the request was cancelled")
}

extension HTTPError: CustomStringConvertible {
  public var description: String { message }
}
