import Foundation
import ProgramTesting
import ServerTesting

/// A folder with settings and a store, for the real program with a Dropbox as its remote. It is removed with its owner.
final class DropboxSandbox: Sendable {
  let root: String

  /// - Parameters:
  ///   - settings: Additional lines of the remote's table.
  ///   - token: The setting for the token.
  ///   - isSignedIn: True if the token exists from the start.
  init(
    _ dropbox: TestDropbox, settings: String = "", token: String = #"refresh-token = { file = "dropbox.token" }"#,
    isSignedIn: Bool = true
  ) throws {
    root = NSTemporaryDirectory() + "dropbox-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: root + "/org", withIntermediateDirectories: true)
    let text = """
      [syncd]
      state = "state"
      interval = "1h"
      [store]
      backend = "org-files"
      path = "org"
      [remotes.home]
      sync = "plain-files"
      cloud = "dropbox"
      [remotes.home.dropbox]
      app-key = "test-app"
      root = "/notes"
      api-url = "\(dropbox.url)"
      content-url = "\(dropbox.url)"
      notify-url = "\(dropbox.url)"
      \(token)
      proxy = "none"
      \(settings)

      """
    try Data(text.utf8).write(to: URL(filePath: root + "/s.toml"))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: root + "/s.toml")
    guard isSignedIn else { return }
    try Data("test-refresh\n".utf8).write(to: URL(filePath: root + "/dropbox.token"))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: root + "/dropbox.token")
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  func syncd(_ words: [String]) throws -> Program {
    try Program(
      Command.built("syncd"), ["--settings", root + "/s.toml"] + words,
      environment: ["SWIFT_BACKTRACE": "enable=no", "HOME": root])
  }

  /// The text of a file of the store.
  func read(_ name: String) -> String? {
    FileManager.default.contents(atPath: root + "/org/" + name).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Waits until `isSo`, for at most five minutes, far more than any step takes.
  func wait(_ what: String, _ isSo: (DropboxSandbox) async throws -> Bool) async throws {
    for _ in 0..<60_000 {
      if try await isSo(self) { return }
      try await Task.sleep(for: .milliseconds(5))
    }
    throw TestFailure("timed out: \(what)")
  }
}
