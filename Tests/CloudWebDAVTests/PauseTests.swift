import ServerTesting
import SyncKit
import Synchronization
import Testing

@testable import CloudWebDAV

@Suite("A server that asks for a pause")
struct PauseTests {
  /// A clock that is set back by a year, during an operation or in between; and the recorded sleeps.
  private final class Clock: Sendable {
    let isSetBack = Mutex(false)
    let sleeps = Mutex<[Duration]>([])

    func runtime(setBackByChance: Bool) -> Runtime {
      Runtime(
        now: {
          let now = Runtime.real.now()
          let year: Int64 = 365 * 24 * 3600 * 1_000_000_000
          return self.isSetBack.withLock { $0 } ? Timestamp(nanoseconds: now.nanoseconds - year) : now
        },
        random: { count in
          // Random numbers are requested between reading the clock and waiting.
          if setBackByChance { self.isSetBack.withLock { $0 = true } }
          return Runtime.real.random(count)
        },
        sleep: { duration in
          self.sleeps.withLock { $0.append(duration) }
          self.isSetBack.withLock { $0 = true }
        })
    }
  }

  @Test("a clock that is set back does not extend the pause", arguments: [false, true])
  func clockSetBack(inTheMiddle: Bool) async throws {
    guard let server = await TestServer.shared(.apache) else { return }
    let proxy = try await SpoilingProxy(to: server.url)
    let clock = Clock()
    let storage = try server.storage(
      at: proxy.url(server.folder().url), runtime: clock.runtime(setBackByChance: inTheMiddle))
    try await proxy.spoil("429-words")
    for _ in 0..<2 { _ = try await storage.list(since: Known()) }
    let sleeps = clock.sleeps.withLock { $0 }
    #expect(sleeps.count == 1 && sleeps.allSatisfy { $0 < .seconds(31) }, "\(sleeps)")
  }
}
