import Foundation
import ProgramTesting
import ServerTesting
import Testing

/// `syncd invite` and `syncd join`, with two devices.
@Suite("Inviting another device") struct InvitationTests {
  /// The output of `invite --json`.
  private struct Printed: Decodable {
    var invitation: String
    var remotes: [String]
    var secrets: [String]
  }

  private func invitation(_ device: Sandbox, _ words: String...) throws -> Printed {
    try device.command(["invite", "--json"] + words).succeed().json(Printed.self)
  }

  private func content(of invitation: String) throws -> String { try InvitationText.content(of: invitation) }

  /// An invitation with this content.
  private func invitation(of content: String) throws -> String {
    let script = """
      import base64, hashlib, sys
      content = sys.argv[1].encode()
      text = base64.urlsafe_b64encode(content + hashlib.sha256(content).digest()[:4]).decode()
      print("syncd:join/1/" + text.rstrip("="), end="")
      """
    return try Command(["python3", "-c", script, content]).succeed().text
  }

  private func newDevice() throws -> Sandbox {
    let sandbox = try Sandbox(remotes: [])
    try sandbox.remove("s.toml")
    return sandbox
  }

  @Test("a second device joins in a terminal, types the password, and syncs") func secondDevice() async throws {
    let server = try await WebDAVServer()
    let first = try Sandbox(remotes: [])
    try first.write("* A\n", to: "org/a.org")
    try first.write(server.password + "\n", to: "secret")
    try first.write(
      """
      [syncd]
      state = "state"
      [store]
      path = "org"
      [remotes.dav]
      cloud = "webdav"
      exclude = ["*.pdf"]
      [remotes.dav.webdav]
      url = "\(server.url)"
      user = "\(server.user)"
      password = { file = "secret" }
      connections = 4
      """, to: "s.toml")
    try Command(["chmod", "600", first.path("secret")]).succeed()
    try first.once()
    let printed = try invitation(first)
    #expect(printed.remotes == ["dav"] && printed.secrets == ["`password` of dav"])
    #expect(!printed.invitation.contains { $0.isWhitespace || "'\"$&?*()".contains($0) })
    let content = try content(of: printed.invitation)
    #expect(!content.contains("secret") && !content.contains(server.password), "\(content)")
    let second = try newDevice()
    let dialog = try second.dialog(
      ["join", printed.invitation],
      typed: ["join": ["yes"], "password": ["wrong", server.password], "next": ["correct"]])
    #expect(dialog.outcome.status == 0 && dialog.shown.contains("refused the login"), "\(dialog.shown)")
    #expect(dialog.shown.contains("copy a.org (to the store)"), "\(dialog.shown)")
    let text = try #require(second.read("s.toml"))
    for line in ["connections = 4", "exclude = [\"*.pdf\"]", "user = \"\(server.user)\"", "url = \"\(server.url)\""] {
      #expect(text.contains("\n\(line)\n"), "\(line)\n\(text)")
    }
    try second.command(["--once"], environment: ["HOME": second.root]).succeed()
    #expect(second.read("org/a.org") == "* A\n")
  }

