import Foundation
import ProgramTesting
import ServerTesting
import Testing

/// The memory of the service over many passes, with a remote of each kind.
@Suite("The memory of a service") struct ServiceMemoryTests {
  private static let kinds = [
    "folder", "encrypted", "git", "rsync", "sftp", "webdav", "s3", "dropbox", "github",
  ]

  @Test("a service does not grow with the number of passes", arguments: kinds)
  func constant(kind: String) async throws {
    let sandbox = try Sandbox(remotes: [], inMemory: true)
    guard let (settings, server) = try await remote(kind, in: sandbox) else { return skip("no server for \(kind)") }
    let head = """
      [syncd]
      state = "state"
      interval = "1h"
      [store]
      backend = "org-files"
      path = "org"

      """
    try sandbox.write(head + settings, to: "s.toml")
    let service = try sandbox.command([]).start()
    defer {
      service.kill(SIGTERM)
      _ = try? service.wait()
    }
    try sandbox.wait("the control socket") { FileManager.default.fileExists(atPath: sandbox.path("state/control")) }
    try sync(20, in: sandbox)
    let before = try #require(service.memory)
    try sync(40, in: sandbox)
    let growth = try #require(service.memory) - before
    #expect(growth < 2 << 20, "\(before >> 10) KiB after 20 passes, and \(growth >> 10) KiB more after 60")
    withExtendedLifetime(server) {}
  }

  /// Lets the service sync `count` edits, each in a pass.
  private func sync(_ count: Int, in sandbox: Sandbox) throws {
    for _ in 0..<count {
      try sandbox.write("* \(UUID().uuidString)\n", to: "org/a.org")
      let answer = try sandbox.ask([#"{"do": "sync"}"#])
      #expect(answer[0]["ok"] as? Bool == true, "\(answer)")
    }
  }

  /// The settings of a remote, and the server that must live as long. Nil if there is no such server here.
  private func remote(_ kind: String, in sandbox: Sandbox) async throws -> (settings: String, server: AnyObject?)? {
    func cloud(_ name: String, _ lines: String, more: String = "") -> String {
      "[remotes.far]\nsync = \"plain-files\"\ncloud = \"\(name)\"\n\(more)\n[remotes.far.\(name)]\n\(lines)\n"
    }
    func emulator(_ name: String, _ words: String...) async throws -> ServerProcess {
      let program = URL(filePath: Sandbox.binary).deletingLastPathComponent().appending(path: name).path
      return try await ServerProcess([program] + words)
    }
    let address = { (server: ServerProcess) in server.lines[0].replacing("URL=", with: "") }
    switch kind {
    case "folder": return (cloud("folder", "path = \"far\"\ncreate = true"), nil)
    case "encrypted":
      try sandbox.shell("age-keygen -o key 2>/dev/null && age-keygen -y key > key.pub")
      let key = try #require(sandbox.read("key.pub")).trimmingCharacters(in: .newlines)
      let age = "[remotes.far.age]\nrecipients = [\"\(key)\"]\nidentity-file = \"key\"\n"
      return (cloud("folder", "path = \"far\"\ncreate = true", more: "encryption = \"age\"") + age, nil)
    case "git":
      try sandbox.shell("git init -q --bare -b main hub.git")
      return ("[remotes.far]\nsync = \"git\"\n[remotes.far.git]\nurl = \"hub.git\"\n", nil)
    case "rsync", "sftp":
      let server = try await SSHServer()
      let lines = """
        host = "127.0.0.1"
        port = \(server.port)
        user = "\(server.user)"
        path = "\(server.root)/far"
        identity-file = "\(server.identity)"
        known-hosts = "\(server.knownHosts)"
        """
      try FileManager.default.createDirectory(atPath: "\(server.root)/far", withIntermediateDirectories: true)
      let settings =
        kind == "sftp"
        ? cloud("sftp", lines) : "[remotes.far]\nsync = \"rsync-ssh\"\n[remotes.far.rsync-ssh]\n\(lines)\n"
      return (settings, server)
    case "webdav":
      let server = try await WebDAVServer()
      let lines = "url = \"\(server.url)\"\nuser = \"\(server.user)\"\npassword = \"\(server.password)\""
      return (cloud("webdav", lines), server)
    case "s3":
      guard let server = await S3Server.shared(.moto) else { return nil }
      let lines = """
        endpoint = "\(server.endpoint)"
        bucket = "\(server.bucket)"
        prefix = "\(UUID().uuidString)"
        access-key = "\(server.accessKey)"
        secret-key = "\(server.secretKey)"
        """
      return (cloud("s3", lines), nil)
    case "dropbox":
      let server = try await emulator("dropbox-emulator", "--port", "0")
      let lines = "app-key = \"key\"\nrefresh-token = \"token\"\napi-url = \"\(address(server))\""
      return (cloud("dropbox", lines), server)
    default:
      try sandbox.shell("git init -q --bare -b main repositories/owner/notes.git")
      let server = try await emulator("github-emulator", "--folder", sandbox.path("repositories"))
      let lines = "repository = \"owner/notes\"\ntoken = \"test-token\"\napi-url = \"\(address(server))\""
      return (cloud("github", lines), server)
    }
  }
}
