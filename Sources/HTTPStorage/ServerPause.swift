internal import CurlHTTP
package import SyncKit
import Synchronization

/// The pause that a server asks for, for all requests of one client: after an answer such as 429 or 503 nothing is sent until it
/// is over (RFC 9110, 10.2.3).
package final class ServerPause: Sendable {
  private let runtime: Runtime
  /// The time before which nothing is sent.
  private let end = Mutex(Timestamp?.none)

  /// The maximum pause in seconds, whatever the server asks for.
  private static let longest: Int64 = 30
  /// The jitter in nanoseconds for each of 255 random steps, so that clients do not all return at once.
  private static let jitterStep: Int64 = 2_000_000
  private static let longestWait = longest * 1_000_000_000 + 255 * jitterStep

  /// Creates a state without a pause.
  package init(_ runtime: Runtime) { self.runtime = runtime }

  /// Starts a pause of `seconds`, at most 30, plus jitter. A longer pause that has begun stays.
  package func begin(seconds: Int64) {
    let now = runtime.now()
    let jitter = Int64(runtime.random(1).first ?? 0) * Self.jitterStep
    let pause = min(max(0, seconds), Self.longest) * 1_000_000_000 + jitter
    end.withLock { $0 = max($0 ?? now, Timestamp(nanoseconds: now.nanoseconds + pause)) }
  }

  /// Waits for the end of the pause; throws `CancellationError` if the task is cancelled.
  package func wait() async throws(CancellationError) {
    while let pause = end.withLock({ $0 }) {
      // The clock may have been set back since: no request waits longer than the maximum pause.
      let wait = min(pause.nanoseconds - runtime.now().nanoseconds, Self.longestWait)
      if wait > 0 {
        do { try await runtime.sleep(.nanoseconds(wait)) } catch { throw CancellationError() }
      }
      // Another request may have received a longer pause meanwhile.
      end.withLock { if $0 == pause { $0 = nil } }
    }
  }

  /// Returns the seconds in a `Retry-After` header, which has a number or a date by the server's clock; nil for an invalid value.
  ///
  /// - Parameter date: the `Date` header of the same answer
  package static func seconds(in retryAfter: String, date: String?) -> Int64? {
    if let seconds = Int64(retryAfter) { return seconds >= 0 ? seconds : nil }
    guard let then = HTTPDate.time(retryAfter), let now = date.flatMap(HTTPDate.time) else { return nil }
    return max(0, then.seconds - now.seconds)
  }
}
