package import SyncKit
import Synchronization

/// A limit of a service that lasts too long to wait for: until its end nothing is sent, because services block clients that go
/// on.
package final class RequestLimit: Sendable {
  private let service: String
  private let runtime: Runtime
  private let end = Mutex(Timestamp?.none)

  /// The longest time in seconds, whatever the service asks for.
  private static let longest: Int64 = 86_400

  /// - Parameter service: the name of the service, for messages
  package init(_ service: String, _ runtime: Runtime) {
    self.service = service
    self.runtime = runtime
  }

  /// Throws while a limit lasts.
  package func check() throws(SyncError) {
    let end = end.withLock { end in
      if let passed = end, passed <= runtime.now() { end = nil }
      return end
    }
    if let end { throw error(until: end) }
  }

  /// Begins a limit; a longer one that has begun stays. Returns the error for people.
  package func begin(seconds: Int64) -> SyncError {
    let end = Timestamp(seconds: runtime.now().seconds + min(max(0, seconds), Self.longest))
    self.end.withLock { $0 = max($0 ?? end, end) }
    return error(until: end)
  }

  private func error(until end: Timestamp) -> SyncError {
    let minutes = Int(max(0, end.seconds - runtime.now().seconds) + 59) / 60
    return SyncError(
      .unavailable,
      "\(service) limits the requests of this account; syncd tries again in \(minutes.counted("minute"))")
  }
}
