import Foundation
import ProgramTesting
import Testing

/// Which credentials reach a server, as seen by the server.
@Suite("Credentials on the wire") struct CredentialTests {
  /// Demands credentials in every answer and records those that it gets. The first part of the path names the remote, and the
  /// challenge.
  private static let script = """
    import http.server, sys
    class Server(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        def log_message(self, *args): pass
        def __getattr__(self, name):
            if name.startswith("do_"): return self.serve
            raise AttributeError(name)
        def serve(self):
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            name = self.path.split("/")[1].split("?")[0]
            with open(sys.argv[1], "a") as file: file.write(name + " " + (self.headers.get("Authorization") or "none") + "\\n")
            digest = 'Digest realm="r", qop="auth", nonce="n", algorithm=' + ("SHA-256" if "sha" in name else "MD5")
            challenge = digest + (", stale=true" if "stale" in name else "") if "digest" in name and "basic" not in name else 'Basic realm="r"'
            self.send_response(401)
            self.send_header("WWW-Authenticate", challenge)
            self.send_header("Content-Length", "0")
            self.end_headers()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    print(server.server_port, flush=True)
    server.serve_forever()
    """

  /// Syncs once with these remotes, and returns the credentials that the server got, by remote.
  private func credentials(_ remotes: (String) -> String) async throws -> [String: Set<String>] {
    let sandbox = try Sandbox(remotes: [])
    try sandbox.write("* A\n", to: "org/a.org")
    try sandbox.write("machine 127.0.0.1\nlogin ann\npassword from-netrc\n", to: "me/.netrc")
    try Command(["chmod", "600", sandbox.path("me/.netrc")]).succeed()
    let server = try await ServerProcess(["python3", "-c", Self.script, sandbox.path("seen")])
    try sandbox.write((sandbox.read("s.toml") ?? "") + remotes("http://127.0.0.1:\(server.lines[0])"), to: "s.toml")
    let outcome = try await sandbox.command(["--once", "-v"], environment: ["HOME": sandbox.path("me")]).finish()
    #expect(outcome.status != 0 && outcome.status < 128, "\(outcome.story)")
    let seen = try #require(sandbox.read("seen"), "\(outcome.story)").split(separator: "\n").map { line in
      let parts = line.split(separator: " ", maxSplits: 1)
      return (String(parts[0]), Set([String(parts[1])]))
    }
    return Dictionary(seen) { $0.union($1) }
  }

  private func webDAV(_ name: String, _ text: String) -> (String) -> String {
    { address in
      """
      [remotes.\(name)]
      sync = "plain-files"
      cloud = "webdav"
      [remotes.\(name).webdav]
      url = "\(address)/\(name)/"
      \(text)

      """
    }
  }

  @Test("no remote sends a password from ~/.netrc unless its settings say so")
  func netrc() async throws {
    let stolen = "Basic " + Data("ann:from-netrc".utf8).base64EncodedString()
    let seen = try await credentials { address in
      webDAV("asked", "netrc = true")(address) + webDAV("unasked", "")(address)
        + webDAV("own", "user = \"ann\"\npassword = \"own\"")(address)
        + webDAV("own-digest", "user = \"ann\"\npassword = \"own\"\nauth = \"digest\"")(address)
          + """
          [remotes.bucket]
          sync = "plain-files"
          cloud = "s3"
          [remotes.bucket.s3]
          bucket = "bucket"
          addressing = "path"
          access-key = "k"
          secret-key = "s"
          endpoint = "\(address)"
          [remotes.box]
          sync = "plain-files"
          cloud = "box"
          [remotes.box.box]
          auth = "app"
          subject = "user:1"
          client-id = "k"
          client-secret = "s"
          api-url = "\(address)/box"
          [remotes.dropbox]
          sync = "plain-files"
          cloud = "dropbox"
          [remotes.dropbox.dropbox]
          app-key = "k"
          refresh-token = "token"
          api-url = "\(address)/dropbox"
          [remotes.github]
          sync = "plain-files"
          cloud = "github"
          [remotes.github.github]
          repository = "ann/notes"
          token = "token"
          api-url = "\(address)/github"
          [remotes.git]
          sync = "git"
          [remotes.git.git]
          url = "\(address)/git/a.git"
          branch = "main"

          """
    }
    #expect(seen["asked"]?.contains(stolen) == true, "\(seen)")
    for (name, headers) in seen where name != "asked" { #expect(!headers.contains(stolen), "\(name): \(headers)") }
    #expect(seen.count == 9, "\(seen)")
  }

  @Test("with Digest, no server gets the password, whatever it demands and however often it refuses")
  func digest() async throws {
    let settings = "user = \"ann\"\npassword = \"pass-word\"\nauth = \"digest\""
    let names = ["digest", "digest-sha", "digest-stale", "digest-basic"]
    let seen = try await credentials { address in names.map { webDAV($0, settings)(address) }.joined() }
    let basic = Data("ann:pass-word".utf8).base64EncodedString()
    for name in names {
      let headers = try #require(seen[name], "\(seen)")
      for header in headers {
        #expect(
          !header.contains("pass-word") && !header.contains(basic) && !header.hasPrefix("Basic"), "\(name): \(header)")
      }
      #expect((name != "digest-basic") == headers.contains { $0.hasPrefix("Digest ") }, "\(name): \(headers)")
    }
  }

  @Test("with Basic, a server that demands something else gets the password in no other form")
  func basic() async throws {
    let seen = try await credentials(webDAV("digest-only", "user = \"ann\"\npassword = \"pass-word\""))
    let basic = "Basic " + Data("ann:pass-word".utf8).base64EncodedString()
    #expect(seen["digest-only"]?.isSubset(of: ["none", basic]) == true, "\(seen)")
  }
}