  @Test("an invitation pins the key of an encrypted remote") func encrypted() throws {
    let first = try newDevice()
    let mirror = first.path("mirror")
    try first.write("correct horse\n", to: "passphrase")
    try Command(["chmod", "600", first.path("passphrase")]).succeed()
    func settings(_ name: String, passphrase: String = "passphrase") -> [String] {
      [
        "--store", first.path("org-\(name)"), "--folder", mirror, "--encryption", "age", "--set",
        "passphrase=file:\(first.path(passphrase))",
      ]
    }
    func command(_ device: Sandbox, _ words: [String]) -> Command {
      device.command(words, environment: ["XDG_STATE_HOME": device.path("states")])
    }
    try first.write("* A\n", to: "org-1/a.org")
    try command(first, ["init"] + settings("1")).succeed()
    #expect(
      !(try content(of: command(first, ["invite"]).succeed().text.trimmingCharacters(in: .newlines)).contains("\"f\"")))
    try command(first, ["--once"]).succeed()
    let invitation = try command(first, ["invite"]).succeed().text.trimmingCharacters(in: .newlines)
    let second = try newDevice()
    let join = [
      "join", invitation, "--store", second.path("org"), "--set", "passphrase=file:\(first.path("passphrase"))",
    ]
    try command(second, join).succeed()
    let status = try command(second, ["status"]).run().text
    let fingerprint = try #require(try command(first, ["status"]).run().text.firstMatch(of: /fingerprint (\S+)/)).1
    #expect(status.contains(fingerprint), "\(status)")
    try command(second, ["--once"]).succeed()
    #expect(second.read("org/a.org") == "* A\n")
    // An attacker replaces the remote, and its key with it.
    let attacker = try newDevice()
    try FileManager.default.removeItem(atPath: mirror)
    try command(attacker, ["init"] + settings("2")).succeed()
    try FileManager.default.createDirectory(atPath: first.path("org-2"), withIntermediateDirectories: true)
    try first.write("* Forged\n", to: "org-2/b.org")
    try command(attacker, ["--once"]).succeed()
    let third = try newDevice()
    let refused = try command(
      third, ["join", invitation, "--store", third.path("org"), "--set", "passphrase=file:\(first.path("passphrase"))"]
    ).run()
    #expect(refused.status == 6 && refused.err.contains("fingerprint"), "\(refused.story)")
    #expect(third.read("s.toml") == nil)
  }

  @Test("an invitation with several remotes is added to existing settings, which keep their comments") func adding()
    throws
  {
    let first = try Sandbox(remotes: ["usb", "nas"])
    try first.write("* A\n", to: "org/a.org")
    try first.once()
    let second = try Sandbox(remotes: ["home"])
    let former = try #require(second.read("s.toml")) + "# the end"
    try second.write(former, to: "s.toml")
    try second.command(["join", try invitation(first).invitation]).succeed()
    let text = try #require(second.read("s.toml"))
    #expect(text.hasPrefix(former + "\n"), "\(text)")
    try second.once()
    #expect(second.read("org/a.org") == "* A\n" && second.read("home/a.org") == "* A\n")
    // A name that is in use is refused, and one remote can be chosen.
    let again = try second.command(["join", try invitation(first, "nas").invitation]).run()
    #expect(again.status == 8 && again.err.contains("nas"), "\(again.story)")
    #expect(second.read("s.toml") == text)
    #expect(try invitation(first, "nas").remotes == ["nas"])
  }

  @Test("with a passphrase, an invitation carries the secrets") func secrets() async throws {
    let server = try await WebDAVServer()
    let first = try Sandbox(remotes: [])
    let settings = """
      [store]
      path = "org"
      [remotes.dav]
      cloud = "webdav"
      [remotes.dav.webdav]
      url = "\(server.url)"
      user = "\(server.user)"
      password = "\(server.password)"
      """
    try first.write(settings, to: "s.toml")
    #expect(try first.syncd("invite", "--with-secrets").status == 2)
    let passphrase = "a long passphrase"
    let printed = try first.dialog(
      ["invite", "--with-secrets"],
      typed: ["passphrase": ["short", passphrase, passphrase], "repetition": ["different word", passphrase]])
    let shown = printed.shown
    #expect(printed.outcome.status == 0 && !shown.contains("passphrase\r\n  long"), "\(shown)")
    let uri = try InvitationText.invitation(in: shown)
    #expect(!(try content(of: uri)).contains(server.password))
    let second = try newDevice()
    #expect(try second.syncd("join", uri, "--store", second.path("org")).status == 2)
    let declined = try second.dialog(["join", uri], typed: ["passphrase": [passphrase]])
    #expect(declined.outcome.status != 0 && declined.shown.contains("nothing was written"), "\(declined.shown)")
    #expect(second.read("s.toml") == nil)
    let joined = try second.dialog(["join", uri], typed: ["passphrase": ["wrong", passphrase], "join": ["yes"]])
    #expect(joined.outcome.status == 0 && joined.shown.contains("The passphrase is wrong"), "\(joined.shown)")
    #expect(!joined.shown.contains(server.password) && second.read("s.toml")?.contains(server.password) == false)
    #expect(second.read("secrets/dav-webdav-password") == server.password + "\n")
    try second.command(["--once"], environment: ["HOME": second.root]).succeed()
  }

  @Test("no invitation contains programs, keys and files of the device") func omitted() throws {
    let sandbox = try Sandbox(remotes: [])
    try sandbox.write(
      """
      [store]
      path = "org"
      [remotes.far]
      sync = "rsync-ssh"
      [remotes.far.rsync-ssh]
      host = "nas"
      path = "org"
      identity-file = "~/.ssh/secret-identity"
      ssh-command = ["secret-program"]
      transport = "ssh-command"
      """, to: "s.toml")
    let content = try content(of: try invitation(sandbox).invitation)
    #expect(content.contains("nas") && !content.contains("secret-"), "\(content)")
  }

  @Test(
    "an invitation that could run a program or read a file is refused, and one that is not complete",
    arguments: [
      #"{"n":"x","s":"rsync-ssh","t":{"rsync-ssh":{"host":"h","path":"p","ssh-command":["sh"]}}}"#,
      #"{"n":"x","s":"rsync-ssh","t":{"rsync-ssh":{"host":"h","path":"p","identity-file":"/etc/shadow"}}}"#,
      #"{"n":"x","s":"rsync-ssh","t":{"rsync-ssh":{"host":"h","path":"p","rsync-path":"sh -c id; rsync"}}}"#,
      #"{"n":"x","s":"rsync-ssh","t":{"rsync-ssh":{"host":"${TOKEN}.example.org","path":"p"}}}"#,
      #"{"n":"x","s":"plain-files","c":"webdav","t":{"webdav":{"url":"https://example.org/${TOKEN}"}}}"#,
      #"{"n":"x","s":"plain-files","c":"webdav","t":{"webdav":{"url":"https://example.org/","netrc":true}}}"#,
      #"{"n":"x","s":"plain-files","c":"webdav","t":{"webdav":{"url":"https://example.org/","proxy":"http://e"}}}"#,
      #"{"n":"x","s":"plain-files","c":"webdav","t":{"webdav":{"url":"https://example.org/","ca-file":"/e"}}}"#,
      #"{"n":"x","s":"plain-files","c":"dropbox","t":{"dropbox":{"app-key":"k","api-url":"https://example.org"}}}"#,
      #"{"n":"x","s":"plain-files","c":"dropbox","t":{"dropbox":{"app-key":"k","token-command":["sh"]}}}"#,
      #"{"n":"x","s":"git","t":{"git":{"url":"https://example.org/","signing-key":"/etc/shadow"}}}"#,
      #"{"n":"x","s":"git","t":{"git":{"url":"https://example.org/","signing-program":"sh"}}}"#,
      #"{"n":"x","s":"plain-files","c":"folder","t":{"folder":{"path":"~/.ssh"}}}"#,
      #"{"n":"x","s":"plain-files","c":"folder","t":{"folder":{"path":"/home/me/.config/autostart"}}}"#,
      #"{"n":"x","s":"plain-files","c":"folder","t":{"folder":{"path":"~/org/../.ssh"}}}"#,
      #"{"n":"x","s":"plain-files","c":"webdav","t":{"webdav":{"url":"https://example.org/","password":"p"}}}"#,
      #"{"n":"x","s":"plain-files","c":"webdav","t":{"webdav":{"url":"https://example.org/"},"git":{"url":"x"}}}"#,
      #"{"n":"x]\n[on","s":"plain-files","c":"webdav","t":{"webdav":{"url":"https://example.org/"}}}"#,
      #"{"n":"x","s":"plain-files","c":"webdav","t":{"":{"cloud":"folder"},"webdav":{"url":"https://example.org/"}}}"#,
      #"{"n":"x","s":"plain-files","c":"ftp"}"#, #"{"n":"x","s":"plain-files","c":"webdav","e":"rot13"}"#,
    ])
  func hostile(remote: String) throws {
    let device = try newDevice()
    let uri = try invitation(of: #"{"r":[\#(remote)]}"#)
    let forbidden = try device.command(["join", uri, "--store", device.path("org")]).run()
    #expect(
      forbidden.err.contains("cannot join x:") || forbidden.err.contains("the name of a remote"), "\(forbidden.story)")
    for text in [uri, String(uri.dropLast(3)), "syncd:join/2/abc", "https://example.org", ""] {
      let refused = try device.command(["join", text, "--store", device.path("org")]).run()
      #expect([2, 8].contains(refused.status), "\(refused.story)")
      #expect(device.read("s.toml") == nil)
    }
    // The same form without the forbidden part is accepted.
    let good = #"{"r":[{"n":"x","s":"plain-files","c":"webdav","t":{"webdav":{"url":"https://example.org/"}}}]}"#
    try device.command(["join", try invitation(of: good), "--store", device.path("org")]).succeed()
  }

  @Test("a text in a setting cannot become another setting") func injection() throws {
    let device = try newDevice()
    let content =
      #"{"r":[{"n":"x","s":"plain-files","c":"webdav","t":{"webdav":{"url":"https://example.org/","user":"a\"\n[[on]]\ncommand = [\"sh\"]\n"}}}]}"#
    try device.command(["join", try invitation(of: content), "--store", device.path("org")]).succeed()
    let text = try #require(device.read("s.toml"))
    #expect(!text.contains("\n[[on]]") && text.contains(#"user = "a\"\n[[on]]"#), "\(text)")
  }

  @Test("the QR code is shown in a terminal, and on request") func code() throws {
    let device = try Sandbox()
    let plain = try device.command(["invite"]).succeed().text
    #expect(plain.hasPrefix("syncd:join/1/") && plain.split(separator: "\n").count == 1)
    #expect(try device.command(["invite", "--qr"]).succeed().text.split(separator: "\n").count > 20)
    let dialog = try device.dialog(["invite"], typed: [:])
    #expect(dialog.outcome.status == 0 && dialog.shown.contains("\u{1B}[30;107m"), "\(dialog.shown)")
  }
}
