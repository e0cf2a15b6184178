import Foundation
import ServerTesting

/// `badly-behaved-server.py` on a loopback port; it ends with its owner.
final class BadServer: Sendable {
  private let daemon: Daemon
  let url: String

  init() async throws {
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "badly-behaved-server.py").path
    daemon = try await Daemon(script)
    url = "http://127.0.0.1:\(daemon.lines[0])"
  }
}
