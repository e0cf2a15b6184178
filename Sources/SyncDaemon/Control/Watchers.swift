import SyncKit
import Synchronization

/// The clients that watch every pass, on connections that stay open. They survive a reload of the settings and a time
/// without the lock.
final class Watchers: Sendable {
  private let watchers = Mutex<[ControlRequest]>([])

  /// Reports everything to `request` from now on.
  func add(_ request: ControlRequest) { watchers.withLock { $0.append(request) } }

  /// Reports an event to all of them, and drops those that have disconnected or do not read.
  func tell(_ event: String, _ members: JSON = [:]) {
    var document: JSON = ["version": 1, "event": .string(event)]
    document.add(members)
    let line = document.line
    watchers.withLock { $0 = $0.filter { $0.offer(line) } }
  }
}
