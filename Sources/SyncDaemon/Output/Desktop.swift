import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The desktop of the user who runs the service, if there is one: shows messages with the program `notify-send`.
struct Desktop {
  private let environment = ProcessInfo.processInfo.environment

  /// Shows a message, and does not wait for it to be read.
  func show(_ message: String) {
    guard isThere else { return }
    let command = BoundedCommand(["notify-send", "--app-name=syncd", "syncd", message], variables: environment)
    // Nothing depends on it, and what it complains of goes where our log goes.
    Task { _ = try? await command.output() }
  }

  /// True if a session bus can be reached, by which notify-send speaks.
  private var isThere: Bool {
    if environment["DBUS_SESSION_BUS_ADDRESS"] != nil { return true }
    return environment["XDG_RUNTIME_DIR"].map { LocalFile.exists("\($0)/bus") } ?? false
  }
}
