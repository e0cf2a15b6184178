/// A request: method, address, headers and body, and the limits of its answer.
public struct HTTPRequest: Sendable {
  /// The method as it goes over the wire, such as `PROPFIND`.
  public var method: String
  /// The absolute URL, percent-encoded by the caller; it is sent unchanged.
  public var url: String
  /// Header lines, except those of the connection, the length and the credentials.
  public var headers: [HTTPHeader]
  /// The body; nil for none.
  public var body: (any HTTPBody)?
  /// The maximum size of the answer's body in bytes; a larger one ends the request with `.tooLarge`.
  public var answerLimit: Int
  /// The timeout of the whole exchange; nil for transfers of any length, which only the stall timeout ends.
  public var timeout: Duration?
  /// True if the server may carry out the request twice without harm. Then it may use an idle connection.
  public var mayBeRepeated: Bool
  /// True if the request must use a new connection.
  public var needsFreshConnection = false
  /// True to follow redirects within the origin. If false, a redirect is a response like any other.
  public var followsRedirects = true

  public init(
    _ method: String, _ url: String, headers: [HTTPHeader] = [], body: (any HTTPBody)? = nil,
    answerLimit: Int = 1 << 20, timeout: Duration? = nil, mayBeRepeated: Bool = false
  ) {
    self.mayBeRepeated = mayBeRepeated
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.answerLimit = answerLimit
    self.timeout = timeout
  }

  /// True for safe methods (RFC 9110, 9.2.1, and RFC 4918 for PROPFIND): repeating one changes nothing.
  var onlyAsks: Bool { ["GET", "HEAD", "OPTIONS", "PROPFIND", "REPORT"].contains(method) }
}

/// A header line.
public struct HTTPHeader: Hashable, Sendable {
  /// The name, in any case.
  public var name: String
  /// The value, without line breaks.
  public var value: String

  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// The body of a request. The client reads it once, from the first byte to the last.
public protocol HTTPBody: Sendable {
  /// The number of bytes, which the client announces in `Content-Length`.
  var size: Int { get }

  /// Returns a new reader that starts at byte 0. What it throws ends the request with `.body`.
  func reader() throws -> any HTTPBodyReader
}

/// Reads a body from its first byte to its last.
public protocol HTTPBodyReader: Sendable {
  /// Returns the next bytes; nil at the end. What it throws ends the request with `.body`, and the client sends nothing more.
  mutating func next() async throws -> [UInt8]?
}

/// A body in memory.
public struct HTTPBytes: HTTPBody {
  private let bytes: [UInt8]

  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  public init(_ text: String) { bytes = Array(text.utf8) }

  public var size: Int { bytes.count }

  public func reader() -> any HTTPBodyReader { Reader(rest: bytes.isEmpty ? nil : bytes) }

  private struct Reader: HTTPBodyReader {
    var rest: [UInt8]?

    mutating func next() -> [UInt8]? {
      defer { rest = nil }
      return rest
    }
  }
}
