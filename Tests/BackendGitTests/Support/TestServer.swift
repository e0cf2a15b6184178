import CurlHTTP
import Foundation
import ProgramTesting
import SSHConnection
import SyncKit
import Synchronization

@testable import BackendGit

/// A place with repositories that all devices push to: a folder, or a real server over one.
final class TestServer: Sendable {
  enum Kind: String, CaseIterable, Sendable {
    case file
    /// Over sshd, by the program ssh and by libssh2.
    case ssh, library
    case https

    /// The script's name for the server.
    var server: String { self == .library ? "ssh" : rawValue }

    var isSSH: Bool { server == "ssh" }
  }

  let kind: Kind
  /// The local folder of the repositories.
  let root: String
  let run: String
  private let url: String
  let user = "ann"
  /// Contains every character that is awkward in headers and settings.
  let password = "p%40ss: w\u{F6}rd"

  init(_ kind: Kind) throws {
    self.kind = kind
    let folder = NSTemporaryDirectory() + "hub-\(kind.rawValue)-\(UUID().uuidString)"
    (root, run) = (folder + "/root", folder + "/run")
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    guard kind != .file else {
      url = root
      return
    }
    let words = [
      Self.script, "start", kind.server, "--root", root, "--run", run, "--user", user, "--password", password,
      "--owner", "\(ProcessInfo.processInfo.processIdentifier)",
    ]
    let text = try BackendGitTests.run(words)
    url = text.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  deinit {
    // The script also stops the server when the tests end.
    if kind != .file { _ = try? BackendGitTests.run([Self.script, "stop", "--run", run], mayFail: true) }
    try? FileManager.default.removeItem(atPath: (root as NSString).deletingLastPathComponent)
  }

  private static let script =
    URL(filePath: #filePath).appending(path: "../../../../Scripts/git-server.sh").standardizedFileURL.path

  /// A new empty repository: its address and its local path.
  func repository(branch: String = "main") throws -> Repo {
    let name = UUID().uuidString + ".git"
    try git("init", "-q", "--bare", "-b", branch, root + "/" + name)
    try git("config", "http.receivepack", "true", in: root + "/" + name)
    return Repo(server: self, address: url + "/" + name, path: root + "/" + name)
  }

  /// The variables with which plain git can authenticate.
  var variables: [String: String] {
    switch kind {
    case .file: [:]
    case .ssh, .library: ["GIT_SSH_COMMAND": "ssh -F \(run)/ssh_config"]
    case .https:
      [
        "GIT_SSL_CAINFO": run + "/ca.pem", "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "credential.helper",
        "GIT_CONFIG_VALUE_0": "!f() { echo username=\(user); echo 'password=\(password)'; }; f",
      ]
    }
  }

  /// The settings with which syncd can authenticate.
  func settings(_ address: String) throws -> Git.Settings {
    var settings = Git.Settings()
    settings.url = try GitAddress(address).orThrow("\(address) is not an address")
    settings.author = "Test <test@example.org>"
    if kind.isSSH {
      settings.ssh.identityFile = SettingPath(stringLiteral: run + "/identity")
      settings.ssh.knownHosts = SettingPath(stringLiteral: run + "/known_hosts")
      settings.ssh.transport = kind == .library ? .libssh2 : .sshCommand
      settings.ssh.sshCommand = ["ssh", "-F", "/dev/null"]
    }
    if kind == .https {
      settings.user = user
      settings.password = Secret(password)
      settings.http.caFile = SettingPath(stringLiteral: run + "/ca.pem")
    }
    return settings
  }

  // MARK: Shared ones

  private struct Missing: Error { var reason: String }
  private static let shared = Mutex<[Kind: Result<TestServer, Missing>]>([:])

  /// The hub of a kind that all tests share; nil, with a message, if it is unavailable.
  static func shared(_ kind: Kind) -> TestServer? {
    let server = shared.withLock { servers in
      if let server = servers[kind] { return server }
      let server = Result { try TestServer(kind) }.mapError { Missing(reason: "\($0)") }
      servers[kind] = server
      return server
    }
    do { return try server.get() } catch {
      skip("\(kind.rawValue) is unavailable: \(error.reason)")
      return nil
    }
  }
}

/// One bare repository of a hub.
struct Repo: Sendable {
  let server: TestServer
  let address: String
  let path: String

  /// The text of each file of a branch.
  func texts(_ branch: String = "main") throws -> [String: String] {
    let names = try git("ls-tree", "-r", "-z", "--name-only", branch, in: path).split(separator: "\0")
    var texts: [String: String] = [:]
    for name in names { texts[String(name)] = try git("cat-file", "blob", "\(branch):\(name)", in: path) }
    return texts
  }

  /// Requires that the repository passes all checks, and that no temporary files are left in it.
  func expectSound() throws {
    let said = try git("fsck", "--strict", "--no-dangling", in: path)
    guard said.split(separator: "\n").allSatisfy({ $0.hasPrefix("notice:") || $0.hasPrefix("Checking") }) else {
      throw TestFailure("git fsck --strict: \(said)")
    }
    let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
    let litter = names.filter { $0.hasSuffix(".lock") || $0.contains("incoming") || $0.contains("tmp_") }
    guard litter.isEmpty else { throw TestFailure("leftover files: \(litter)") }
  }

  /// A clone in which a user works with plain git.
  func clone() throws -> Clone {
    let folder = NSTemporaryDirectory() + "clone-\(UUID().uuidString)"
    try git("clone", "-q", address, folder, variables: server.variables)
    return Clone(folder: folder, variables: server.variables)
  }
}

/// A user's clone. It is removed with its owner.
final class Clone: Sendable {
  let folder: String
  private let variables: [String: String]

  init(folder: String, variables: [String: String]) {
    self.folder = folder
    self.variables = variables
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  @discardableResult
  func git(_ words: String..., mayFail: Bool = false) throws -> String { try git(words, mayFail: mayFail) }

  @discardableResult
  func git(_ words: [String], mayFail: Bool = false) throws -> String {
    try run(["git"] + words, in: folder, variables: variables, mayFail: mayFail)
  }

  func write(_ text: String, to name: String) throws {
    let path = folder + "/" + name
    try FileManager.default.createDirectory(
      atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    guard FileManager.default.createFile(atPath: path, contents: Data(text.utf8)) else {
      throw TestFailure("cannot write \(path)")
    }
  }

  func read(_ name: String) -> String? {
    FileManager.default.contents(atPath: folder + "/" + name).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Commits everything and pushes it.
  func push(_ message: String = "By hand") throws {
    try git("add", "-A")
    try git("commit", "-q", "-m", message)
    try git("push", "-q", "origin", "HEAD")
  }
}
