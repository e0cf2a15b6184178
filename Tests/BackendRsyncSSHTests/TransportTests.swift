import Foundation
import ProgramTesting
import SSHConnection
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import BackendRsyncSSH

@Suite("The ssh connection") struct TransportTests {
  private func error(of folder: Folder, _ change: (inout RsyncSSH.Settings) -> Void) async throws -> SyncError {
    try folder.make()
    let storage = try await folder.storage(MemoryArchive(), change)
    do throws(SyncError) { _ = try await storage.list(since: Known()) } catch { return error }
    throw SyncError(.unexpected, "it was listed")
  }

  private func file(_ text: String) throws -> SettingPath {
    let path = NSTemporaryDirectory() + "file-\(UUID().uuidString)"
    try Data(text.utf8).write(to: URL(filePath: path))
    return SettingPath(stringLiteral: path)
  }

  @Test(
    "an unknown host is refused, and the error names its key", arguments: [Folder.Transport.ssh, .library])
  func unknownHost(way: Folder.Transport) async throws {
    guard await Folder.isAvailable(way) else { return }
    let empty = try file("")
    let error = try await error(of: try await Folder(way)) { $0.ssh.knownHosts = empty }
    #expect(
      error.code == .unauthorized && error.message.contains("is not known") || error.message.contains("host key"))
    if way == .library { #expect(error.message.contains("SHA256:"), "\(error)") }
  }

  @Test("a host with another key is refused", arguments: [Folder.Transport.ssh, .library])
  func changedHost(way: Folder.Transport) async throws {
    guard await Folder.isAvailable(way) else { return }
    let folder = try await Folder(way)
    let server = try #require(folder.server)
    let other = NSTemporaryDirectory() + "key-\(UUID().uuidString)"
    try run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", other)
    let key = try String(contentsOfFile: other + ".pub", encoding: .utf8).split(separator: " ")
    let wrong = try file("[127.0.0.1]:\(server.port) \(key[0]) \(key[1])\n")
    let error = try await error(of: folder) { $0.ssh.knownHosts = wrong }
    #expect(error.code == .unauthorized && error.message.contains("key"), "\(error)")
  }

  @Test(
    "a server that offers only old methods is refused by libssh2, before the login",
    arguments: ["KexAlgorithms diffie-hellman-group14-sha1", "Ciphers aes128-cbc", "MACs hmac-sha1"])
  func oldMethods(option: String) async throws {
    guard await Folder.isAvailable(.library) else { return }
    let old = try await SSHServer(option: option)
    let error = try await error(of: try await Folder(.library)) {
      $0.port = old.port
      $0.ssh.identityFile = SettingPath(stringLiteral: old.identity)
      $0.ssh.knownHosts = SettingPath(stringLiteral: old.knownHosts)
    }
    #expect(error.code == .unavailable && error.message.contains("the key exchange with"), "\(error)")
  }

