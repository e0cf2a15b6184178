import SyncKit
import Synchronization

/// The open connections that requested an event for each pass. They stay open when the settings are reloaded and while another
/// process has the lock.
final class Subscribers: Sendable {
  private let connections = Mutex<[ControlRequest]>([])

  /// Sends all further events to `request`.
  func add(_ request: ControlRequest) { connections.withLock { $0.append(request) } }

  /// Sends an event to all connections, and removes those that are closed or do not read.
  func send(_ event: String, _ members: JSON = [:]) {
    var document: JSON = ["version": 1, "event": .string(event)]
    document.add(members)
    let line = document.line
    connections.withLock { $0 = $0.filter { $0.offer(line) } }
  }
}
