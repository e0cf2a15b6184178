internal import CPOSIX
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Reports the service's state to the service manager, if `NOTIFY_SOCKET` is set: sd_notify(3), reimplemented because it is a
/// single datagram.
final class ServiceManager: Sendable {
  private let address: String?
  /// The interval of keepalives.
  private let watchdog: Duration?
  /// True while the service's loop must prove that it is alive.
  private let isWatched = Mutex(false)

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

  /// Reports that the settings are valid and the archive is open.
  func ready(_ status: String) { tell("READY=1\nSTATUS=\(status)") }

  /// Reports one line for people.
  func status(_ status: String) { tell("STATUS=\(status)") }

  /// Reports that the settings are being reloaded; `ready` follows.
  func reloading() {
    tell("RELOADING=1\nMONOTONIC_USEC=\(posix_monotonic_microseconds())")
  }

  func stopping() { tell("STOPPING=1") }

  /// Requests keepalives in the manager's interval, until the task is cancelled. Between two runs of the service's loop, for
  /// example while a database is opened or cleaned up, this sends them itself.
  ///
  /// - Parameter ask: makes the loop call `isAlive`.
  func watch(_ ask: () -> Void) async {
    guard let watchdog else { return }
    repeat {
      if isWatched.withLock({ $0 }) { ask() } else { isAlive() }
    } while (try? await Task.sleep(for: watchdog / 3)) != nil
  }

  /// Reports that the loop is running and no pass is stuck.
  func isAlive() { tell("WATCHDOG=1") }

  /// Sets if the loop must prove that it is alive.
  func setWatched(_ isWatched: Bool) { self.isWatched.withLock { $0 = isWatched } }

  private func tell(_ text: String) {
    guard let address else { return }
    // A manager that does not read must not block the service.
    _ = unsafe text.withCString { text in unsafe posix_send_datagram(address, text, strlen(text)) }
  }
}
