internal import CPOSIX
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Reports the service's state to the service manager, if `NOTIFY_SOCKET` is set: sd_notify(3), reimplemented because it is a
/// single datagram. Each store reports for itself; the service is ready, or alive, when all stores are.
final class ServiceManager: Sendable {
  private let address: String?
  /// The interval of keepalives.
  private let watchdog: Duration?
  private let stores = Mutex<[String: Standing]>([:])

  /// What a store has reported.
  private struct Standing {
    var isReady = false
    /// True while the store's loop must prove that it is alive.
    var isWatched = false
    /// True if it has done so since the last request.
    var isAlive = true
    var status = ""
  }

  /// One store's access to the service manager.
  struct Store: Sendable {
    fileprivate let manager: ServiceManager
    fileprivate let name: String

    /// Reports that the settings are valid and the archive is open.
    func ready(_ status: String) {
      manager.update(name) {
        ($0.isReady, $0.status) = (true, status)
      }
      manager.reportReadiness()
    }

    /// Reports one line for people.
    func status(_ status: String) {
      manager.update(name) { $0.status = status }
      manager.tell("STATUS=\(manager.status)")
    }

    /// Reports that the loop is running and no pass is stuck.
    func isAlive() {
      manager.update(name) { $0.isAlive = true }
      manager.keepAlive()
    }

    /// Sets if the loop must prove that it is alive.
    func setWatched(_ isWatched: Bool) { manager.update(name) { $0.isWatched = isWatched } }

    /// The store is served no longer.
    func end() { manager.stores.withLock { $0[name] = nil } }
  }

  /// Removes the manager's variables from the environment, so that children do not inherit them.
  init() {
    address = Self.take("NOTIFY_SOCKET")
    let isMeant = Self.take("WATCHDOG_PID").map { $0 == String(getpid()) } ?? true
    watchdog = Self.take("WATCHDOG_USEC").flatMap { Int64($0) }.flatMap { isMeant && $0 > 0 ? .microseconds($0) : nil }
  }

  private static func take(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    defer { unsafe unsetenv(name) }
    return unsafe String(cString: value)
  }

  /// Returns the access of a store that will be served: the service is not ready before it is.
  func store(_ name: String) -> Store {
    stores.withLock { $0[name] = Standing() }
    return Store(manager: self, name: name)
  }

  /// Reports that the settings are being reloaded; readiness of all stores follows.
  func reloading() { tell("RELOADING=1\nMONOTONIC_USEC=\(posix_monotonic_microseconds())") }

  /// The settings were reloaded: each store must report its readiness again. If they were not, the service is as ready as before.
  func reloaded(_ isChanged: Bool) {
    if isChanged {
      stores.withLock { stores in for name in stores.keys { stores[name]?.isReady = false } }
    } else {
      reportReadiness()
    }
  }

  func stopping() { tell("STOPPING=1") }

  /// Requests keepalives in the manager's interval, until the task is cancelled. For a store between two runs of its loop, for
  /// example while a database is opened or cleaned up, this sends them itself.
  ///
  /// - Parameter ask: makes the loops call `isAlive`.
  func watch(_ ask: () -> Void) async {
    guard let watchdog else { return }
    repeat {
      stores.withLock { stores in
        for (name, standing) in stores { stores[name]?.isAlive = !standing.isWatched }
      }
      keepAlive()
      ask()
    } while (try? await Task.sleep(for: watchdog / 3)) != nil
  }

  private func update(_ name: String, _ change: (inout Standing) -> Void) {
    stores.withLock { stores in
      guard var standing = stores[name] else { return }
      change(&standing)
      stores[name] = standing
    }
  }

  private func reportReadiness() {
    if stores.withLock({ $0.values.allSatisfy(\.isReady) }) { tell("READY=1\nSTATUS=\(status)") }
  }

  private func keepAlive() {
    if stores.withLock({ $0.values.allSatisfy(\.isAlive) }) { tell("WATCHDOG=1") }
  }

  private var status: String {
    stores.withLock { stores in
      let lines = stores.filter { !$0.value.status.isEmpty }.sorted { $0.key < $1.key }
      return lines.count == 1
        ? lines[0].value.status : lines.map { "\($0.key): \($0.value.status)" }.joined(separator: "; ")
    }
  }

  private func tell(_ text: String) {
    guard let address else { return }
    // A manager that does not read must not block the service.
    _ = unsafe text.withCString { text in unsafe posix_send_datagram(address, text, strlen(text)) }
  }
}
