import CurlHTTP
import Foundation
import ProgramTesting
import SSHConnection
import SyncKit
import SyncKitTesting
import Testing

@testable import BackendGit

@Suite("Git transports") struct TransportTests {
  private func failure(_ kind: TestServer.Kind, _ change: (inout Git.Settings) -> Void) async throws -> SyncError? {
    guard let server = TestServer.shared(kind) else { return nil }
    let repo = try server.repository()
    let device = try TestDevice("one", on: repo, change)
    try await device.write("* a\n", to: "a.org")
    let failure = try #require(try await device.sync().failure)
    #expect(!failure.message.contains(server.password) && failure.cause?.contains(server.password) != true)
    #expect(try await device.texts() == ["a.org": "* a\n"])
    return failure
  }

  @Test("https requires the right password, a trusted certificate and a repository")
  func https() async throws {
    let password = try await failure(.https) { $0.password = Secret("wrong") }
    #expect(password?.code ?? .unauthorized == .unauthorized)
    let certificate = try await failure(.https) { $0.http.caFile = nil }
    #expect(certificate?.message.contains("ca-file") ?? true)
    let missing = try await failure(.https) { $0.url = GitAddress($0.url.text + "x") ?? $0.url }
    #expect(missing?.code ?? .wrongReplica == .wrongReplica)
  }

  @Test("https uses the credentials of git's helpers")
  func helper() async throws {
    guard let server = TestServer.shared(.https) else { return }
    let repo = try server.repository()
    let home = NSTemporaryDirectory() + "home-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: home) }
    let config =
      "[credential]\n\thelper = \"!f() { echo username=\(server.user); echo 'password=\(server.password)'; }; f\"\n"
    try Data(config.utf8).write(to: URL(filePath: home + "/.gitconfig"))
    var settings = try server.settings(repo.address)
    settings.password = nil
    settings.user = ""
    let context = PluginContext(
      table: "test",
      environment: SettingsEnvironment(folder: "/", variables: plainVariables.merging(["HOME": home]) { $1 }))
    let replica = try await Git(settings, context).open(.inMemory())
    #expect(try await replica.claim().id != nil)
  }

  @Test(
    "a password that the server refuses is forgotten by git's helper, and one that is stored later is used and kept",
    arguments: [false, true])
  func rotated(isReplacedAtOnce: Bool) async throws {
    guard let server = TestServer.shared(.https) else { return }
    let repo = try server.repository()
    let home = NSTemporaryDirectory() + "home-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: home) }
    try Data("[credential]\n\thelper = store --file \(home)/passwords\n".utf8).write(
      to: URL(filePath: home + "/.gitconfig"))
    var stored: String { (try? String(contentsOfFile: home + "/passwords", encoding: .utf8)) ?? "" }
    func store(_ password: String) throws {
      let characters = CharacterSet.alphanumerics
      let encoded = try #require(password.addingPercentEncoding(withAllowedCharacters: characters))
      let host = try #require(URL(string: repo.address).flatMap { url in url.host.map { "\($0):\(url.port ?? 443)" } })
      try Data("https://\(server.user):\(encoded)@\(host)\n".utf8).write(to: URL(filePath: home + "/passwords"))
    }
    try store("stale")
    var settings = try server.settings(repo.address)
    settings.password = nil
    settings.user = ""
    let context = PluginContext(
      table: "test",
      environment: SettingsEnvironment(folder: "/", variables: plainVariables.merging(["HOME": home]) { $1 }))
    let replica = try await Git(settings, context).open(.inMemory())
    let refused = await #expect(throws: SyncError.self) { try await replica.claim() }
    #expect(
      refused?.code == .unauthorized && refused?.message.contains("credential helper") == true,
      "\(refused?.message ?? "")")
    if !isReplacedAtOnce {
      await #expect(throws: SyncError.self) { try await replica.claim() }
      #expect(!stored.contains("stale"), "\(stored)")
      await #expect(throws: SyncError.self) { try await replica.claim() }
    }
    try store(server.password)
    for _ in 0..<2 { #expect(try await replica.claim().id != nil) }
    #expect(!stored.isEmpty && !stored.contains("stale"), "\(stored)")
  }

