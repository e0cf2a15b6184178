internal import CPOSIX
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Tells the service manager how the service is, where one has asked by `NOTIFY_SOCKET`: sd_notify(3), written by hand
/// because a datagram is all there is to it.
final class ServiceManager: Sendable {
  private let address: String?
  /// How often it wants to hear that the service is alive.
  private let watchdog: Duration?
  /// True while the service's loop has to prove that it is alive.
  private let isWatched = Mutex(false)

  /// Takes what the manager has put into the environment; children are not to find it there.
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

  /// The settings are valid and the archive is open.
  func ready(_ status: String) { tell("READY=1\nSTATUS=\(status)") }

  /// One line for people.
  func status(_ status: String) { tell("STATUS=\(status)") }

  /// The settings are being read again; `ready` follows.
  func reloading() {
    tell("RELOADING=1\nMONOTONIC_USEC=\(posix_monotonic_microseconds())")
  }

  func stopping() { tell("STOPPING=1") }

  /// Asks for a sign of life as often as the manager wants to hear one, until the task is cancelled. Between two runs of the
  /// service's loop, as while a database is opened or cleaned up, this is the sign itself.
  ///
  /// - Parameter ask: makes the loop call `isAlive`.
  func watch(_ ask: () -> Void) async {
    guard let watchdog else { return }
    repeat {
      if isWatched.withLock({ $0 }) { ask() } else { isAlive() }
    } while (try? await Task.sleep(for: watchdog / 3)) != nil
  }

  /// The service makes progress: its loop is running, and no pass is stuck.
  func isAlive() { tell("WATCHDOG=1") }

  /// The loop begins, or ends, to prove that it is alive.
  func setWatched(_ isWatched: Bool) { self.isWatched.withLock { $0 = isWatched } }

  private func tell(_ text: String) {
    guard let address else { return }
    // A manager that does not read must not stop the service.
    _ = unsafe text.withCString { text in unsafe posix_send_datagram(address, text, strlen(text)) }
  }
}
