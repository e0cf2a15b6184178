/// One request: what is asked of which address, and within which limits.
public struct HTTPRequest: Sendable {
  /// The method as it goes over the wire, such as `PROPFIND`.
  public var method: String
  /// The whole address, percent-encoded already; it is sent as it stands.
  public var url: String
  /// Header lines, except those of the connection, the length and the credentials.
  public var headers: [HTTPHeader]
  public var body: (any HTTPBody)?
  /// How many bytes the body of the answer may have; a longer one ends the request.
  public var answerLimit: Int
  /// How long the whole exchange may take; nil for transfers of any length, which end only when nothing moves.
  public var timeout: Duration?
  /// True if it does no harm if the request is carried out twice. Such a one may use a connection that was used before.
  public var mayBeRepeated: Bool
  /// True if no connection that was used before will do.
  public var needsFreshConnection = false

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

  /// Methods that only ask (RFC 9110, 9.2.1, and RFC 4918 for PROPFIND): carrying one out twice changes nothing.
  var onlyAsks: Bool { ["GET", "HEAD", "OPTIONS", "PROPFIND", "REPORT"].contains(method) }
}

/// A line of a header.
public struct HTTPHeader: Hashable, Sendable {
  public var name: String
  public var value: String

  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// The body of a request: read once, from the first byte to the last, and never again.
public protocol HTTPBody: Sendable {
  /// How many bytes there will be; announced before the first one goes out.
  var size: Int { get }

  /// A reading that starts at byte 0.
  func reader() throws -> any HTTPBodyReader
}

/// One reading of a body.
public protocol HTTPBodyReader: Sendable {
  /// The next bytes, or nil at the end. What it throws ends the request, and nothing after it is sent.
  mutating func next() async throws -> [UInt8]?
}

/// A body that is in memory.
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
