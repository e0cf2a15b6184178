import SyncKit
import Synchronization

/// Those who asked to be told of every pass, on connections that stay open. They outlive a reading of the settings and a
/// time without the lock.
final class Watchers: Sendable {
  private let watchers = Mutex<[ControlRequest]>([])

  /// Tells `request` of everything from now on.
  func add(_ request: ControlRequest) { watchers.withLock { $0.append(request) } }

  /// Tells all of them what has happened; who has gone, or does not listen, is told no more.
  func tell(_ event: String, _ members: JSON = [:]) {
    var document: JSON = ["version": 1, "event": .string(event)]
    document.add(members)
    let line = document.line
    watchers.withLock { $0 = $0.filter { $0.offer(line) } }
  }
}
