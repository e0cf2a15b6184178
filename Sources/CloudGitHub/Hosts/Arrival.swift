internal import CurlHTTP

/// A file that is being received.
enum Arrival: Sendable {
  case stream(HTTPResponse)
  case whole([UInt8])

  /// The size as far as it is known before the file has arrived.
  var size: Int? {
    switch self {
    case .stream(let response): response.announcedSize
    case .whole(let bytes): bytes.count
    }
  }
}
