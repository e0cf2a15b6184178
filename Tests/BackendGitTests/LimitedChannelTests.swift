import Programs
import SyncKit
import Synchronization
import Testing

@testable import BackendGit

@Suite("The bytes of a repository's stream pass at a limited rate") struct LimitedChannelTests {
  /// Accepts and sends any bytes.
  private final class Stream: Channel {
    var written: [Int] = []
    var isClosed = false
    func write(_ bytes: UnsafeRawBufferPointer) { written.append(bytes.count) }
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int { buffer.count }
    func close(isComplete: Bool) { isClosed = true }
  }

  @Test("both directions take as long as their rates say")
  func both() throws {
    let clock = Mutex<Int64>(1_700_000_000_000_000_000)
    let stream = Stream()
    let channel = LimitedChannel(
      stream, limit: TrafficLimit(up: [Throttle { _ in 10_000 }], down: [Throttle { _ in 100_000 }]),
      now: { Timestamp(nanoseconds: clock.withLock { $0 }) },
      sleep: { pause in clock.withLock { $0 += Int64(pause / .nanoseconds(1)) } }, Stop())
    let start = clock.withLock { $0 }
    let bytes = [UInt8](repeating: 1, count: 100_000)
    unsafe try bytes.withUnsafeBytes { unsafe try channel.write($0) }
    let sent = clock.withLock { $0 }
    #expect(stream.written.reduce(0, +) == 100_000)
    #expect((9...10).contains((sent - start) / 1_000_000_000))
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var count = 0
    while count < 500_000 { count += unsafe try buffer.withUnsafeMutableBytes { unsafe try channel.read(into: $0) } }
    #expect((4...5).contains((clock.withLock { $0 } - sent) / 1_000_000_000))
    channel.close(isComplete: true)
    #expect(stream.isClosed)
  }

  @Test("a request to stop ends a wait")
  func stopped() {
    let stop = Stop()
    let channel = LimitedChannel(
      Stream(), limit: TrafficLimit(up: [Throttle { _ in 10 }]), now: { Timestamp(seconds: 1_700_000_000) },
      sleep: { _ in stop.ask() }, stop)
    let error = #expect(throws: SyncError.self) {
      unsafe try [UInt8](repeating: 1, count: 1_000).withUnsafeBytes { unsafe try channel.write($0) }
    }
    #expect(error?.code == .cancelled)
  }
}
