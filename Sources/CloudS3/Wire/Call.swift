internal import CurlHTTP
internal import SyncKit

/// A request to the bucket, before it is signed.
struct Call: Sendable {
  var method: String
  /// The key; nil for the bucket itself.
  var key: [UInt8]?
  var query: [(name: String, value: [UInt8])] = []
  var headers: [HTTPHeader] = []
  var body: (any HTTPBody)?
  /// The SHA-256 of the body in hexadecimal digits.
  var payload = Signature.emptyPayload
  var answerLimit = 4 << 20

  init(_ method: String, key: [UInt8]? = nil) {
    self.method = method
    self.key = key
  }

  /// A PUT of `content` under a condition.
  static func put(_ content: Content, at key: [UInt8], if condition: TagCondition?) -> Call {
    var call = Call("PUT", key: key)
    call.headers = [HTTPHeader("Content-Type", "application/octet-stream")] + [condition?.header].compactMap(\.self)
    call.body = UploadBody(content: content.verified)
    call.payload = content.digest.description
    return call
  }
}

/// The requirement for a change: the object is absent, or has a tag.
enum TagCondition: Hashable, Sendable {
  case absent
  /// The tag in the form that the server compares.
  case tag(String)

  var header: HTTPHeader {
    switch self {
    case .absent: HTTPHeader("If-None-Match", "*")
    case .tag(let tag): HTTPHeader("If-Match", tag)
    }
  }
}

/// A content as the body of a request. Its last bytes are sent only when the whole content is verified.
struct UploadBody: HTTPBody {
  let content: Content

  var size: Int { content.size }

  func reader() throws -> any HTTPBodyReader { Reader(source: try content.reader()) }

  private struct Reader: HTTPBodyReader {
    var source: any ContentReader

    mutating func next() async throws -> [UInt8]? { try await source.next() }
  }
}
