internal import CPOSIX

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

  /// Tells the manager that the service is alive, as often as that wants to hear, until the task is cancelled. A pass may
  /// take hours with a large file or a slow line; each wait in it has a limit of its own.
  func stayAlive() async {
    guard let watchdog else { return }
    repeat { tell("WATCHDOG=1") } while (try? await Task.sleep(for: watchdog / 3)) != nil
  }

  private func tell(_ text: String) {
    guard let address else { return }
    // A manager that does not read must not stop the service.
    _ = unsafe text.withCString { text in unsafe posix_send_datagram(address, text, strlen(text)) }
  }
}
