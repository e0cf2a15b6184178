import Foundation
import ProgramTesting

/// Apache on a loopback port as a WebDAV server with basic authentication. It is stopped with its owner, and with the tests.
public final class WebDAVServer: Sendable {
  /// The address of the served folder.
  public let url: String
  /// The served folder.
  public let root: String
  public let user = "ann"
  public let password = "correct horse"
  private let run: String

  private static let path =
    URL(filePath: #filePath).appending(path: "../../../Scripts/webdav-server.sh").standardizedFileURL.path

  public init() async throws {
    let folder = NSTemporaryDirectory() + "webdav-\(UUID().uuidString.prefix(8))"
    (root, run) = (folder + "/root", folder + "/run")
    let outcome = try await Command([
      Self.path, "start", "apache", "--root", root, "--run", run, "--user", user, "--password", password, "--auth",
      "basic", "--owner", "\(ProcessInfo.processInfo.processIdentifier)",
    ]).finish()
    guard outcome.status == 0 else { throw TestFailure(outcome.story) }
    url = outcome.text.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  deinit {
    // The script stops the server anyway when the tests end.
    let (folder, stop) = ((root as NSString).deletingLastPathComponent, Command([Self.path, "stop", "--run", run]))
    Thread.detachNewThread {
      _ = try? stop.run()
      try? FileManager.default.removeItem(atPath: folder)
    }
  }
}
