internal import GitObjects
internal import Programs
internal import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A transport whose bytes pass at a limited rate, both ways. libgit2 moves all objects of a fetch or push in one stream, so the
/// stream is what can be limited.
struct LimitedTransport: Transport {
  let transport: any Transport
  let limit: TrafficLimit
  let runtime: Runtime

  var isStateless: Bool { transport.isStateless }

  var summary: String { transport.summary }

  func open(_ service: Service, asksWhatThereIs: Bool, _ stop: Stop) throws(SyncError) -> any Channel {
    LimitedChannel(
      try transport.open(service, asksWhatThereIs: asksWhatThereIs, stop), limit: limit, now: runtime.now,
      sleep: { usleep(UInt32($0 / .microseconds(1))) }, stop)
  }
}

extension Transport {
  /// Returns the transport with these limits.
  func limited(to limit: TrafficLimit, _ runtime: Runtime) -> any Transport {
    limit.isUnlimited(.up) && limit.isUnlimited(.down)
      ? self : LimitedTransport(transport: self, limit: limit, runtime: runtime)
  }
}

/// A channel whose bytes pass at a limited rate. It blocks the thread of the repository, as each call of a channel may.
final class LimitedChannel: Channel {
  private let channel: any Channel
  private let limit: TrafficLimit
  private let now: @Sendable () -> Timestamp
  private let sleep: (Duration) -> Void
  private let stop: Stop

  init(
    _ channel: any Channel, limit: TrafficLimit, now: @escaping @Sendable () -> Timestamp,
    sleep: @escaping (Duration) -> Void, _ stop: Stop
  ) {
    (self.channel, self.limit, self.now, self.sleep, self.stop) = (channel, limit, now, sleep, stop)
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(SyncError) {
    var start = 0
    while start < bytes.count {
      let end = min(bytes.count, start + min(bytes.count, limit.piece(.up, at: now())))
      try wait(for: end - start, .up)
      unsafe try channel.write(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
      start = end
    }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(SyncError) -> Int {
    let size = min(buffer.count, limit.piece(.down, at: now()))
    let count = unsafe try channel.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<size]))
    try wait(for: count, .down)
    return count
  }

  func close(isComplete: Bool) { channel.close(isComplete: isComplete) }

  private func wait(for count: Int, _ direction: TrafficLimit.Direction) throws(SyncError) {
    var rest = limit.reserve(count, direction, at: now())
    while rest > .zero {
      try stop.check()
      let part = min(rest, .milliseconds(100))
      sleep(part)
      rest -= part
    }
  }
}
