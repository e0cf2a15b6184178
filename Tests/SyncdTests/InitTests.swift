import Foundation
import ProgramTesting
import Testing

@Suite("init") struct InitTests {
  @Test("init writes a working file, asks nothing without a terminal, and keeps an existing file")
  func initialize() throws {
    let sandbox = try Sandbox()
    try sandbox.remove("s.toml")
    func syncd(_ words: String...) throws -> Outcome {
      var command = sandbox.command(words)
      command.folder = sandbox.root
      return try command.run()
    }
    let refused = try syncd("init")
    #expect(refused.status == 2)
    #expect(sandbox.read("s.toml") == nil)
    let written = try syncd("init", "--store", "org", "--folder", "mirror", "--remote", "box")
    #expect(written.status == 0, "\(written.story)")
    #expect(sandbox.read("s.toml")?.contains("#") == true)
    #expect(sandbox.read("s.toml")?.contains("\n[remotes.box]\n") == true)
    try sandbox.write("* A\n", to: "org/a.org")
    var sync = sandbox.command(["--once"])
    sync.environment["XDG_STATE_HOME"] = sandbox.path("states")
    #expect(try sync.run().status == 0)
    #expect(sandbox.read("mirror/a.org") == "* A\n")
    let text = try #require(sandbox.read("s.toml"))
    #expect(try syncd("init", "--store", "org", "--folder", "mirror").status != 0)
    #expect(sandbox.read("s.toml") == text)
    #expect(try syncd("init", "--store", "other", "--folder", "mirror", "--replace").status == 0)
    let kept = try FileManager.default.contentsOfDirectory(atPath: sandbox.root).filter { $0.hasPrefix("s.toml.") }
    #expect(kept.count == 1 && sandbox.read(kept[0]) == text)
  }

