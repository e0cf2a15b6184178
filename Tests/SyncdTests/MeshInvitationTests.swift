import Foundation
import ProgramTesting
import Testing

/// `syncd invite` and `syncd join` with `sync = "bittorrent"`, on loopback: all that the second device has is the printed text.
@Suite("Inviting a device to a mesh", .serialized, .enabled(if: TorrentProgram.isAvailable))
struct MeshInvitationTests {
  private static let passphrase = "a long passphrase"

  /// A device with a new mesh, whose service runs.
  private final class Desk {
    let sandbox: Sandbox
    let port: String
    let secret: String
    private let service: Running

    init() throws {
      sandbox = try Sandbox(remotes: [])
      port = "\(try freePort())"
      try sandbox.write("* Water the beans\n", to: "org/garden.org")
      try sandbox.write(
        """
        [syncd]
        state = "state"
        device = "desk"
        [store]
        path = "org"
        [remotes.mesh]
        sync = "bittorrent"
        [remotes.mesh.bittorrent]
        secret = { file = "mesh-secret" }
        port = \(port)
        listen = ["127.0.0.1"]
        local-discovery = false
        # All devices have one list, so it has this device, too.
        peers = ["127.0.0.1:\(port)"]
        wait = "1s"
        program = "\(TorrentProgram.path ?? "")"

        """, to: "s.toml")
      let login = ["sh", "-c", "echo new | \"$0\" \"$@\"", Sandbox.binary, "--settings", sandbox.path("s.toml")]
      try Command(login + ["login", "mesh"]).succeed()
      secret = try #require(sandbox.read("mesh-secret")).trimmingCharacters(in: .newlines)
      service = try sandbox.command([]).start()
      // Another device that comes earlier meets a mesh without files.
      try sandbox.wait("the first pass of the desk") {
        (try? sandbox.syncd("log").text.contains("garden.org")) == true
      }
    }

    deinit {
      service.kill(SIGTERM)
      _ = try? service.wait()
    }
  }

  /// A device without settings, on which the helper is installed.
  private struct Laptop {
    let sandbox: Sandbox
    private let variables: [String: String]

    init() throws {
      sandbox = try Sandbox(remotes: [])
      try sandbox.remove("s.toml")
      let folder = (TorrentProgram.path ?? "").split(separator: "/").dropLast().joined(separator: "/")
      variables = ["HOME": sandbox.root, "PATH": "/\(folder):\(Command.environment["PATH"] ?? "")"]
    }

    func join(_ invitation: String, typed: [String: [String]]) throws -> TerminalDialog {
      try sandbox.dialog(["join", invitation], typed: typed, variables: variables)
    }

    /// Runs passes until `isSo`. Each waits some seconds for the desk, which on a busy machine may need longer.
    func sync(_ what: String, until isSo: () -> Bool) throws {
      for _ in 0..<30 {
        let outcome = try sandbox.command(["--once"], environment: variables).run()
        guard outcome.status == 0 else { throw TestFailure(outcome.story) }
        // The service of the desk may still be in its pass.
        for _ in 0..<500 {
          if isSo() { return }
          usleep(10_000)
        }
      }
      throw TestFailure("timed out: \(what)")
    }

    /// Runs passes until the file of the desk is here.
    func receive() throws {
      try sync("the file of the desk") { sandbox.read("org/garden.org") == "* Water the beans\n" }
    }
  }

  @Test("a device that has nothing but the invitation gets the files, and with a wrong passphrase nothing")
  func passphrase() throws {
    let (desk, laptop) = (try Desk(), try Laptop())
    let printed = try desk.sandbox.dialog(
      ["invite", "--with-secrets"], typed: ["passphrase": [Self.passphrase], "repetition": [Self.passphrase]])
    let invitation = try InvitationText.invitation(in: printed.shown)
    let content = try InvitationText.content(of: invitation)
    #expect(content.contains("127.0.0.1:\(desk.port)") && content.contains("local-discovery"), "\(content)")
    #expect(!content.contains(desk.secret) && !printed.shown.contains(desk.secret), "\(content)")
    #expect(!content.contains("syncd-torrent") && !content.contains("mesh-secret"), "\(content)")

    let refused = try laptop.join(invitation, typed: ["passphrase": ["not this one", "\u{04}"]])
    #expect(refused.outcome.status == 2 && refused.shown.contains("The passphrase is wrong"), "\(refused.shown)")
    #expect(laptop.sandbox.read("s.toml") == nil)
    #expect(!FileManager.default.fileExists(atPath: laptop.sandbox.path(".local")))

    let joined = try laptop.join(invitation, typed: ["passphrase": [Self.passphrase], "join": ["yes"]])
    #expect(joined.outcome.status == 0 && joined.shown.contains("linked with desk"), "\(joined.shown)")
    #expect(!joined.shown.contains(desk.secret) && laptop.sandbox.read("s.toml")?.contains(desk.secret) == false)
    try laptop.receive()

    // The way back needs nothing else.
    try laptop.sandbox.write("* Harvest\n", to: "org/autumn.org")
    try laptop.sync("the file of the laptop") { desk.sandbox.read("org/autumn.org") == "* Harvest\n" }
  }

  @Test("an invitation without secrets asks for the secret, and notices a typing mistake before anything is written")
  func typed() throws {
    let (desk, laptop) = (try Desk(), try Laptop())
    let invitation = try InvitationText.invitation(in: desk.sandbox.command(["invite"]).succeed().text)
    #expect(!(try InvitationText.content(of: invitation)).contains(desk.secret))
    let mistyped = String(desk.secret.dropLast()) + (desk.secret.hasSuffix("a") ? "b" : "a")
    let joined = try laptop.join(
      invitation, typed: ["join": ["yes"], "secret": [mistyped, desk.secret], "next": ["correct"]])
    #expect(joined.outcome.status == 0 && joined.shown.contains("typing mistake"), "\(joined.shown)")
    #expect(joined.shown.contains("linked with desk") && !joined.shown.contains(desk.secret), "\(joined.shown)")
    try laptop.receive()
    withExtendedLifetime(desk) {}
  }
}
