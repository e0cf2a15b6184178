import CurlHTTP
import HTTPStorage
import SyncKit
import Synchronization
import Testing

@Suite("Pauses that a server asks for")
struct ServerPauseTests {
  /// A clock that sleeping moves forward.
  private final class Clock: Sendable {
    let now = Mutex(Timestamp(seconds: 1_000))
    let naps = Mutex([Duration]())

    var runtime: Runtime {
      var runtime = Runtime.real
      runtime.now = { self.now.withLock { $0 } }
      runtime.random = { [UInt8](repeating: 0, count: $0) }
      runtime.sleep = { duration in
        self.naps.withLock { $0.append(duration) }
        let seconds = duration.components.seconds
        self.now.withLock { $0 = Timestamp(seconds: $0.seconds + seconds) }
      }
      return runtime
    }
  }

  @Test("a request waits for the rest of the pause, and later ones do not wait")
  func rest() async throws {
    let clock = Clock()
    let pause = ServerPause(clock.runtime)
    try await pause.wait()
    pause.begin(seconds: 7)
    pause.begin(seconds: 3)
    clock.now.withLock { $0 = Timestamp(seconds: 1_002) }
    try await pause.wait()
    try await pause.wait()
    #expect(clock.naps.withLock { $0 } == [.seconds(5)])
  }

  @Test("no pause is longer than 30 seconds, even if the clock was set back")
  func longest() async throws {
    let clock = Clock()
    let pause = ServerPause(clock.runtime)
    pause.begin(seconds: .max)
    clock.now.withLock { $0 = Timestamp(seconds: 0) }
    try await pause.wait()
    let naps = clock.naps.withLock { $0 }
    #expect(naps.allSatisfy { $0 >= .seconds(30) && $0 < .seconds(31) } && naps.count == 1)
  }

  @Test(
    "Retry-After has seconds, or a date by the server's clock",
    arguments: [
      ("12", 12), ("0", 0), ("-1", nil), ("soon", nil), ("", nil), ("99999999999999999999", nil),
      ("Sun, 06 Nov 1994 08:49:47 GMT", 10), ("Sun, 06 Nov 1994 08:49:30 GMT", 0),
    ])
  func header(text: String, seconds: Int64?) {
    #expect(ServerPause.seconds(in: text, date: "Sun, 06 Nov 1994 08:49:37 GMT") == seconds)
  }

  @Test("a date needs the server's clock")
  func noDate() {
    #expect(ServerPause.seconds(in: "Sun, 06 Nov 1994 08:49:47 GMT", date: nil) == nil)
  }
}