  @Test("relative paths are relative to the current folder, wherever the settings file is")
  func fromHere() throws {
    let sandbox = try Sandbox()
    try sandbox.write("* A\n", to: "here/org/a.org")
    var command = sandbox.command(["init", "--store", "org", "--folder", "usb"], settings: "conf/s.toml")
    command.folder = sandbox.path("here")
    try command.succeed()
    var sync = sandbox.command(["--once"], settings: "conf/s.toml")
    sync.environment["XDG_STATE_HOME"] = sandbox.path("states")
    try sync.succeed()
    #expect(sandbox.read("here/usb/a.org") == "* A\n")
    let text = try #require(sandbox.read("conf/s.toml"))
    #expect(text.contains("[remotes.home]"))
    #expect(
      try sandbox.command(["init", "--store", "~/org", "--folder", sandbox.path("usb"), "--replace"]).run().status == 0)
    #expect(sandbox.read("s.toml")?.contains("path = \"~/org\"") == true)
  }

  @Test(
    "the remote has the given name, which must be valid and given once",
    arguments: [["--remote", "bad!name"], ["--remote", ""], ["--remote", "a", "--remote", "b"]])
  func names(words: [String]) throws {
    let sandbox = try Sandbox()
    try sandbox.remove("s.toml")
    for order in [
      ["init", "--store", sandbox.path("o"), "--folder", sandbox.path("f")] + words,
      words + ["init", "--store", sandbox.path("o"), "--folder", sandbox.path("f")],
    ] {
      let outcome = try sandbox.command(order).run()
      #expect(outcome.status == 2 && sandbox.read("s.toml") == nil, "\(outcome.story)")
    }
    try sandbox.command(["--remote", "usb_1", "init", "--store", sandbox.path("o"), "--folder", sandbox.path("f")])
      .succeed()
    #expect(sandbox.read("s.toml")?.contains("\n[remotes.usb_1.folder]\n") == true)
  }

  @Test("names that require quoting are accepted")
  func quoting() throws {
    let sandbox = try Sandbox()
    try sandbox.remove("s.toml")
    let name = "a \"b\" \\c\nd"
    var command = sandbox.command(["init", "--store", "org", "--folder", name])
    command.folder = sandbox.root
    try command.succeed()
    #expect(FileManager.default.fileExists(atPath: sandbox.path(name)))
    #expect(try sandbox.syncd("settings", "check").status == 0)
  }

  /// The required settings of each kind of remote.
  private static let needs: [String: [String]] = [
    "box": ["client-id=id", "refresh-token=./token", "client-secret=./secret"], "folder": ["path=~/mirror"],
    "webdav": ["url=https://example.org/dav/"],
    "dropbox": ["app-key=key", "refresh-token=./token"], "git": ["url=ann@example.org:org.git"],
    "github": ["repository=ann/notes", "token=./token"], "rsync-ssh": ["host=example.org", "path=org"],
    "s3": ["bucket=notes"], "bittorrent": ["secret=./token"],
    "sftp": ["host=example.org", "path=org"],
  ]

  @Test("the settings are valid for every kind of remote")
  func kinds() throws {
    let sandbox = try Sandbox()
    try sandbox.remove("s.toml")
    let stranger = try sandbox.syncd("init", "--with", "nothing")
    #expect(stranger.status == 2)
    let list = try #require(stranger.err.split(separator: "the kinds are ").last?.prefix { $0 != "\n" })
    let kinds = list.split(separator: ", ").map(String.init)
    #expect(kinds.count >= 8 && kinds.contains("org-mobile/webdav"), "\(kinds)")
    for kind in kinds {
      let needs = try #require(Self.needs[kind] ?? Self.needs[kind.split(separator: "/").last.map(String.init) ?? ""])
      let options = needs.flatMap { ["--set", $0] }
      let bare = try sandbox.command(["init", "--with", kind, "--replace"] + options.dropLast(2)).run()
      #expect(bare.status == 2 && bare.err.contains("--set"), "\(kind): \(bare.story)")
      let written = try sandbox.command(
        ["init", "--with", kind, "--replace"] + options, environment: ["HOME": sandbox.root]
      ).run()
      #expect(written.status == 0, "\(kind): \(written.story)")
      #expect(written.text.contains("syncd login home") == kind.hasSuffix("box"))
      #expect(try sandbox.syncd("settings", "check").status == 0)
    }
  }

  @Test("invalid settings are refused, and secrets are kept out of the file")
  func settings() throws {
    let sandbox = try Sandbox()
    try sandbox.remove("s.toml")
    for wrong in ["colour=blue", "=x", "url"] {
      #expect(try sandbox.syncd("init", "--with", "git", "--set", wrong).status == 2)
    }
    // An invalid value is refused before anything is written.
    #expect(try sandbox.syncd("init", "--with", "webdav", "--set", "url=example").status == 8)
    #expect(sandbox.read("s.toml") == nil)
    let options = ["url=https://example.org/", "user=ann", "password=command:pass show dav", "webdav.connections=4"]
    try sandbox.command(["init", "--with", "webdav"] + options.flatMap { ["--set", $0] }).succeed()
    let text = try #require(sandbox.read("s.toml"))
    #expect(text.contains("\npassword = { command = [\"pass\", \"show\", \"dav\"] }\n"), "\(text)")
    #expect(text.contains("\nconnections = 4\n"))
  }

  /// What the terminal shows if `password` is typed at its prompt for a WebDAV server that does not answer.
  private func conversation(_ sandbox: Sandbox, typing password: String) throws -> String {
    let dialog = try sandbox.dialog(
      ["init", "--replace", "--with", "webdav", "--set", "url=http://127.0.0.1:9/", "--set", "user=ann"],
      typed: ["password": [password], "next": ["keep"], "doctor": ["no"], "dry-run": ["no"]], settings: "conf/s.toml")
    #expect(dialog.outcome.status == 0, "\(dialog.shown)")
    return dialog.shown
  }

  @Test(
    "a typed password is never shown, and is stored in a file that only its owner can read",
    arguments: ["hunter2", "pass show dav", "~/secret", "/etc/passwd", "a:b", "{ file = 1 }", "p\u{E4}ss w\u{F6}rt"])
  func typedSecret(password: String) throws {
    let sandbox = try Sandbox()
    let said = try conversation(sandbox, typing: password)
    #expect(!said.contains(password), "\(said)")
    let text = try #require(sandbox.read("conf/s.toml"), "\(said)")
    #expect(!text.contains(password), "\(text)")
    #expect(text.contains("\npassword = { file = \"secrets/home-webdav-password\" }\n"), "\(text)")
    let file = "conf/secrets/home-webdav-password"
    #expect(sandbox.read(file) == password + "\n")
    #expect(try Command(["stat", "-c", "%a", sandbox.path(file)]).run().text == "600\n")
    #expect(try sandbox.command(["settings", "check"], settings: "conf/s.toml").run().status == 0)
    // In a second run, the former secret is kept beside the former settings.
    _ = try conversation(sandbox, typing: "another")
    #expect(sandbox.tree("conf/secrets").files.count == 2 && sandbox.read(file) == "another\n")
  }

  @Test(
    "a secret among the arguments is refused without being repeated or run",
    arguments: ["hunter2", "touch ran", "a:bc", ""])
  func secretArgument(password: String) throws {
    let sandbox = try Sandbox()
    try sandbox.remove("s.toml")
    var command = sandbox.command(
      ["init", "--with", "webdav", "--set", "url=https://example.org/", "--set", "password=\(password)"])
    command.folder = sandbox.root
    let outcome = try command.run()
    #expect(outcome.status == 2 && outcome.err.contains("file:PATH"), "\(outcome.story)")
    #expect(password.isEmpty || !outcome.err.contains(password), "\(outcome.err)")
    #expect(sandbox.read("s.toml") == nil && sandbox.read("ran") == nil)
  }
}
