import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The role of a receiver of alerts: the desktop, a command, a push service.
package protocol Notifier: Sendable {
  /// The receiver in messages of the log.
  var name: String { get }
  /// True if it can show messages now. Alerts that are due while no receiver can are over.
  var isReady: Bool { get }

  /// Shows a message. Throws if it was not shown; the service then tries again a minute later.
  ///
  /// After a crash or an error, a message can come a second time with the same identifier and ``AlertMessage/isRepeated``: it was perhaps shown
  /// before. A receiver that can replace a message replaces it.
  func show(_ message: AlertMessage) async throws
}

extension Notifier {
  package var isReady: Bool { true }
}

/// Shows alerts on the desktop.
struct DesktopNotifier: Notifier {
  private let desktop = Desktop()

  /// Nil without a session, or if `notify-send` is not installed.
  init?() { if !desktop.canShow { return nil } }

  var name: String { "notify-send" }

  func show(_ message: AlertMessage) async throws {
    try await desktop.show(message.title, message.body, replacing: message.id)
  }
}

/// Runs a command for each alert, with the alert as JSON on standard input.
struct CommandNotifier: Notifier {
  let command: [String]

  var name: String { "command \"\(command.first ?? "")\"" }

  func show(_ message: AlertMessage) async throws {
    var run = BoundedCommand(
      command, variables: ProcessInfo.processInfo.environment, input: Array((message.json.line + "\n").utf8))
    run.explainsFailures = true
    _ = try await run.output()
  }
}