  @Test("the login requires an accepted key", arguments: [Folder.Transport.ssh, .library])
  func wrongKey(way: Folder.Transport) async throws {
    guard await Folder.isAvailable(way) else { return }
    let key = NSTemporaryDirectory() + "key-\(UUID().uuidString)"
    try run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key)
    let error = try await error(of: try await Folder(way)) { $0.ssh.identityFile = SettingPath(stringLiteral: key) }
    #expect(error.code == .unauthorized, "\(error)")
  }

  @Test("a passphrase decrypts a key of each kind that libssh2 supports", arguments: ["ed25519", "ecdsa"])
  func passphrase(kind: String) async throws {
    guard await Folder.isAvailable(.library) else { return }
    let folder = try await Folder(.library)
    try folder.make()
    let server = try #require(folder.server)
    let key = NSTemporaryDirectory() + "key-\(UUID().uuidString)"
    try run("ssh-keygen", "-q", "-t", kind, "-N", "a secret", "-f", key)
    try server.letIn(key + ".pub")
    let storage = try await folder.storage {
      $0.ssh.identityFile = SettingPath(stringLiteral: key)
      $0.ssh.passphrase = Secret("a secret")
    }
    #expect(try await storage.list(since: Known()).count == 0)
    let wrong = try await error(of: folder) {
      $0.ssh.identityFile = SettingPath(stringLiteral: key)
      $0.ssh.passphrase = Secret("canary secret")
    }
    #expect(wrong.code == .unauthorized && !wrong.message.contains("canary"), "\(wrong)")
  }

  @Test("`transport = auto` uses the ssh program only for what libssh2 cannot do, and says why")
  func automatic() async throws {
    guard await Folder.isAvailable(.ssh) else { return }
    let folder = try await Folder(.ssh)
    try folder.make()
    let server = try #require(folder.server)
    let key = NSTemporaryDirectory() + "key-\(UUID().uuidString)"
    try run("ssh-keygen", "-q", "-t", "rsa", "-b", "2048", "-N", "", "-f", key)
    try server.letIn(key + ".pub")
    for (identity, message) in [(server.identity, "with libssh2"), (key, "RSA key")] {
      let storage = try await folder.storage {
        $0.ssh.transport = .auto
        $0.ssh.sshCommand = ["ssh"]
        $0.ssh.identityFile = SettingPath(stringLiteral: identity)
      }
      let findings = try await storage.diagnose()
      #expect(findings.first?.text.contains(message) == true, "\(findings)")
    }
  }

  @Test("a connection that is lost between two commands is restored")
  func reconnect() async throws {
    guard await Folder.isAvailable(.library) else { return }
    let server: SSHServer
    do { server = try await SSHServer() } catch { return skip("sshd is unavailable: \(error)") }
    let folder = try await Folder(.library)
    let change = { (settings: inout RsyncSSH.Settings) in
      settings.path = server.root
      settings.port = server.port
      settings.ssh.identityFile = SettingPath(stringLiteral: server.identity)
      settings.ssh.knownHosts = SettingPath(stringLiteral: server.knownHosts)
    }
    let storage = try await folder.storage(MemoryArchive(), change)
    #expect(try await storage.list(since: Known()).count == 0)
    try await server.hangUp()
    #expect(try await storage.list(since: Known()).count == 0)
    // The connection outlives the server that it was made with.
    try await server.hangUp()
    try await server.stop()
    await #expect(throws: SyncError.self) { try await storage.list(since: Known()) }
  }

  /// Each message of a client after the key exchange is in turn the last that is answered. Their assignment to chunks depends
  /// on timing.
  @Test("a server that hangs during the login is abandoned after the timeout", arguments: 4..<9)
  func frozen(chunk: Int) async throws {
    guard await Folder.isAvailable(.library) else { return }
    let folder = try await Folder(.library)
    try folder.make()
    let server = try #require(folder.server)
    let proxy = try await FaultyProxy(to: "ssh://127.0.0.1:\(server.port)")
    try proxy.follow([["match": "(?s).", "nth": chunk, "blackhole_after": 0, "times": 1]])
    let keys = try String(contentsOfFile: server.knownHosts, encoding: .utf8)
    let known = try file(keys.replacing(":\(server.port) ", with: ":\(proxy.port) "))
    let storage = try await folder.storage {
      $0.port = proxy.port
      $0.ssh.knownHosts = known
      $0.timeout = .seconds(1)
    }
    let listing = Task { () -> SyncError.Code? in
      do throws(SyncError) { _ = try await storage.list(since: Known()) } catch { return error.code }
      return nil
    }
    // A wait without a limit is cancelled, which differs from a timeout.
    let patience = Task {
      try await Task.sleep(for: .seconds(300))
      listing.cancel()
    }
    defer { patience.cancel() }
    #expect(await listing.value == .unavailable)
  }

  private func run(_ message: String...) throws { try Command(message).succeed() }
}
