import Foundation
import ProgramTesting
import Testing

#if canImport(Glibc)
  import Glibc
#endif

#if os(Linux)
  /// Another user tries to read or change what belongs to syncd. Only root can run programs as two other users.
  @Suite("Another user of the machine") struct OtherUserTests {
    private static let owner = 65534
    private static let stranger = 65533

    private func sandbox() throws -> Sandbox? {
      guard geteuid() == 0 else {
        skip("only root can run programs as other users")
        return nil
      }
      return try Sandbox(inMemory: true)
    }

    private func give(_ sandbox: Sandbox, _ path: String = ".", to user: Int) throws {
      try Command(["chown", "-R", "\(user):\(user)", sandbox.path(path)]).succeed()
    }

    /// A shell script as this user, without a umask.
    private func script(_ text: String, as user: Int, _ sandbox: Sandbox) -> Command {
      let rights = ["setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups", "--"]
      return Command(
        rights + [
          "sh", "-c", "umask 0; cd \"$1\"; shift; \(text)", "sh", sandbox.root, Sandbox.binary, "--settings", "s.toml",
        ])
    }

    @Test(
      "cannot open any file of the state folder or its socket, even if the folder can be entered and syncd has no umask"
    )
    func state() throws {
      guard let sandbox = try sandbox() else { return }
      try sandbox.write("* A\n", to: "org/a.org")
      try give(sandbox, to: Self.owner)
      let service = try script("exec \"$@\"", as: Self.owner, sandbox).start()
      defer {
        service.kill()
        _ = try? service.wait()
      }
      try sandbox.wait("the first sync") { sandbox.read("home/a.org") == "* A\n" }
      // After that pass the service is idle, so that no file disappears while its folder is listed.
      try script("exec \"$@\" sync", as: Self.owner, sandbox).succeed()
      try Command(["chmod", "-R", "a+X", sandbox.path("state")]).succeed()
      try Command(["find", sandbox.path("state"), "-type", "d", "-exec", "chmod", "755", "{}", "+"]).succeed()
      let attack = """
        import os, socket, sys
        opened = 0
        for folder, _, names in os.walk("state"):
            for name in names:
                place = os.path.join(folder, name)
                try:
                    if name == "control": socket.socket(socket.AF_UNIX).connect(place)
                    else: open(place).close()
                    print("opened", place)
                except PermissionError: opened += 1
        print("refused", opened)
        """
      try sandbox.write(attack, to: "attack.py")
      let outcome = try script("python3 attack.py", as: Self.stranger, sandbox).run()
      #expect(!outcome.text.contains("opened"), "\(outcome.story)")
      let refused = try #require(outcome.text.firstMatch(of: /refused (\d+)/).flatMap { Int($0.1) }, "\(outcome.story)")
      #expect(refused >= 4)
    }

    @Test("has no state folder, link or file that syncd would use", arguments: ["folder", "link", "archive"])
    func prepared(form: String) throws {
      guard let sandbox = try sandbox() else { return }
      try sandbox.write("* A\n", to: "org/a.org")
      try sandbox.write("theirs\n", to: "theirs/file")
      switch form {
      case "folder": try sandbox.write("x", to: "state/x")
      case "link": try Command(["ln", "-s", "theirs", sandbox.path("state")]).succeed()
      default: try Command(["mkdir", "-m", "777", sandbox.path("state")]).succeed()
      }
      try give(sandbox, to: Self.owner)
      if form != "archive" { try give(sandbox, form == "folder" ? "state" : "theirs", to: Self.stranger) }
      for words in ["", "--once", "capture Milk", "pause"] {
        let outcome = try script("exec timeout 60 \"$@\" \(words)", as: Self.owner, sandbox).run()
        #expect(outcome.status == 8, "\(words): \(outcome.story)")
        #expect(
          outcome.err.contains("belongs to another user") || outcome.err.contains("other users can write to"),
          "\(words): \(outcome.story)")
      }
      #expect(sandbox.read("home/a.org") == nil)
      #expect(sandbox.tree("theirs").names == ["file"])
    }

    @Test("is reported by `syncd doctor` if the settings or their folder are theirs", arguments: ["s.toml", "."])
    func settings(place: String) throws {
      guard let sandbox = try sandbox() else { return }
      try give(sandbox, to: Self.owner)
      try Command(["chown", "\(Self.stranger)", sandbox.path(place)]).succeed()
      // The owner of a folder can replace the files in it, with the sticky bit, too.
      try Command(["chmod", place == "." ? "1777" : "644", sandbox.path(place)]).succeed()
      let outcome = try script("exec \"$@\" doctor", as: Self.owner, sandbox).run()
      #expect(outcome.text.contains("belongs to another user, who can change"), "\(outcome.story)")
    }

    @Test("cannot open a temporary file: each is private from the beginning")
    func temporaryFiles() throws {
      guard try Strace.isUsable(), let sandbox = try sandbox() else { return }
      // 8 MB that cannot be compressed: the message with them is buffered in a file.
      let noise = (0..<200_000).map { _ in String(UInt64.random(in: 0...(.max)), radix: 36) + "\n" }
      try sandbox.write(noise.joined() + noise.reversed().joined() + noise.shuffled().joined(), to: "org/a.org")
      let server = sandbox.path("server.py")
      try sandbox.write(Self.server, to: "server.py")
      try sandbox.write(
        "[remotes.far]\nsync = \"git\"\n[remotes.far.git]\nurl = \"ADDRESS\"\nbranch = \"main\"\n", to: "far")
      let watched = """
        python3 '\(server)' >port & server=$!
        until [ -s port ]; do sleep 0.1; done
        sed "s|ADDRESS|http://127.0.0.1:$(cat port)/a.git|" far >>s.toml
        mkdir tmp; export TMPDIR=$PWD/tmp
        for words in "--once --dry-run" "--once"; do
          strace -f -qq -e signal=none -e trace=openat,open,creat,mkdir,mkdirat,rename,renameat,renameat2 -o calls "$@" $words
          cat calls >>all
        done
        kill $server
        """
      let outcome = try Command([
        "sh", "-c", "umask 0; cd \"$1\"; shift; \(watched)", "sh", sandbox.root, Sandbox.binary, "--settings", "s.toml",
      ]).run()
      let calls = try #require(sandbox.read("all"), "\(outcome.story)").split(separator: "\n")
      // What is in a private folder is private.
      let pattern = try Regex("\"\(sandbox.root)/tmp/[^/\"]*\"")
      let made = calls.filter { call in
        call.contains(pattern) && ["mkdir", "O_CREAT", "rename"].contains { call.contains($0) }
      }
      #expect(made.contains { $0.contains("O_CREAT") } && made.contains { $0.contains("mkdir") }, "\(outcome.story)")
      for call in made {
        // The mode is the last argument; strace may write the result in another line.
        #expect(call.contains(/, 0[67]00(\)| <unfinished)/), "\(call)")
      }
    }

    /// An empty repository on a git server, which rejects every push.
    private static let server = """
      import http.server
      packet = lambda text: b"%04x" % (len(text) + 4) + text
      class Server(http.server.BaseHTTPRequestHandler):
          def log_message(self, *args): pass
          def do_GET(self):
              service = self.path.split("service=")[-1].encode()
              refs = packet(b"0" * 40 + b" capabilities^{}\\0report-status\\n") if b"receive" in service else b""
              self.answer(service + b"-advertisement", packet(b"# service=" + service + b"\\n") + b"0000" + refs + b"0000")
          def do_POST(self):
              self.rfile.read(int(self.headers["Content-Length"]))
              self.answer(b"git-receive-pack-result", packet(b"unpack ok\\n") + packet(b"ng refs/heads/main closed\\n") + b"0000")
          def answer(self, kind, body):
              head = b"HTTP/1.1 200 OK\\r\\nContent-Type: application/x-" + kind + b"\\r\\nContent-Length: %d\\r\\n\\r\\n" % len(body)
              self.wfile.write(head + body)
      server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
      print(server.server_port, flush=True)
      server.serve_forever()
      """
  }
#endif
