/// Why there is no answer, or none that can be used. It never holds a credential, and no line of a header.
public struct HTTPError: Error, Sendable {
  public enum Kind: Sendable {
    /// No connection came about, so nothing was asked: name, network, proxy, refused.
    case unreachable
    /// The certificate or the encryption is not what it has to be; nothing was asked.
    case untrusted
    /// The connection failed or the answer was not HTTP: the server may have carried out the request.
    case broken
    /// Nothing moved for too long: what was asked may have been carried out.
    case timedOut
    /// The answer was larger than the request allowed.
    case tooLarge
    /// The body of the request could not be read to its end, for this reason.
    case body(any Error)
    /// The task was cancelled.
    case cancelled
    /// The server sends us to another place, which is a matter of settings.
    case redirected(to: String)
    /// The request cannot be made: its address or its protocol is not allowed.
    case refused
  }

  public var kind: Kind
  /// What went wrong, in half a sentence without an address.
  public var message: String

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
