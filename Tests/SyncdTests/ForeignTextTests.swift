import Foundation
import ProgramTesting
import Testing

/// Text that servers and the authors of files put into each field of a protocol, with characters that control a terminal (ESC,
/// and CSI of C1) or change the direction of text (U+202E).
@Suite("Text from remotes") struct ForeignTextTests {
  private static let evil = "x\u{1B}[2J\u{9B}1m\u{202E}gpj.exe"

  /// Returns true if `text` contains none of these characters.
  private static func isClean(_ text: String) -> Bool {
    !text.unicodeScalars.contains { scalar in
      scalar.value < 0x20 && scalar != "\n" && scalar != "\t" || (0x7F..<0xA0).contains(scalar.value)
        || (0x202A...0x202E).contains(scalar.value)
    }
  }

  /// Runs the commands that print or store text, and checks all of it.
  private func check(_ sandbox: Sandbox, _ what: String) async throws {
    let words = [
      "--once -v", "doctor", "status", "status --json", "log", "log --json", "conflicts", "conflicts --json",
    ]
    for words in words {
      let outcome = try await sandbox.command(words.split(separator: " ").map(String.init)).finish()
      #expect(outcome.status < 128, "\(what): \(words) crashed: \(outcome.story)")
      #expect(Self.isClean(outcome.text), "\(what): \(words) printed \(outcome.text.debugDescription)")
      #expect(Self.isClean(outcome.err), "\(what): \(words) printed \(outcome.err.debugDescription)")
    }
    let kept =
      ["audit.log", "metrics.prom"]
      + ["trouble", "pending"].flatMap { folder in
        sandbox.tree("state/\(folder)").names.map { "state/\(folder)/\($0)" }
      }
    for file in kept { #expect(Self.isClean(sandbox.read(file) ?? ""), "\(what): \(file)") }
  }

  /// Checks the output about these remotes, a few of them at a time, because many wait before they try again.
  private func check(_ remotes: [String], _ what: String) async throws {
    try await withThrowingTaskGroup { group in
      for start in stride(from: 0, to: remotes.count, by: 3) {
        let sandbox = try sandbox(remotes[start..<min(start + 3, remotes.count)].joined())
        try sandbox.write("* A\n", to: "org/store.org")
        group.addTask { try await check(sandbox, what) }
      }
      try await group.waitForAll()
    }
  }

  private func sandbox(_ remotes: String, root: Sandbox? = nil) throws -> Sandbox {
    let sandbox = try root ?? Sandbox(remotes: [])
    let settings = """
      [syncd]
      state = "state"
      audit-log = "audit.log"
      metrics = "metrics.prom"
      log-level = "trace"
      [store]
      backend = "org-files"
      path = "org"

      """
    try sandbox.write(settings + remotes, to: "s.toml")
    return sandbox
  }

  /// A server of `HostileServers`, which puts the text into the field with which the path of a request begins.
  private func server(_ name: String) async throws -> ServerProcess {
    try await ServerProcess(["python3", Self.script(name), Self.digits])
  }

  private static func script(_ name: String) -> String {
    URL(filePath: #filePath).deletingLastPathComponent().appending(path: "HostileServers/\(name).py").path
  }

  /// The text in hexadecimal digits.
  private static let digits = evil.utf8.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()

  @Test("text in 29 fields of WebDAV controls no terminal and is not stored")
  func webDAV() async throws {
    let fields = [
      "server", "dav", "content-type", "etag", "date", "cookie", "allow", "lock-token", "last-modified", "header-name",
      "location", "authenticate", "retry", "body", "refused", "no-xml", "reason", "comment", "doctype", "namespace",
      "displayname", "getetag", "getlastmodified", "length", "type", "propstat", "description", "error", "href",
    ]
    let server = try await server("webdav")
    let remotes = fields.map { field in
      """
      [remotes.\(field)]
      sync = "plain-files"
      cloud = "webdav"
      [remotes.\(field).webdav]
      url = "http://127.0.0.1:\(server.lines[0])/\(field)/"
      user = "ann"
      password = "secret"

      """
    }
    try await check(remotes, "WebDAV")
  }

  @Test("text in 28 fields of Dropbox controls no terminal and is not stored")
  func dropbox() async throws {
    let fields = [
      "access-token", "token-type", "grant-error", "grant-description", "e400", "e400-body", "e401", "e401-scope",
      "e403", "e409", "e422", "e429", "e500", "tag", "name", "id", "path-lower", "path-display", "rev", "content-hash",
      "client-modified", "server-modified", "cursor", "summary", "no-json", "retry-after", "reason", "request-id",
    ]
    let server = try await server("dropbox")
    let remotes = fields.map { field in
      """
      [remotes.\(field)]
      sync = "plain-files"
      cloud = "dropbox"
      [remotes.\(field).dropbox]
      app-key = "key"
      refresh-token = "token"
      api-url = "http://127.0.0.1:\(server.lines[0])/\(field)"

      """
    }
    try await check(remotes, "Dropbox")
  }

  @Test("text in 28 fields of Box controls no terminal and is not stored")
  func box() async throws {
    let fields = [
      "access-token", "token-type", "grant-error", "grant-description", "e400", "e401", "e403", "e404", "e409", "e412",
      "e429", "e500", "type", "id", "name", "etag", "sha1", "version", "parent", "status", "marker", "position",
      "event-type", "source", "location", "no-json", "retry-after", "reason",
    ]
    let server = try await server("box")
    let remotes = fields.map { field in
      """
      [remotes.\(field)]
      sync = "plain-files"
      cloud = "box"
      [remotes.\(field).box]
      auth = "app"
      subject = "user:1"
      client-id = "id"
      client-secret = "secret"
      api-url = "http://127.0.0.1:\(server.lines[0])/\(field)"

      """
    }
    try await check(remotes, "Box")
  }

  @Test("text in 8 fields of rsync controls no terminal and is not stored")
  func rsync() async throws {
    // Commands that replace ssh; $line is the command for the remote host.
    let programs = [
      "names": #"exec /bin/sh -c "$line""#, "banner": #"cat evil; exec /bin/sh -c "$line""#,
      "errors": #"cat evil >&2; exec /bin/sh -c "$line""#, "exit": "cat evil >&2; exit 12",
      // The first bytes of rsync, and then a frame with an error message of 23 bytes.
      "message": #"printf '\037\0\0\0\0\0\0\0\0'; printf '\027\0\0\010'; head -c 23 evil; cat >/dev/null"#,
      "greeting": #"printf '\177\0\0\0'; cat evil"#,
    ]
    let sandbox = try Sandbox(remotes: [])
    let remotes = programs.map { name, script in
      """
      [remotes.\(name)]
      sync = "rsync-ssh"
      [remotes.\(name).rsync-ssh]
      host = "far"
      path = "\(sandbox.path(name))"
      transport = "ssh-command"
      timeout = "5s"
      ssh-command = ["/bin/sh", "-c", '''
        cd "\(sandbox.root)"; for line; do :; done; \(script)''', "ssh"]

      """
    }
    _ = try self.sandbox(remotes.joined(), root: sandbox)
    try sandbox.write("* A\n", to: "org/a.org")
    try sandbox.write(Self.evil + "\n", to: "evil")
    try sandbox.write("* B\n", to: "names/\(Self.evil).org")
    try sandbox.write("* C\n", to: "names/\(Self.evil)/c.org")
    try FileManager.default.createSymbolicLink(
      atPath: sandbox.path("names/\(Self.evil)-link"), withDestinationPath: "/\(Self.evil)")
    try await check(sandbox, "rsync")
  }

  @Test("text in 12 fields of git over HTTP controls no terminal and is not stored")
  func gitServer() async throws {
    let fields = [
      "service", "ref", "capability", "branch", "err", "length", "refused", "failed", "remark", "fatal", "type",
      "reason",
    ]
    let server = try await server("git")
    let remotes = fields.map { field in
      """
      [remotes.\(field)]
      sync = "git"
      [remotes.\(field).git]
      url = "http://127.0.0.1:\(server.lines[0])/\(field)/a.git"
      branch = "main"

      """
    }
    try await check(remotes, "git over HTTP")
  }

  @Test("text in 19 fields of S3 controls no terminal and is not stored")
  func s3() async throws {
    let fields = [
      "code", "message", "s400", "s403", "s404", "s500", "region", "request-id", "location", "retry", "reason",
      "s3-key",
      "s3-tag", "s3-size", "s3-time", "s3-class", "s3-name", "s3-token", "s3-body",
    ]
    let server = try await server("clouds")
    let remotes = fields.map { field in
      """
      [remotes.\(field)]
      sync = "plain-files"
      cloud = "s3"
      [remotes.\(field).s3]
      bucket = "\(field)"
      endpoint = "http://127.0.0.1:\(server.lines[0])"
      addressing = "path"
      access-key = "key"
      secret-key = "secret"

      """
    }
    try await check(remotes, "S3")
  }

  @Test("text in 20 fields of GitHub controls no terminal and is not stored")
  func gitHub() async throws {
    let fields = [
      "g401", "g403", "g404", "g409", "g422", "g500", "etag", "no-json", "path", "mode", "type", "blob", "tree",
      "commit",
      "commit-tree", "ref", "object", "sha", "full-name", "branch",
    ]
    let server = try await server("clouds")
    try await check(fields.map { branch($0, "github", "http://127.0.0.1:\(server.lines[0])/\($0)") }, "GitHub")
  }

  @Test("text in 18 fields of Forgejo controls no terminal and is not stored")
  func forgejo() async throws {
    let fields = [
      "g401", "g403", "g404", "g409", "g422", "g500", "no-json", "path", "mode", "blob", "tree", "commit",
      "commit-tree", "branch-name", "branch-id", "format", "full-name", "branch",
    ]
    let server = try await server("clouds")
    try await check(
      fields.map { branch($0, "forgejo", "http://127.0.0.1:\(server.lines[0])/\($0)/api/v1") }, "Forgejo")
  }

  /// The settings of a remote with a branch behind an API.
  private func branch(_ name: String, _ kind: String, _ url: String) -> String {
    """
    [remotes.\(name)]
    sync = "plain-files"
    cloud = "github"
    [remotes.\(name).github]
    kind = "\(kind)"
    repository = "ann/notes"
    token = "token"
    api-url = "\(url)"

    """
  }

  @Test("text in 10 fields of sftp controls no terminal and is not stored")
  func sftp() async throws {
    let fields = [
      "errors", "banner", "message", "language", "extension", "extension-data", "real-path", "handle", "name",
      "long-name",
    ]
    let script = Self.script("sftp")
    let remotes = fields.map { field in
      """
      [remotes.\(field)]
      sync = "plain-files"
      cloud = "sftp"
      [remotes.\(field).sftp]
      host = "far"
      path = "/far"
      transport = "ssh-command"
      timeout = "5s"
      ssh-command = ["python3", "\(script)", "\(Self.digits)", "\(field)"]

      """
    }
    try await check(remotes, "sftp")
  }

  @Test("text in names, links and markers of folders controls no terminal and is not stored")
  func folders() async throws {
    let remotes = ["names", "link", "marker", "label"].map { name in
      "[remotes.\(name)]\nsync = \"plain-files\"\ncloud = \"folder\"\n[remotes.\(name).folder]\npath = \"\(name)\"\ncreate = true\n"
    }
    let sandbox = try sandbox(remotes.joined())
    try sandbox.write("* A\n", to: "org/a.org")
    try sandbox.write("* B\n", to: "names/\(Self.evil).org")
    try sandbox.write("* C\n", to: "names/\(Self.evil)/c.org")
    try sandbox.write("* D\n", to: "link/d.org")
    try FileManager.default.createSymbolicLink(
      atPath: sandbox.path("link/\(Self.evil)"), withDestinationPath: "/\(Self.evil)")
    try sandbox.write("\(Self.evil)\n", to: "marker/.syncd-root")
    try sandbox.write("syncd\n\(Self.evil)\n1\n", to: "label/.syncd-root")
    try await check(sandbox, "folders")
    try sandbox.write("* B\nhere\n", to: "org/\(Self.evil).org")
    try sandbox.write("* B\nthere\n", to: "names/\(Self.evil).org")
    try await check(sandbox, "a conflict")
  }

  @Test("text in refs, trees, authors, messages and hooks of git controls no terminal and is not stored")
  func git() async throws {
    let remotes = ["names", "hook"].map { name in
      """
      [remotes.\(name)]
      sync = "git"
      [remotes.\(name).git]
      url = "\(name).git"
      branch = "main"

      """
    }
    let sandbox = try sandbox(remotes.joined())
    let settings = try #require(sandbox.read("s.toml"))
    try sandbox.write(settings.replacing("url = \"", with: "url = \"\(sandbox.root)/"), to: "s.toml")
    try sandbox.write("* A\n", to: "org/a.org")
    try sandbox.write("#!/bin/sh\nprintf '%s\\n' '\(Self.evil)' >&2\nexit 1\n", to: "refuse")
    let script = """
      set -e; cd "$1"; for name in names hook; do git init -q -b main $name.git --bare; done
      git init -q -b main work; cd work; git config user.name "$2"; git config user.email "a@b"
      echo one > "$2.org"; mkdir "$2"; echo two > "$2/b.org"; ln -s /tmp "$2-link"; git add -A
      git commit -q -m "$2"; git push -q ../names.git main main:"refs/heads/$3"; git tag -a "$3" -m "$2"; git push -q ../names.git --tags
      cd ..; cp refuse hook.git/hooks/pre-receive; chmod +x hook.git/hooks/pre-receive
      """
    let mild = Self.evil.replacing("\u{1B}[", with: "")
    try Command(["bash", "-c", script, "bash", sandbox.root, Self.evil, mild]).succeed()
    try await check(sandbox, "git")
  }

  @Test("text in the files of org-mobile controls no terminal and is not stored")
  func orgMobile() async throws {
    let sandbox = try sandbox(
      """
      [remotes.phone]
      sync = "org-mobile"
      cloud = "folder"
      [remotes.phone.org-mobile]
      role = "mobile"
      [remotes.phone.folder]
      path = "phone"
      create = true

      """)
    let evil = Self.evil
    try sandbox.write([
      "phone/index.org":
        "#+TODO: TODO \(evil) | DONE\n#+TAGS: \(evil)\n* [[file:\(evil).org][\(evil)]]\n* [[file:a.org][a]]\n",
      "phone/a.org": "* TODO \(evil) :\(evil):\n:PROPERTIES:\n:ID: \(evil)\n:END:\n",
      "phone/\(evil).org": "* \(evil)\n",
      "phone/checksums.dat": "d41d8cd98f00b204e9800998ecf8427e  \(evil).org\n\(evil)  a.org\n",
      "phone/mobileorg.org":
        "* F(edit:\(evil)) [[id:\(evil)][\(evil)]]\n** Old value\n\(evil)\n** New value\n\(evil)\n",
    ])
    try await check(sandbox, "org-mobile")
    let settings = try #require(sandbox.read("s.toml"))
    try sandbox.write(settings.replacing("role = \"mobile\"", with: "role = \"desktop\""), to: "s.toml")
    try await check(sandbox, "org-mobile, as the desktop")
  }

  @Test("text in requests to the control socket is returned escaped")
  func controlSocket() throws {
    let sandbox = try Sandbox()
    try sandbox.write("* A\n", to: "org/a.org")
    let service = try sandbox.command([]).start()
    defer {
      service.kill()
      _ = try? service.wait()
    }
    try sandbox.wait("the first sync") { sandbox.read("home/a.org") == "* A\n" }
    let script = """
      import json, socket, sys
      s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); f = s.makefile("rwb"); evil = sys.argv[2]
      for line in [evil, json.dumps({"do": evil}), json.dumps({"do": "sync", "remotes": [evil]}), json.dumps({evil: 1}), '{"do": "status"}']:
        f.write(line.encode() + b"\\n"); f.flush(); sys.stdout.buffer.write(f.readline())
      """
    let outcome = try Command(["python3", "-c", script, sandbox.path("state/control"), Self.evil]).run()
    #expect(outcome.status == 0 && outcome.text.split(separator: "\n").count == 5, "\(outcome.story)")
    #expect(Self.isClean(outcome.text), "\(outcome.text.debugDescription)")
    #expect(Self.isClean(service.errors))
  }
}
