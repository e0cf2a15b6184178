import SyncKitTesting
import Synchronization
import Testing

@testable import SyncKit

/// What passes in a period follows from a simulated clock: no test waits.
@Suite("A storage with limited rates") struct LimitedStorageTests {
  /// A clock that only sleeps advance, and the times at which bytes passed.
  private final class Meter: Sendable {
    private let state = Mutex<(now: Int64, passed: [(time: Int64, count: Int)])>((1_700_000_000_000_000_000, []))

    var runtime: Runtime {
      Runtime(
        now: { [self] in Timestamp(nanoseconds: state.withLock(\.now)) }, random: Runtime.real.random,
        sleep: { [self] pause in state.withLock { $0.now += Int64(pause / .nanoseconds(1)) } })
    }

    func pass(_ count: Int) { state.withLock { $0.passed.append(($0.now, count)) } }

    func setBack(by seconds: Int64) { state.withLock { $0.now -= seconds * 1_000_000_000 } }

    var passed: [(time: Int64, count: Int)] { state.withLock(\.passed) }

    /// The seconds from the first to the last byte.
    var seconds: Double { Double((passed.last?.time ?? 0) - (passed.first?.time ?? 0)) / 1e9 }

    /// Returns the bytes that exceed `rate` in the worst of all periods.
    func excess(over rate: Int) -> Double {
      var worst = 0.0
      for start in passed.indices {
        var bytes = 0
        for end in start..<passed.count {
          bytes += passed[end].count
          worst = max(worst, Double(bytes) - Double(rate) * Double(passed[end].time - passed[start].time) / 1e9)
        }
      }
      return worst
    }
  }

  /// Reads the contents that it gets, and sends those that it has, in chunks of 100,000 bytes.
  private struct Peer: StorageDefaults {
    let meter: Meter
    var readsContents = true
    let address = "peer:"

    func capabilities() -> Capabilities { Capabilities(replacement: .conditional) }
    func list(since known: Known) throws(SyncError) -> Snapshot { throw SyncError(.unavailable, "unused") }
    func confirm(_ paths: [SyncPath]) -> [Presence] { paths.map { _ in .absent } }

    func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
      for path in paths {
        _ = try await sink.of(path).receive(size: 300_000) { intake throws(SyncError) in
          for _ in 0..<3 {
            try await intake.write(Array(repeating: 0, count: 100_000))
            meter.pass(100_000)
          }
        }
      }
      return paths.map { _ in .absent }
    }

    func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
      for change in changes where readsContents {
        guard var reader = try change.content?.reader() else { continue }
        while let chunk = try await reader.next() { meter.pass(chunk.count) }
      }
      return changes.map { _ in .done(nil) }
    }
  }

  private let meter = Meter()
  private let path = SyncPath("a.org")!
  private static let rate = 200_000
  /// The unused rate that may be used later, and one piece.
  private static let slack = Double(rate) / 4 + Double(rate) / 4 + 1

  private func throttle() -> Throttle { Throttle { _ in Self.rate } }

  private func change(_ size: Int) -> Change {
    Change(path: path, content: Content(Array(repeating: 0x61, count: size)), condition: .absent)
  }

  @Test("in no period more bytes are sent than its rate allows, and the rate is used")
  func up() async throws {
    let storage = Peer(meter: meter).limited(to: TrafficLimit(up: [throttle()]), runtime: meter.runtime)
    for size in [1_000_000, 1, 500_000, 40_000] { _ = try await storage.commit([change(size)]) }
    #expect(meter.passed.map(\.count).reduce(0, +) == 1_540_001)
    #expect(meter.excess(over: Self.rate) <= Self.slack)
    #expect(meter.seconds > 7 && meter.seconds < 8)
  }

  @Test("in no period more bytes are received than its rate allows")
  func down() async throws {
    let storage = Peer(meter: meter).limited(to: TrafficLimit(down: [throttle()]), runtime: meter.runtime)
    for _ in 0..<3 { _ = try await storage.read([path, path], into: DigestSink()) }
    #expect(meter.passed.map(\.count).reduce(0, +) == 1_800_000)
    // The peer of this test reports whole chunks.
    #expect(meter.excess(over: Self.rate) <= Self.slack + 100_000)
    #expect(meter.seconds > 7.5 && meter.seconds < 9)
  }

  @Test("remotes that share a throttle share its rate, and a limit of one remote applies as well")
  func shared() async throws {
    let shared = throttle()
    let slow = Throttle { _ in Self.rate / 10 }
    let one = Peer(meter: meter).limited(to: TrafficLimit(up: [shared]), runtime: meter.runtime)
    let other = Peer(meter: meter).limited(to: TrafficLimit(up: [shared, slow]), runtime: meter.runtime)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for storage in [one, other, one] { group.addTask { _ = try await storage.commit([change(400_000)]) } }
      try await group.waitForAll()
    }
    // Each transfer may have a piece that it has waited for and not passed yet.
    #expect(meter.excess(over: Self.rate) <= Self.slack + 2 * Double(Self.rate) / 4)
    #expect(meter.seconds > 400_000.0 / Double(Self.rate / 10) - 1)
  }

  @Test("the rate of a timetable changes while a file is being sent")
  func timetable() async throws {
    let end = meter.runtime.now().nanoseconds + 2_000_000_000
    let throttle = Throttle { $0.nanoseconds < end ? Self.rate : nil }
    let storage = Peer(meter: meter).limited(to: TrafficLimit(up: [throttle]), runtime: meter.runtime)
    _ = try await storage.commit([change(50_000_000)])
    let before = meter.passed.filter { $0.time < end }.map(\.count).reduce(0, +)
    #expect(before <= 2 * Self.rate + Int(Self.slack))
    #expect(meter.seconds < 3)
  }

  @Test("nothing waits for bytes that are not sent: removals, and files that the storage moves")
  func moves() async throws {
    let storage = Peer(meter: meter, readsContents: false)
      .limited(to: TrafficLimit(up: [throttle()]), runtime: meter.runtime)
    let start = meter.runtime.now()
    _ = try await storage.commit([change(50_000_000), Change(path: path, content: nil, condition: .absent)])
    #expect(meter.runtime.now() == start && meter.passed.isEmpty)
  }

  @Test("a clock that is set back makes nothing wait for it")
  func clock() async throws {
    let storage = Peer(meter: meter).limited(to: TrafficLimit(up: [throttle()]), runtime: meter.runtime)
    _ = try await storage.commit([change(200_000)])
    meter.setBack(by: 86_400)
    let start = meter.runtime.now()
    _ = try await storage.commit([change(200_000)])
    #expect(meter.runtime.now().seconds - start.seconds <= 2)
  }
}
