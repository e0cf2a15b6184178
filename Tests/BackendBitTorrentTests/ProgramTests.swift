import Foundation
import MeshStore
import ProgramTesting
import Testing

/// Three devices with the real program and the real helper on loopback.
@Suite("syncd with bittorrent", .serialized, .enabled(if: TorrentProgram.isAvailable))
struct ProgramTests {
  private static let secret = MeshSecret { (0..<$0).map { UInt8($0) } }.text

  /// A device: a folder with settings, a store and a state.
  private struct Device {
    let scratch = ScratchFolder()

    init(_ name: String, port: UInt16 = 0, peer: UInt16? = nil, secret: String = ProgramTests.secret) throws {
      try FileManager.default.createDirectory(atPath: scratch.path + "/org", withIntermediateDirectories: true)
      try write(
        """
        [syncd]
        state = "state"
        device = "\(name)"
        [store]
        backend = "org-files"
        path = "org"
        [remotes.mesh]
        sync = "bittorrent"
        [remotes.mesh.bittorrent]
        secret = { file = "secret" }
        port = \(port)
        listen = ["127.0.0.1"]
        local-discovery = false
        peers = [\(peer.map { "\"127.0.0.1:\($0)\"" } ?? "")]
        wait = "20s"
        program = "\(TorrentProgram.path ?? "")"

        """, to: "s.toml")
      try write(secret + "\n", to: "secret")
    }

    func write(_ text: String, to name: String) throws {
      let path = "\(scratch.path)/\(name)"
      try Data(text.utf8).write(to: URL(filePath: path))
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    func read(_ name: String) -> String? {
      FileManager.default.contents(atPath: "\(scratch.path)/\(name)").map { String(decoding: $0, as: UTF8.self) }
    }

    var names: [String] {
      ((try? FileManager.default.contentsOfDirectory(atPath: scratch.path + "/org")) ?? []).filter {
        !$0.hasPrefix(".")
      }.sorted()
    }

    func command(_ words: String...) -> Command {
      var command = Command([Command.built("syncd"), "--settings", scratch.path + "/s.toml"] + words)
      command.environment["HOME"] = scratch.path
      return command
    }

    func once() async throws -> Outcome { try await command("--once").finish() }
  }

  @Test("changes reach devices that never meet, through one that both meet, and the folders show nothing")
  func three() async throws {
    let port = UInt16(try freePort())
    let (desk, laptop, phone) = (
      try Device("desk", port: port), try Device("laptop", peer: port), try Device("phone", peer: port)
    )
    try desk.write("* canary of the desk\n", to: "org/desk.org")
    for number in 0..<100 { try laptop.write("* canary \(number)\n", to: "org/\(number).org") }
    let service = try desk.command().start()
    defer {
      service.kill(SIGTERM)
      _ = try? service.wait()
      withExtendedLifetime((desk, laptop, phone)) {}
    }
    #expect(try await eventually { try await laptop.once().status == 0 && laptop.names.count == 101 })
    #expect(try await eventually { try await phone.once().status == 0 && phone.names == laptop.names })
    #expect(phone.read("org/7.org") == "* canary 7\n" && phone.read("org/desk.org") == "* canary of the desk\n")
    #expect(try await eventually { desk.names == laptop.names })

    try phone.write("* edited on the phone\n", to: "org/7.org")
    try FileManager.default.removeItem(atPath: phone.scratch.path + "/org/8.org")
    #expect(try await phone.once().status == 0)
    #expect(
      try await eventually {
        try await laptop.once().status == 0 && laptop.read("org/7.org") == "* edited on the phone\n"
          && laptop.read("org/8.org") == nil
      })
    for device in [desk, laptop, phone] {
      for (name, bytes) in device.scratch.files where name.hasPrefix("state/data") {
        #expect(bytes.firstRange(of: Data("canary".utf8)) == nil, "\(name)")
        #expect(!name.contains(".org"))
      }
    }
    // On a busy machine, a link may take longer than the command waits for it.
    #expect(
      try await eventually { try await laptop.command("doctor", "mesh").finish().text.contains("linked with desk") })
  }

  @Test("without another device a run syncs with its own folder, and a run without the helper says what is missing")
  func alone() async throws {
    let device = try Device("laptop")
    try device.write("* one\n", to: "org/a.org")
    let settings = try #require(device.read("s.toml"))
    try device.write(settings.replacingOccurrences(of: "wait = \"20s\"", with: "wait = \"1s\""), to: "s.toml")
    let run = try await device.once()
    #expect(run.status == 0, "\(run.story)")
    try device.write(
      settings.replacingOccurrences(of: TorrentProgram.path ?? "-", with: "/nonexistent/syncd-torrent"), to: "s.toml")
    let missing = try await device.once()
    #expect(missing.status != 0 && missing.story.contains("/nonexistent/syncd-torrent"), "\(missing.story)")
    #expect(device.read("org/a.org") == "* one\n")
  }

  @Test("a new secret begins a mesh of its own, and the former secret finds its own again")
  func newSecret() async throws {
    let device = try Device("laptop")
    let settings = try #require(device.read("s.toml"))
    try device.write(settings.replacingOccurrences(of: "wait = \"20s\"", with: "wait = \"1s\""), to: "s.toml")
    try device.write("* one\n", to: "org/a.org")
    #expect(try await device.once().status == 0)
    let other = MeshSecret { Array(repeating: 3, count: $0) }.text
    for secret in [other, Self.secret, other] {
      try device.write(secret + "\n", to: "secret")
      let run = try await device.once()
      #expect(run.status == 0 && device.names == ["a.org"], "\(run.story)")
    }
    let doctor = try await device.command("doctor", "mesh").finish()
    #expect(doctor.text.contains("belongs to a former secret"), "\(doctor.story)")
    // Removing a file works with the new secret as with the former one.
    try FileManager.default.removeItem(atPath: device.scratch.path + "/org/a.org")
    try device.write("* two\n", to: "org/b.org")
    #expect(try await device.once().status == 0 && device.names == ["b.org"])
  }

  @Test("a secret with a typing mistake is refused")
  func mistyped() async throws {
    let device = try Device("laptop", secret: String(Self.secret.dropLast()) + "x")
    let run = try await device.once()
    #expect(run.status == 11 && run.story.contains("typing mistake"), "\(run.story)")
  }
}
