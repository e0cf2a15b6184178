import Foundation
import ProgramTesting
import ServerTesting
import Testing

/// The real program with a folder served by rsync as a cloud storage, over a real sshd.
@Suite("An rsync folder as encrypted cloud storage") struct EncryptedRsyncTests {
  private static let canary = "kanarienvogel"

  /// A device with the age key of `key`, or its own, whose remote is `folder` on the server.
  private func device(_ server: SSHServer, _ folder: String, key: Sandbox? = nil) throws -> Sandbox {
    let box = try Sandbox(remotes: [])
    if let key {
      for name in ["key", "key.pub"] { try box.write(try #require(key.read(name)), to: name) }
      try box.shell("chmod 600 key")
    } else {
      try box.shell("age-keygen -o key 2>/dev/null && age-keygen -y key > key.pub")
    }
    let settings = """
      [syncd]
      state = "state"
      [store]
      backend = "org-files"
      path = "org"
      [remotes.server]
      sync = "plain-files"
      cloud = "rsync-ssh"
      encryption = "age"
      [remotes.server.rsync-ssh]
      host = "127.0.0.1"
      port = \(server.port)
      user = "\(server.user)"
      path = "\(server.root)/\(folder)"
      identity-file = "\(server.identity)"
      known-hosts = "\(server.knownHosts)"
      [remotes.server.age]
      recipients = ["\(try #require(box.read("key.pub")).trimmingCharacters(in: .newlines))"]
      identity-file = "key"
      """
    try box.write(settings, to: "s.toml")
    return box
  }

  @Test("the folder has no plaintext, and two devices sync through it")
  func twoDevices() async throws {
    guard try Command(["sh", "-c", "command -v age-keygen"]).run().status == 0 else {
      return skip("age is not installed")
    }
    let server: SSHServer
    do { server = try await SSHServer() } catch { return skip("sshd is unavailable: \(error)") }
    let first = try device(server, "sealed")
    let second = try device(server, "sealed", key: first)
    try first.write(["org/a.org": "* \(Self.canary)\n", "org/sub/b.org": "* Two\n"])
    #expect(try first.once().result == "synced")
    #expect(try second.once().result == "synced")
    #expect(second.store == first.store)
    try second.write("* \(Self.canary) edited\n", to: "org/a.org")
    try second.remove("org/sub/b.org")
    #expect(try second.once().result == "synced")
    #expect(try first.once().result == "synced")
    #expect(first.read("org/a.org") == "* \(Self.canary) edited\n")
    #expect(first.store.files == second.store.files)
    let found = try Command(["grep", "-rlaF", Self.canary, server.root]).run()
    #expect(found.text.isEmpty, "\(found.story)")
    let opened = try Command(["age", "-d", "-i", first.path("key"), "\(server.root)/sealed/a.org"]).run()
    #expect(opened.text == "* \(Self.canary) edited\n", "\(opened.story)")
    let doctor = try first.syncd("doctor", "server")
    #expect(doctor.status == 0 && doctor.text.contains("with libssh2"), "\(doctor.story)")
  }
}
