internal import CurlHTTP

/// A body whose second half is sent only when it is released, so that another write can overtake its request.
final class PausedBody: HTTPBody {
  private let bytes: [UInt8]
  private let half = Signal()
  private let rest = Signal()

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var size: Int { bytes.count }

  func reader() -> any HTTPBodyReader { Reader(body: self) }

  /// Waits until the first half was passed on.
  func untilHalf() async { await half.wait() }

  /// Lets the request continue.
  func release() {
    half.send()
    rest.send()
  }

  private struct Reader: HTTPBodyReader {
    let body: PausedBody
    var part = 0

    mutating func next() async throws -> [UInt8]? {
      part += 1
      switch part {
      case 1: return Array(body.bytes.prefix(body.size / 2))
      case 2:
        body.half.send()
        await body.rest.wait()
        return Array(body.bytes.dropFirst(body.size / 2))
      default: return nil
      }
    }
  }
}

/// A one-time event for which one task can wait.
private final class Signal: Sendable {
  private let stream: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream() }

  func send() { continuation.finish() }

  func wait() async { for await _ in stream {} }
}