  @Test(
    "ssh requires a known host key and an accepted user key",
    arguments: [TestServer.Kind.ssh, .library])
  func ssh(kind: TestServer.Kind) async throws {
    let host = try await failure(kind) { $0.ssh.knownHosts = "/dev/null" }
    let words = kind == .library ? "is not known; its key is SHA256:" : "host key"
    #expect(host.map { $0.code == .unauthorized && $0.message.contains(words) } ?? true, "\(host?.message ?? "")")
    let key = NSTemporaryDirectory() + "key-\(UUID().uuidString)"
    try run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key])
    defer { for file in [key, key + ".pub"] { try? FileManager.default.removeItem(atPath: file) } }
    let stranger = try await failure(kind) { $0.ssh.identityFile = SettingPath(stringLiteral: key) }
    #expect(stranger?.code ?? .unauthorized == .unauthorized, "\(stranger?.message ?? "")")
    let missing = try await failure(kind) { $0.url = GitAddress($0.url.text + "x") ?? $0.url }
    #expect(missing?.code ?? .wrongReplica == .wrongReplica, "\(missing?.message ?? "")")
  }

  @Test("`transport = auto` uses libssh2, and the ssh program only for what libssh2 cannot do, with the reason")
  func automatic() async throws {
    guard let server = TestServer.shared(.ssh) else { return }
    let key = NSTemporaryDirectory() + "key-\(UUID().uuidString)"
    try run(["ssh-keygen", "-q", "-t", "rsa", "-b", "2048", "-N", "", "-f", key])
    defer { for file in [key, key + ".pub"] { try? FileManager.default.removeItem(atPath: file) } }
    for (identity, words) in [(server.run + "/identity", "with libssh2"), (key, "RSA key")] {
      let device = try TestDevice("one", on: try server.repository()) {
        $0.ssh.transport = .auto
        $0.ssh.sshCommand = ["ssh"]
        $0.ssh.identityFile = SettingPath(stringLiteral: identity)
      }
      let way = try await device.replica().mirror.route
      #expect(way.contains(words), "\(way)")
    }
  }

  @Test("the ssh program sends keep-alives to a silent host, as in rsync over ssh")
  func keepAlive() async throws {
    let repo = try TestServer.shared(.file).orThrow("no folder").repository()
    let record = NSTemporaryDirectory() + "arguments-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: record) }
    let device = try TestDevice("one", on: repo) { settings in
      settings.url = GitAddress("ssh://nowhere/repository.git") ?? settings.url
      settings.ssh.sshCommand = ["sh", "-c", "printf '%s\\n' \"$@\" >'\(record)'; exit 255", "ssh"]
    }
    _ = try await device.sync()
    let arguments = try String(contentsOfFile: record, encoding: .utf8).split(separator: "\n")
    #expect(arguments.contains("-oServerAliveInterval=30"), "\(arguments)")
  }

  @Test("a silent server times out, and cancelling the pass ends the wait at once")
  func silence() async throws {
    let repo = try TestServer.shared(.file).orThrow("no folder").repository()
    let device = try TestDevice("one", on: repo) { settings in
      settings.url = GitAddress("ssh://nowhere/repository.git") ?? settings.url
      settings.ssh.sshCommand = ["sh", "-c", "exec sleep infinity"]
      settings.http.timeout = .seconds(1)
    }
    #expect(try await device.sync().result == .unreachable)
    let patient = try await device.replica { $0.http.timeout = .seconds(600) }
    let task = Task { try await patient.claim() }
    try await Task.sleep(for: .milliseconds(200))
    task.cancel()
    await #expect(throws: SyncError.self) { try await task.value }
  }

  @Test(
    "a server that does not speak git's protocol is an error, not an empty repository",
    arguments: [
      "echo hello", "yes", "printf '0000'", "printf 'ffff'", "true", "false", "printf '003b'; printf 'x%.0s' $(seq 55)",
    ])
  func babble(script: String) async throws {
    let repo = try TestServer.shared(.file).orThrow("no folder").repository()
    let device = try TestDevice("one", on: repo) { settings in
      settings.url = GitAddress("ssh://nowhere/repository.git") ?? settings.url
      settings.ssh.sshCommand = ["sh", "-c", script]
      settings.http.timeout = .seconds(2)
    }
    try await device.write("* a\n", to: "a.org")
    let report = try await device.sync()
    #expect(report.result != .synced)
    #expect(try await device.texts() == ["a.org": "* a\n"])
  }

  @Test(
    "references and answers that never end are refused, before they take much memory",
    arguments: [
      "003e\(String(repeating: "2", count: 40)) refs/heads/other",
      "0038ACK \(String(repeating: "2", count: 40)) common",
    ])
  func endless(packet: String) async throws {
    let repo = try TestServer.shared(.file).orThrow("no folder").repository()
    let device = try TestDevice("one", on: repo) { settings in
      settings.url = GitAddress("ssh://nowhere/repository.git") ?? settings.url
      let list = "0050\(String(repeating: "2", count: 40)) refs/heads/main\\0multi_ack_detailed\\n"
      // The server acknowledges only what it has been asked.
      let rest = packet.contains("ACK") ? "printf 0000; read wish; " : ""
      settings.ssh.sshCommand = ["sh", "-c", "printf '\(list)'; \(rest)exec yes '\(packet)'", "ssh"]
    }
    try await device.write("* a\n", to: "a.org")
    let report = try await device.sync()
    #expect(report.failure?.message.contains("longer than 8 MiB") == true, "\(report)")
    #expect(try await device.texts() == ["a.org": "* a\n"])
  }

  @Test("a declined push reports the server's message and loses nothing")
  func declined() async throws {
    let repo = try TestServer.shared(.file).orThrow("no folder").repository()
    let hook = repo.path + "/hooks/pre-receive"
    try writeProgram("#!/bin/sh\necho 'the archive is closed on Sundays' >&2\nexit 1\n", to: hook)
    let device = try TestDevice("one", on: repo)
    try await device.write("* a\n", to: "a.org")
    let report = try await device.sync()
    #expect(report.result == .failed)
    #expect(report.actions.contains { $0.detail.contains("closed on Sundays") }, "\(report.actions)")
    try run(["rm", hook])
    try await device.expectHealthyRun()
    #expect(try repo.texts() == ["a.org": "* a\n"])
    try repo.expectSound()
  }

  @Test("a push to a checked-out branch is declined")
  func checkedOut() async throws {
    let repo = try TestServer.shared(.file).orThrow("no folder").repository()
    let hand = try repo.clone()
    try hand.write("* a\n", to: "a.org")
    try hand.push()
    let device = try TestDevice("one", on: Repo(server: repo.server, address: hand.folder, path: hand.folder))
    try await device.write("* b\n", to: "b.org")
    let report = try await device.sync()
    #expect(report.actions.contains { $0.detail.contains("checked out") }, "\(report.actions)")
    #expect(try await device.texts() == ["a.org": "* a\n", "b.org": "* b\n"])
    #expect(try hand.git("status", "--porcelain") == "")
  }

  @Test(
    "an address is parsed as git parses it",
    arguments: [
      ("/srv/git/org.git", GitLocation.path("/srv/git/org.git")),
      ("file:///srv/my%20org.git", .path("/srv/my org.git")),
      ("ssh://ann@host:2222/srv/org.git", .ssh(SSHHost("host", user: "ann", port: 2222)!, path: "/srv/org.git")),
      ("ssh://host/~ann/org.git", .ssh(SSHHost("host")!, path: "~ann/org.git")),
      ("git@host:ann/org.git", .ssh(SSHHost("host", user: "git")!, path: "ann/org.git")),
      ("ssh://[::1]:22/a", .ssh(SSHHost("::1", port: 22)!, path: "/a")),
      ("https://host/ann/org.git/", .http("https://host/ann/org.git")),
    ])
  func address(text: String, location: GitLocation) { #expect(GitLocation(text) == location) }

  @Test(
    "an address that could be an option, a program or a secret is refused",
    arguments: [
      "", "org", "ssh://-oProxyCommand=x/a", "-oProxyCommand=x:a", "host:-a", "ssh://host", "ssh://host:99999/a",
      "ssh://-user@host/a", "https://ann:secret@host/a", "git://host/a", "ext::sh -c x", "file://host/a",
      "ftp://host/a",
    ])
  func noAddress(text: String) { #expect(GitLocation(text) == nil) }

  @Test(
    "the path is quoted for the remote shell",
    arguments: [
      ("/a b", "'/a b'"), ("/it's!", "'/it'\\''s'\\!''"), ("~/a b", "~'/a b'"), ("~ann/a", "~ann'/a'"),
      ("~$(x)/a", "'~$(x)/a'"),
    ])
  func quoting(path: String, word: String) { #expect(Service.quoted(path) == word) }
}
