import Foundation
import ProgramTesting
import ServerTesting
import Testing

/// `syncd init` in a real terminal, with real servers, by a person who makes mistakes.
@Suite("init in a terminal") struct InitTerminalTests {
  struct Conversation: Sendable, CustomTestStringConvertible {
    let kind: String
    /// Options of `init`. `$NAME` stands for a place of a server, here and in the answers.
    var options: [String] = []
    /// What is typed for each setting, the last one valid; the name "" stands for the store and the kind.
    let typed: [String: [String]]
    /// What init says about the mistakes.
    let errors: [String]
    /// Lines of the resulting settings.
    let settings: [String]
    var testDescription: String { kind }
  }

  private static let ssh = ["user=$USER", "port=$PORT", "identity-file=$IDENTITY", "known-hosts=$KNOWN"]
  private static let dropbox = ["api-url=$DROPBOX", "proxy=none"]
  private static let box = ["api-url=$BOX", "proxy=none"]
  private static let github = ["api-url=$GITHUB", "proxy=none"]
  private static let s3 = ["endpoint=$S3", "prefix=$PREFIX", "proxy=none"]
  private static let code = #"""
    !curl -s --noproxy '*' "$(tr -d '\r' | grep -o 'http[^ ]*authorize[^ ]*' | tail -n 1)" \
      | sed 's/.*id=code>\([^<]*\)<.*/\1/'
    """#

  /// The address to which the browser is sent after the user has allowed the access.
  private static let address = #"""
    !curl -s --noproxy '*' -o /dev/null -w '%{redirect_url}' \
      "$(tr -d '\r' | grep -o 'http[^ ]*authorize[^ ]*' | tail -n 1)"
    """#

  private static let conversations = [
    Conversation(
      kind: "folder",
      typed: ["": ["", "99", "folder"], "path": ["", "~/org/usb", "missing/usb", "usb"], "next": ["correct"]],
      errors: [
        "kind \"99\"", "An answer is required", "must not contain each other", "neither does the folder above",
        "usb does not exist; it will be created",
      ],
      settings: ["cloud = \"folder\""]),
    Conversation(
      kind: "webdav",
      typed: [
        "": ["", "wabdav", "webdav"],
        "url": ["", "not an address", "http://127.0.0.1:9/?x", "http://127.0.0.1:9/", "$DAV"],
        "user": ["", "ann"], "password": ["wrong", "wrong", "", "correct horse"],
        "next": ["nonsense", "again", "correct", "correct"],
      ],
      errors: [
        "kind \"wabdav\"", "An answer is required", "url: expected an address", "without user, `?` and `#`",
        "`password` requires `user`", "user [ann]", "password [as before]", "cannot reach http://127.0.0.1:9/",
        "Answer with one of correct, again, keep",
        "refused the login",
      ],
      settings: ["user = \"ann\"", "password = { file = \"secrets/home-webdav-password\" }"]),
    Conversation(
      kind: "dropbox", options: dropbox,
      typed: [
        "": ["", "0", "dropbox"], "app-key": ["", "key"], "Code:": ["wrong", code], "login": ["maybe", "yes", "yes"],
      ],
      errors: ["kind \"0\"", "An answer is required", "Answer with one of yes, no", "signed in to home as"],
      settings: ["app-key = \"key\"", "refresh-token = { file = \"secrets/home-dropbox-refresh-token\" }"]),
    Conversation(
      kind: "box", options: box,
      typed: [
        "": ["", "bxo", "box"], "client-id": ["", "test-client"], "client-secret": ["", "test-secret"],
        "Address:": ["http://localhost/?code=x&state=y", address], "login": ["yes", "yes"],
      ],
      errors: ["kind \"bxo\"", "An answer is required", "not the address that belongs", "signed in to home as"],
      settings: [
        "client-id = \"test-client\"", "client-secret = { file = \"secrets/home-box-client-secret\" }",
        "refresh-token = { file = \"secrets/home-box-refresh-token\" }",
      ]),
    Conversation(
      kind: "git",
      typed: [
        "": ["", "gti", "git"], "url": ["", "https://", "$ROOT/nothing.git", "$ROOT/hub.git"], "next": ["correct"],
      ],
      errors: ["kind \"gti\"", "An answer is required", "url: ", "no git repository at"], settings: ["sync = \"git\""]),
    Conversation(
      kind: "github", options: github,
      typed: [
        "": ["", "gihtub", "github"], "repository": ["", "notes", "owner/nothing", "owner/notes"],
        "token": ["", "test-token"], "next": ["correct"],
      ],
      errors: [
        "kind \"gihtub\"", "An answer is required", "`repository` must have the form OWNER/NAME",
        "has no repository owner/nothing", "token [as before]",
      ],
      settings: ["cloud = \"github\"", "token = { file = \"secrets/home-github-token\" }"]),
    Conversation(
      kind: "rsync-ssh", options: ssh,
      typed: [
        "": ["", "rsync ssh", "rsync-ssh"],
        "host": ["", "ann@example.org", "no.invalid", "localhost", "127.0.0.1"], "path": ["", "$FOLDER"],
        "next": ["correct", "correct"],
      ],
      errors: [
        "kind \"rsync ssh\"", "An answer is required", "host: `host` is not a host name", "cannot reach no.invalid",
        "the host localhost is not known; its key is SHA256:",
        "run `ssh -p $PORT -o UserKnownHostsFile=$KNOWN $USER@localhost` once",
      ],
      settings: ["host = \"127.0.0.1\""]),
    Conversation(
      kind: "bittorrent", options: ["local-discovery=false", "listen=127.0.0.1", "program=$TORRENT", "wait=1s"],
      typed: [
        "": ["", "torrent", "bittorrent"],
        "secret": ["", "sy1-mistyped", "sy1-aaaqeayeaudaocajbifqydiob4ibceqtcqkrmfyydenbwha5dyp2zinx4y"],
        "next": ["correct"],
      ],
      errors: ["kind \"torrent\"", "An answer is required", "or has a typing mistake; it begins with sy1-"],
      settings: ["sync = \"bittorrent\"", "secret = { file = \"secrets/home-bittorrent-secret\" }"]),
    Conversation(
      kind: "s3", options: s3,
      typed: [
        "": ["", "s4", "s3"], "bucket": ["", "a/b", "missing", "$BUCKET"], "access-key": ["", "$ACCESS"],
        "secret-key": ["half", "$SECRET"], "next": ["correct"],
      ],
      errors: [
        "kind \"s4\"", "An answer is required", "bucket: `bucket` must be a bucket's name",
        "`access-key` and `secret-key` require each other", "bucket missing not found", "secret-key [as before]",
      ],
      settings: ["cloud = \"s3\"", "secret-key = { file = \"secrets/home-s3-secret-key\" }"]),
    Conversation(
      kind: "sftp", options: ssh,
      typed: [
        "": ["", "stfp", "sftp"], "host": ["", "ann@example.org", "localhost", "127.0.0.1"], "path": ["", "$FOLDER"],
        "next": ["correct"],
      ],
      errors: [
        "kind \"stfp\"", "An answer is required", "host: `host` is not a host name",
        "the host localhost is not known; its key is SHA256:",
      ],
      settings: ["cloud = \"sftp\"", "host = \"127.0.0.1\""]),
    Conversation(
      kind: "org-mobile/webdav",
      typed: [
        "": ["", "org-mobile", "org-mobile/webdav"],
        "url": ["", "ftp://example.org", "https://ann@example.org/", "$DAV"], "user": ["ann"],
        "password": ["correct horse"], "next": ["keep"],
      ],
      errors: ["kind \"org-mobile\"", "An answer is required", "url: "], settings: ["sync = \"org-mobile\""]),
    Conversation(
      kind: "org-mobile/folder",
      typed: ["": ["", "org-mobile/usb", "org-mobile/folder"], "path": ["", "~/org", "usb"], "next": ["keep"]],
      errors: ["kind \"org-mobile/usb\"", "An answer is required", "must not contain each other"],
      settings: ["sync = \"org-mobile\"", "cloud = \"folder\""]),
    Conversation(
      kind: "org-mobile/dropbox", options: dropbox,
      typed: ["": ["", "org-mobile/dorpbox", "org-mobile/dropbox"], "app-key": ["", "key"], "login": ["no"]],
      errors: ["kind \"org-mobile/dorpbox\"", "An answer is required"],
      settings: ["sync = \"org-mobile\"", "cloud = \"dropbox\""]),
    Conversation(
      kind: "org-mobile/box", options: box,
      typed: [
        "": ["", "org-mobile/bxo", "org-mobile/box"], "client-id": ["", "test-client"],
        "client-secret": ["", "test-secret"], "login": ["no"],
      ],
      errors: ["kind \"org-mobile/bxo\"", "An answer is required"],
      settings: ["sync = \"org-mobile\"", "cloud = \"box\""]),
    Conversation(
      kind: "org-mobile/github", options: github,
      typed: [
        "": ["", "org-mobile/gihtub", "org-mobile/github"], "repository": ["", "owner/empty"],
        "token": ["", "test-token"],
        "next": ["keep"],
      ],
      errors: ["kind \"org-mobile/gihtub\"", "An answer is required"],
      settings: ["sync = \"org-mobile\"", "cloud = \"github\""]),
    Conversation(
      kind: "org-mobile/rsync-ssh", options: ssh,
      typed: [
        "": ["", "-1", "org-mobile/rsync-ssh"], "host": ["", "-oProxyCommand=x", "127.0.0.1"], "path": ["", "$FOLDER"],
        "next": ["keep"],
      ],
      errors: ["kind \"-1\"", "An answer is required", "host: `host` is not a host name"],
      settings: ["sync = \"org-mobile\"", "host = \"127.0.0.1\""]),
    Conversation(
      kind: "org-mobile/sftp", options: ssh,
      typed: [
        "": ["", "org-mobile/stfp", "org-mobile/sftp"], "host": ["", "-oProxyCommand=x", "127.0.0.1"],
        "path": ["", "$FOLDER"], "next": ["keep"],
      ],
      errors: ["kind \"org-mobile/stfp\"", "An answer is required", "host: `host` is not a host name"],
      settings: ["sync = \"org-mobile\"", "cloud = \"sftp\""]),
    Conversation(
      kind: "org-mobile/s3", options: s3,
      typed: ["": ["", "org-mobile/s4", "org-mobile/s3"], "bucket": ["", "$BUCKET"], "next": ["keep"]],
      errors: ["kind \"org-mobile/s4\"", "An answer is required", "set `access-key` and `secret-key`"],
      settings: ["sync = \"org-mobile\"", "cloud = \"s3\""]),
  ]

  /// The servers of all conversations.
  private struct Servers {
    let webdav: WebDAVServer
    let ssh: SSHServer
    let box: ServerProcess
    let dropbox: ServerProcess
    let github: ServerProcess
    let repositories = ScratchFolder()
    /// Nil if it is unavailable.
    let s3: S3Server?

    init() async throws {
      let folder = URL(filePath: Sandbox.binary).deletingLastPathComponent()
      let repositories = repositories.path
      async let webdav = WebDAVServer()
      async let ssh = SSHServer()
      async let s3 = S3Server.shared(.moto)
      async let box = ServerProcess([folder.appending(path: "box-emulator").path, "--port", "0"])
      async let dropbox = ServerProcess([folder.appending(path: "dropbox-emulator").path, "--port", "0"])
      async let github = ServerProcess([
        folder.appending(path: "github-emulator").path, "--folder", repositories,
      ])
      self.webdav = try await webdav
      self.ssh = try await ssh
      self.box = try await box
      self.dropbox = try await dropbox
      self.github = try await github
      self.s3 = await s3
    }

    static let shared = Task { try await Servers() }

    /// Returns the text with the places of the servers, each a new folder, for their names.
    func named(in sandbox: Sandbox) throws -> (String) -> String {
      let folder = UUID().uuidString
      for root in [webdav.root, ssh.root] {
        try FileManager.default.createDirectory(atPath: "\(root)/\(folder)", withIntermediateDirectories: true)
      }
      let names = [
        "$DAV": "\(webdav.url)\(folder)/", "$BOX": box.lines[0].replacing("URL=", with: ""),
        "$DROPBOX": dropbox.lines[0].replacing("URL=", with: ""),
        "$GITHUB": github.lines[0].replacing("URL=", with: ""),
        "$USER": ssh.user, "$PORT": "\(ssh.port)", "$IDENTITY": ssh.identity, "$KNOWN": ssh.knownHosts,
        "$FOLDER": "\(ssh.root)/\(folder)", "$ROOT": sandbox.root, "$PREFIX": folder, "$S3": s3?.endpoint ?? "",
        "$TORRENT": TorrentProgram.path ?? "", "$BUCKET": s3?.bucket ?? "", "$ACCESS": s3?.accessKey ?? "",
        "$SECRET": s3?.secretKey ?? "",
      ]
      return { text in names.reduce(text) { $0.replacing($1.key, with: $1.value) } }
    }
  }

  /// A sandbox without settings.
  private func sandbox() throws -> Sandbox {
    let sandbox = try Sandbox(inMemory: true)
    try sandbox.remove("s.toml")
    return sandbox
  }

  @Test("init asks again after each mistake and writes working settings", arguments: conversations)
  func mistakes(conversation: Conversation) async throws {
    let sandbox = try sandbox()
    let servers = try await Servers.shared.value
    guard servers.s3 != nil || !conversation.kind.hasSuffix("s3") else { return }
    guard TorrentProgram.isAvailable || conversation.kind != "bittorrent" else { return }
    let named = try servers.named(in: sandbox)
    try sandbox.write("* A\n", to: "org/a.org")
    try Command(["git", "init", "-q", "--bare", sandbox.path("hub.git")]).succeed()
    let dialog = try sandbox.dialog(
      ["init"] + conversation.options.flatMap { ["--set", named($0)] },
      typed: conversation.typed.mapValues { $0.map(named) })
    let shown = dialog.shown
    #expect(dialog.outcome.status == 0, "\(shown)")
    for error in conversation.errors.map(named) { #expect(shown.contains(error), "\(error)\n\(shown)") }
    let text = try #require(sandbox.read("s.toml"), "\(shown)")
    for line in conversation.settings { #expect(text.contains("\(line)\n"), "\(line)\n\(text)") }
    #expect(try sandbox.syncd("settings", "check").status == 0)
    guard !conversation.kind.hasPrefix("org-mobile") else { return }
    // The diagnosis and the dry run at the end.
    #expect(shown.contains("this machine:\r\n  ok: ") && shown.contains("copy a.org"), "\(shown)")
    try sandbox.command(["--once"], environment: ["HOME": sandbox.root]).succeed()
  }

  @Test("every kind of remote that init lists has a conversation, in the order of the list") func allKinds() throws {
    let refusal = try sandbox().syncd("init", "--with", "nothing").err
    let list = try #require(refusal.split(separator: "kinds are ").last?.prefix { $0 != "\n" })
    let kinds = list.split(separator: ", ").map(String.init)
    #expect(Set(kinds) == Set(Self.conversations.map(\.kind)), "\(refusal)")
    #expect(kinds.prefix(5) == ["folder", "webdav", "dropbox", "git", "rsync-ssh"])
  }

  @Test(
    "the end of the input and Ctrl-C at any question end init without writing anything",
    arguments: ["", "encryption", "url", "user", "password", "next"], ["\u{4}", "\u{3}"])
  func interruption(key: String, character: String) throws {
    let sandbox = try sandbox()
    var typed = [
      "": ["", "webdav"], "url": ["http://127.0.0.1:9/"], "user": ["ann"], "password": ["x"], "next": ["keep"],
    ]
    typed[key] = [character]
    let dialog = try sandbox.dialog(["init"], typed: typed)
    #expect(dialog.outcome.status == (character == "\u{3}" ? 130 : 2), "\(dialog.shown)")
    #expect(sandbox.read("s.toml") == nil && sandbox.read("secrets/home-webdav-password") == nil)
  }

  @Test("the store must be a folder, and a missing one is created if the user agrees") func store() throws {
    let sandbox = try sandbox()
    try sandbox.write("", to: "file")
    let dialog = try sandbox.dialog(
      ["init", "--folder", "usb"], typed: ["": ["file", "~/typo", "~/new"], "create": ["no", "yes"]])
    #expect(dialog.outcome.status == 0 && dialog.shown.contains("is not a folder"), "\(dialog.shown)")
    #expect(sandbox.read("s.toml")?.contains("path = \"~/new\"") == true)
    #expect(FileManager.default.fileExists(atPath: sandbox.path("new")))
    #expect(!FileManager.default.fileExists(atPath: sandbox.path("typo")))
  }

  @Test("settings of a remote that does not answer can be kept, without a diagnosis or a dry run") func keeping() throws
  {
    let sandbox = try sandbox()
    let dialog = try sandbox.dialog(
      ["init"],
      typed: [
        "": ["", "webdav"], "url": ["http://127.0.0.1:9/"], "next": ["k"], "doctor": ["no"], "dry-run": ["\u{4}"],
      ])
    #expect(dialog.outcome.status == 0 && !dialog.shown.contains("this machine:"), "\(dialog.shown)")
    #expect(sandbox.read("s.toml")?.contains("url = \"http://127.0.0.1:9/\"") == true)
  }

  @Test("a remote is encrypted with a typed passphrase, and without a terminal with options") func encryption() throws {
    let sandbox = try sandbox()
    try sandbox.write("* A secret entry\n", to: "org/a.org")
    let dialog = try sandbox.dialog(
      ["init", "--folder", "usb"], typed: ["encryption": ["rot13", "age"], "passphrase": ["", "correct horse"]])
    #expect(dialog.outcome.status == 0 && dialog.shown.contains("passphrase`"), "\(dialog.shown)")
    let text = try #require(sandbox.read("s.toml"))
    #expect(text.contains("encryption = \"age\"\n") && !text.contains("horse"), "\(text)")
    let home = ["HOME": sandbox.root]
    try sandbox.command(["--once"], environment: home).succeed()
    #expect(!sandbox.tree("usb").files.isEmpty)
    #expect(try Command(["grep", "-rq", "secret entry", sandbox.path("usb")]).run().status == 1)
    try sandbox.command(
      [
        "init", "--replace", "--store", "~/org", "--folder", "~/usb", "--encryption", "age", "--set",
        "passphrase=file:~/secrets/home-age-passphrase",
      ], environment: home
    ).succeed()
    let refused = try sandbox.syncd("init", "--replace", "--folder", "usb", "--encryption", "rot13")
    #expect(refused.status == 2 && refused.err.contains("none, age"), "\(refused.story)")
  }
}
