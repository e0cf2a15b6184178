internal import CurlHTTP
internal import SyncKit

/// A body that stops halfway until it is aborted.
final class HalvedBody: HTTPBody {
  let size: Int
  private let half = Signal()
  private let rest = Signal()

  init(size: Int) { self.size = size }

  func reader() -> any HTTPBodyReader { Reader(body: self) }

  func untilHalf() async { await half.wait() }

  func reachHalf() { half.send() }

  func breakOff() { rest.send() }

  private struct Reader: HTTPBodyReader {
    let body: HalvedBody
    var part = 0

    mutating func next() async throws -> [UInt8]? {
      part += 1
      if part == 2 {
        body.reachHalf()
        await body.rest.wait()
        throw SyncError(.cancelled, "the probe interrupted the upload")
      }
      return Array(repeating: UInt8(ascii: "x"), count: body.size / 2)
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
