import Foundation
import ProgramTesting

/// `badly-behaved-server.py` on a loopback port; it is stopped with its owner.
final class BadServer: Sendable {
  private let process: ServerProcess
  let url: String

  init() async throws {
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "badly-behaved-server.py").path
    process = try await ServerProcess(["python3", script])
    url = "http://127.0.0.1:\(process.lines[0])"
  }
}
