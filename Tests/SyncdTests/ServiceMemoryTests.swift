import Foundation
import ProgramTesting
import ServerTesting
import Testing

/// The memory of the service over many passes, with a remote of each kind.
@Suite("The memory of a service") struct ServiceMemoryTests {
  @Test("a service does not grow with the number of passes", arguments: Remote.Kind.allCases)
  fileprivate func constant(kind: Remote.Kind) async throws {
    let sandbox = try Sandbox(remotes: [], inMemory: true)
    guard let remote = try await Remote(kind, in: sandbox) else { return skip("no server for \(kind)") }
    let head = """
      [syncd]
      state = "state"
      interval = "1h"
      [store]
      backend = "org-files"
      path = "org"

      """
    try sandbox.write(head + remote.settings, to: "s.toml")
    let service = try sandbox.command([]).start()
    defer {
      service.kill(SIGTERM)
      _ = try? service.wait()
    }
    try sandbox.wait("the control socket") { FileManager.default.fileExists(atPath: sandbox.path("state/control")) }
    try sync(20, in: sandbox)
    // On a busy machine, the system starts more threads, which take memory once. A leak grows in every round.
    var (growth, rounds) = (Int.max, 0)
    while growth >= 2 << 20, rounds < 3 {
      let before = try #require(service.memory)
      try sync(40, in: sandbox)
      growth = try #require(service.memory) - before
      rounds += 1
    }
    #expect(growth < 2 << 20, "\(growth >> 10) KiB more in 40 passes, after \(40 * rounds - 20)")
    withExtendedLifetime(remote) {}
  }

  /// Lets the service sync `count` edits, each in a pass.
  private func sync(_ count: Int, in sandbox: Sandbox) throws {
    for _ in 0..<count {
      try sandbox.write("* \(UUID().uuidString)\n", to: "org/a.org")
      let answer = try sandbox.ask([#"{"do": "sync"}"#])
      #expect(answer[0]["ok"] as? Bool == true, "\(answer)")
    }
  }
}

/// A remote with its settings, and the server that must live as long.
private struct Remote {
  enum Kind: CaseIterable {
    case folder, encrypted, git, rsync, sftp, webdav, s3, box, dropbox, github
  }

  let settings: String
  private var server: AnyObject?

  /// Nil if this kind of server is not installed.
  init?(_ kind: Kind, in sandbox: Sandbox) async throws {
    switch kind {
    case .folder: settings = Self.cloud("folder", Self.folder)
    case .encrypted: settings = try Self.encrypted(in: sandbox)
    case .git:
      try sandbox.shell("git init -q --bare -b main hub.git")
      settings = Self.replica("git", "url = \"hub.git\"")
    case .rsync, .sftp:
      let server = try await SSHServer()
      let lines = try Self.ssh(server)
      settings = kind == .sftp ? Self.cloud("sftp", lines) : Self.replica("rsync-ssh", lines)
      self.server = server
    case .webdav:
      let server = try await WebDAVServer()
      let lines = "url = \"\(server.url)\"\nuser = \"\(server.user)\"\npassword = \"\(server.password)\""
      settings = Self.cloud("webdav", lines)
      self.server = server
    case .s3:
      guard let server = await S3Server.shared(.moto) else { return nil }
      settings = Self.cloud("s3", Self.bucket(of: server))
    case .box:
      let server = try await Self.emulator("box-emulator", "--port", "0")
      let app = "auth = \"app\"\nsubject = \"user:1\"\nclient-id = \"test-client\"\nclient-secret = \"test-secret\""
      settings = Self.cloud("box", "\(app)\napi-url = \"\(Self.address(of: server))\"")
      self.server = server
    case .dropbox:
      let server = try await Self.emulator("dropbox-emulator", "--port", "0")
      let lines = "app-key = \"key\"\nrefresh-token = \"token\"\napi-url = \"\(Self.address(of: server))\""
      settings = Self.cloud("dropbox", lines)
      self.server = server
    case .github:
      try sandbox.shell("git init -q --bare -b main repositories/owner/notes.git")
      let server = try await Self.emulator("github-emulator", "--folder", sandbox.path("repositories"))
      let lines = "repository = \"owner/notes\"\ntoken = \"test-token\"\napi-url = \"\(Self.address(of: server))\""
      settings = Self.cloud("github", lines)
      self.server = server
    }
  }

  private static let folder = "path = \"far\"\ncreate = true"

  private static func replica(_ name: String, _ lines: String) -> String {
    "[remotes.far]\nsync = \"\(name)\"\n[remotes.far.\(name)]\n\(lines)\n"
  }

  private static func cloud(_ name: String, _ lines: String, more: String = "") -> String {
    "[remotes.far]\nsync = \"plain-files\"\ncloud = \"\(name)\"\n\(more)\n[remotes.far.\(name)]\n\(lines)\n"
  }

  private static func encrypted(in sandbox: Sandbox) throws -> String {
    try sandbox.shell("age-keygen -o key 2>/dev/null && age-keygen -y key > key.pub")
    let key = try #require(sandbox.read("key.pub")).trimmingCharacters(in: .newlines)
    let age = "[remotes.far.age]\nrecipients = [\"\(key)\"]\nidentity-file = \"key\"\n"
    return cloud("folder", folder, more: "encryption = \"age\"") + age
  }

  private static func ssh(_ server: SSHServer) throws -> String {
    try FileManager.default.createDirectory(atPath: "\(server.root)/far", withIntermediateDirectories: true)
    return """
      host = "127.0.0.1"
      port = \(server.port)
      user = "\(server.user)"
      path = "\(server.root)/far"
      identity-file = "\(server.identity)"
      known-hosts = "\(server.knownHosts)"
      """
  }

  private static func bucket(of server: S3Server) -> String {
    """
    endpoint = "\(server.endpoint)"
    bucket = "\(server.bucket)"
    prefix = "\(UUID().uuidString)"
    access-key = "\(server.accessKey)"
    secret-key = "\(server.secretKey)"
    """
  }

  private static func emulator(_ name: String, _ words: String...) async throws -> ServerProcess {
    let program = URL(filePath: Sandbox.binary).deletingLastPathComponent().appending(path: name).path
    return try await ServerProcess([program] + words)
  }

  private static func address(of server: ServerProcess) -> String {
    server.lines[0].replacing("URL=", with: "")
  }
}
