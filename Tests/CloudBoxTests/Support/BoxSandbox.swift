import Foundation
import ProgramTesting
import ServerTesting

/// A folder with settings and a store, for the real program with a Box as its remote. It is removed with its owner.
final class BoxSandbox: Sendable {
  let scratch = ScratchFolder()
  let tokenFile: String

  /// - Parameters:
  ///   - settings: Additional lines of the remote's table.
  ///   - token: The setting for the token.
  ///   - isSignedIn: True if the token exists from the start.
  init(
    _ box: TestBox, settings: String = "", token: String = #"refresh-token = { file = "box.token" }"#,
    isSignedIn: Bool = true
  ) throws {
    tokenFile = scratch.path + "/box.token"
    try FileManager.default.createDirectory(atPath: scratch.path + "/org", withIntermediateDirectories: true)
    let text = """
      [syncd]
      state = "state"
      interval = "1h"
      [store]
      backend = "org-files"
      path = "org"
      [remotes.home]
      sync = "plain-files"
      cloud = "box"
      [remotes.home.box]
      client-id = "test-client"
      client-secret = "test-secret"
      root = "/notes"
      api-url = "\(box.url)"
      \(token)
      proxy = "none"
      \(settings)

      """
    try write(text, to: scratch.path + "/s.toml")
    if isSignedIn { try write("test-refresh\n", to: tokenFile) }
  }

  private func write(_ text: String, to path: String) throws {
    try Data(text.utf8).write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
  }

  func syncd(_ words: [String], failpoint: String? = nil) throws -> Program {
    var environment = ["SWIFT_BACKTRACE": "enable=no", "HOME": scratch.path]
    if let failpoint { environment["SYNCD_FAILPOINTS"] = "\(failpoint)=kill" }
    return try Program(
      Command.built("syncd"), ["--settings", scratch.path + "/s.toml"] + words, environment: environment)
  }

  /// Runs the program to its end.
  func run(_ words: [String] = ["--once"], failpoint: String? = nil) async throws -> (status: Int32, text: String) {
    let program = try syncd(words, failpoint: failpoint)
    let status = try await program.wait()
    return (status, program.text)
  }

  /// Signs in by pasting the address to which the browser is sent.
  func signIn() async throws -> (status: Int32, text: String) {
    let login = try syncd(["login", "home"])
    let page = try await Browser.open(try await login.wait(for: /(http:\S+authorize\S+)/))
    login.type(page.location ?? "")
    let status = try await login.wait()
    return (status, login.text)
  }

  func read(_ name: String) -> String? {
    FileManager.default.contents(atPath: scratch.path + "/org/" + name).map { String(decoding: $0, as: UTF8.self) }
  }

  func write(_ text: String, as name: String) throws {
    try Data(text.utf8).write(to: URL(filePath: scratch.path + "/org/" + name))
  }
}

/// The browser in which the user allows the access.
enum Browser {
  /// Returns the text of a page, and the address to which it redirects.
  static func open(_ address: String) async throws -> (text: String, location: String?) {
    let curl = try Program("/usr/bin/env", ["curl", "-s", "--noproxy", "*", "-D", "-", address])
    _ = try await curl.wait()
    return (curl.text, try /(?i)location: (\S+)/.firstMatch(in: curl.text).map { String($0.1) })
  }
}
