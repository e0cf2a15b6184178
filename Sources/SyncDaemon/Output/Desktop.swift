import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The desktop session of the service's user, if there is one: shows messages with `notify-send`.
struct Desktop {
  private let environment = ProcessInfo.processInfo.environment

  /// Shows a message without waiting for it to be read.
  func show(_ message: String) {
    guard isThere else { return }
    let command = BoundedCommand(["notify-send", "--app-name=syncd", "syncd", message], variables: environment)
    // Nothing depends on it, and its error output goes to our log.
    Task { _ = try? await command.output() }
  }

  /// Shows a message instead of the one with the same identifier, and returns when it is shown.
  func show(_ title: String, _ body: String, replacing id: String) async throws {
    let hint = "--hint=string:x-canonical-private-synchronous:syncd-\(id)"
    // The service of notifications reads the body as markup.
    let text = body.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    let command = BoundedCommand(
      ["notify-send", "--app-name=syncd", hint, "--", title, text], variables: environment)
    _ = try await command.output()
  }

  /// True if there is a session, and notify-send is installed.
  var canShow: Bool {
    let folders = (environment["PATH"] ?? "").split(separator: ":")
    return isThere && folders.contains { LocalFile.exists("\($0)/notify-send") }
  }

  /// True if there is a session bus, which notify-send needs.
  private var isThere: Bool {
    if environment["DBUS_SESSION_BUS_ADDRESS"] != nil { return true }
    return environment["XDG_RUNTIME_DIR"].map { LocalFile.exists("\($0)/bus") } ?? false
  }
}
