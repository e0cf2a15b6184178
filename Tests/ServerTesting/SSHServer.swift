import Foundation
import ProgramTesting
import Synchronization

/// sshd on a loopback port with a folder. It is stopped with its owner, and with the tests.
public final class SSHServer: Sendable {
  /// The served folder, which also contains keys, logs and configuration.
  public let root: String
  public let run: String
  public let port: Int
  public let user: String
  private let authorizing = Mutex(())

  private static let path =
    URL(filePath: #filePath).appending(path: "../../../Scripts/ssh-server.sh").standardizedFileURL.path

  /// - Parameters:
  ///   - command: The only command that the key may run, if it is restricted; gets the folder.
  ///   - sftp: The command that serves sftp instead of sshd; `none` disables sftp.
  ///   - option: A line of sshd's configuration.
  public init(
    allowing command: ((String) -> String)? = nil, sftp: String? = nil, option: String? = nil
  ) async throws {
    let folder = NSTemporaryDirectory() + "sshd-\(UUID().uuidString.prefix(8))"
    (root, run) = (folder + "/root", folder + "/run")
    var words = [
      "start", "--root", root, "--run", run, "--owner", "\(ProcessInfo.processInfo.processIdentifier)",
    ]
    if let command { words += ["--command", command(root)] }
    if let sftp { words += ["--sftp", sftp] }
    if let option { words += ["--option", option] }
    let said = try await Self.start(words)
    guard let url = URL(string: said.trimmingCharacters(in: .whitespacesAndNewlines)), let port = url.port else {
      throw TestFailure("sshd is unavailable: \(said)")
    }
    self.port = port
    user = url.user() ?? ""
  }

  deinit {
    // The script stops the server anyway when the tests end.
    let (folder, stop) = ((root as NSString).deletingLastPathComponent, Self.script(["stop", "--run", run]))
    Thread.detachNewThread {
      _ = try? stop.run()
      try? FileManager.default.removeItem(atPath: folder)
    }
  }

  public var identity: String { run + "/identity" }
  public var knownHosts: String { run + "/known_hosts" }

  /// Stops the server abruptly, like a machine that is switched off.
  public func stop() async throws { _ = try await Self.script(["stop", "--run", run]).finish() }

  /// Authorizes another key. Tests that do so at the same time do not overwrite each other's.
  public func letIn(_ publicKey: String) throws {
    try authorizing.withLock { _ in
      let file = try FileHandle(forWritingTo: URL(filePath: run + "/authorized_keys"))
      try file.seekToEnd()
      try file.write(contentsOf: Data(contentsOf: URL(filePath: publicKey)))
      try file.close()
    }
  }

  /// Closes all connections, and continues to serve.
  public func hangUp() async throws { _ = try await Self.script(["hang-up", "--run", run]).finish() }

  private static func start(_ words: [String]) async throws -> String {
    let outcome = try await script(words).finish()
    guard outcome.status == 0 else { throw TestFailure(outcome.story) }
    return outcome.text
  }

  private static func script(_ words: [String]) -> Command { Command([path] + words) }
}
