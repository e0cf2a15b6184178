import Foundation
import ProgramTesting
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The tables `[[on]]`, with the real program, real commands and a real HTTP server.
@Suite("Events") struct EventTests {
  /// Appends its standard input, arguments and environment to files.
  private static let recorder = """
    #!/bin/sh
    cat >>"$0.in"; printf '%s\\n' "$@" >>"$0.arguments"; env >>"$0.environment"; echo end >>"$0.end"
    """

  private func sandbox(_ tables: String, settings: String = "") throws -> Sandbox {
    let sandbox = try Sandbox(settings: settings)
    try add(tables, to: sandbox)
    try script(Self.recorder, as: "recorder", in: sandbox)
    return sandbox
  }

  private func add(_ tables: String, to sandbox: Sandbox) throws {
    let programs = tables.replacing("\"./", with: "\"\(sandbox.root)/")
    try sandbox.write(try #require(sandbox.read("s.toml")) + programs, to: "s.toml")
  }

  private func script(_ text: String, as name: String, in sandbox: Sandbox) throws {
    try sandbox.writeProgram(text, to: name)
  }

  /// The events that the recorder received, each valid according to its schema.
  private func events(_ sandbox: Sandbox, of file: String = "recorder.in") throws -> [Event] {
    try (sandbox.read(file) ?? "").split(separator: "\n").map { line in
      let document = try JSONSerialization.jsonObject(with: Data(line.utf8))
      #expect(try JSONSchema("on-event").mistakes(in: document) == [], "\(line)")
      return try JSONDecoder().decode(Event.self, from: Data(line.utf8))
    }
  }

  private struct Event: Decodable {
    var event: String, remote: String, message: String, result: String, files: [File], leftOut: Int, fileCount: Int

    enum CodingKeys: String, CodingKey {
      case event, remote, message, result, files
      case leftOut = "left-out"
      case fileCount = "file-count"
    }

    struct File: Decodable { var path: String, action: String }
  }

  @Test("each kind of event starts the command once, with JSON on standard input")
  func kinds() throws {
    let all = "[\"synced\", \"changed\", \"conflict\", \"held\", \"failed\"]"
    let sandbox = try sandbox("[[on]]\nevent = \(all)\ncommand = [\"./recorder\", \"fixed\"]\nrate-limit = \"0s\"\n")
    for number in 0..<9 { try sandbox.write("* \(number)\nText.\n", to: "org/\(number).org") }
    func run(_ status: Int32) throws -> [String] {
      try? FileManager.default.removeItem(atPath: sandbox.path("recorder.in"))
      try sandbox.once(status: status)
      return try events(sandbox).map(\.event)
    }
    #expect(try run(0) == ["changed", "synced"])
    #expect(try events(sandbox)[0].files.count == 9)
    #expect(try run(0) == ["synced"])
    try sandbox.write(["org/0.org": "* 0\nOne version here.\n", "home/0.org": "* 0\nQuite another thing.\n"])
    let conflict = try run(3)
    #expect(conflict.contains("conflict") && conflict.contains("synced"), "\(conflict)")
    #expect(try !run(3).contains("conflict"), "an open conflict was reported before")
    for number in 1..<8 { try sandbox.remove("org/\(number).org") }
    #expect(try run(6) == ["held"])
    #expect(try run(6) == [])
    try sandbox.move("home", "away")
    #expect(try run(6) == ["failed"])
    #expect(try run(6) == [])
    #expect(sandbox.read("recorder.arguments")?.split(separator: "\n").allSatisfy { $0 == "fixed" } == true)
  }

  @Test("a dry run has no events, and only the named remote counts")
  func choice() throws {
    let sandbox = try Sandbox(remotes: ["home", "away"])
    try add("[[on]]\nevent = \"changed\"\nremote = \"away\"\ncommand = [\"./recorder\"]\n", to: sandbox)
    try script(Self.recorder, as: "recorder", in: sandbox)
    try sandbox.write("* A\n", to: "org/a.org")
    try sandbox.syncd("--once", "--dry-run")
    #expect(try events(sandbox).isEmpty)
    try sandbox.once()
    #expect(try events(sandbox).map(\.remote) == ["away"])
  }

  @Test("the text of a remote is in standard input only")
  func hostileNames() throws {
    let sandbox = try sandbox("[[on]]\nevent = \"changed\"\ncommand = [\"./recorder\"]\n")
    try sandbox.once()
    let name = "$(touch pwned) `id` ;--evil\u{1B}[2J\nX.org"
    try sandbox.write("* A\n", to: "home/" + name)
    try sandbox.once()
    #expect(try events(sandbox).first?.files.first?.path.contains("--evil\\x1b[2J\\x0aX.org") == true)
    for file in ["recorder.arguments", "recorder.environment"] {
      #expect(sandbox.read(file)?.contains("evil") == false)
    }
    #expect(sandbox.read("pwned") == nil)
  }

  @Test("events within the rate limit are left out and counted, also over several runs")
  func rate() throws {
    let sandbox = try sandbox("[[on]]\nevent = \"changed\"\ncommand = [\"./recorder\"]\nrate-limit = \"1d\"\n")
    for number in 0..<4 {
      try sandbox.write("* \(number)\n", to: "org/a.org")
      try sandbox.once()
    }
    #expect(try events(sandbox).map(\.leftOut) == [0])
    let settings = try #require(sandbox.read("s.toml"))
    try sandbox.write(settings.replacing("rate-limit = \"1d\"", with: "rate-limit = \"0s\""), to: "s.toml")
    try sandbox.once()
    #expect(try events(sandbox).map(\.leftOut) == [0, 2])
    try sandbox.once()
    #expect(try events(sandbox).count == 2)
  }

  @Test("per-file sends an event for each file, at most 100")
  func perFile() throws {
    let sandbox = try sandbox("[[on]]\nevent = \"changed\"\ncommand = [\"./recorder\"]\nper-file = true\n")
    for number in 0..<103 { try sandbox.write("* \(number)\n", to: "org/\(number).org") }
    try sandbox.once()
    let events = try events(sandbox)
    #expect(events.count == 100 && events.allSatisfy { $0.files.count == 1 } && events.last?.leftOut == 3)
  }

  @Test("the output of a failing command is in the log, without control characters")
  func failure() throws {
    let sandbox = try sandbox("[[on]]\nevent = \"synced\"\ncommand = [\"./fails\"]\nrate-limit = \"0s\"\n")
    try script("#!/bin/sh\nprintf 'out\\033[2J'; echo broken >&2; exit 7\n", as: "fails", in: sandbox)
    let outcome = try sandbox.syncd("--once")
    #expect(outcome.status == 0 && outcome.err.contains("failed with status 7: out\\x1b[2Jbroken"), "\(outcome.story)")
    #expect(!outcome.err.contains("\u{1B}"))
    try add("[[on]]\nevent = \"synced\"\ncommand = [\"./missing\"]\n", to: sandbox)
    #expect(try sandbox.syncd("--once").err.contains("/missing\" cannot be run"))
  }

  @Test("the command and its children end at the time limit")
  func timeLimit() throws {
    let sandbox = try sandbox(
      "[[on]]\nevent = \"synced\"\ncommand = [\"./slow\"]\ntime-limit = \"1s\"\nrate-limit = \"0s\"\n")
    try script("#!/bin/sh\nsleep 1000 & echo $! >$0.child; wait\n", as: "slow", in: sandbox)
    let settings = try #require(sandbox.read("s.toml"))
    // On a busy machine, the command may end before it has started its child.
    for limit in ["1s", "10s", "50s"] where sandbox.read("slow.child")?.hasSuffix("\n") != true {
      try sandbox.write(settings.replacing("\"1s\"", with: "\"\(limit)\""), to: "s.toml")
      let outcome = try sandbox.syncd("--once")
      #expect(outcome.status == 0 && outcome.err.contains("takes longer than \(limit)"), "\(outcome.story)")
    }
    let child = try id(in: "slow.child", of: sandbox)
    try sandbox.wait("the end of the child") { hasEnded(child) }
  }

  private func id(in file: String, of sandbox: Sandbox) throws -> pid_t {
    let text = try #require(sandbox.read(file))
    return try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
  }

  @Test("the service continues while a command runs, sends its events once, and ends the command with itself")
  func service() throws {
    let sandbox = try sandbox(
      "[[on]]\nevent = \"changed\"\ncommand = [\"./blocks\"]\n[[on]]\nevent = \"changed\"\ncommand = [\"./recorder\"]\n"
        + "rate-limit = \"0s\"\n", settings: "interval = \"1h\"\nquiet = \"10ms\"")
    try script("#!/bin/sh\necho $$ >$0.blocked; exec sleep 1000\n", as: "blocks", in: sandbox)
    let service = try sandbox.command([]).start()
    defer { service.kill() }
    try sandbox.write("* A\n", to: "org/a.org")
    try sandbox.wait("the command") { sandbox.read("blocks.blocked")?.hasSuffix("\n") == true }
    try sandbox.write("* B\n", to: "org/b.org")
    try sandbox.wait("the next pass and its event") {
      sandbox.read("home/b.org") == "* B\n" && sandbox.read("recorder.in")?.contains("b.org") == true
    }
    let blocked = try id(in: "blocks.blocked", of: sandbox)
    service.kill(SIGTERM)
    let outcome = try service.wait()
    #expect(outcome.status == 0, "\(outcome.story)")
    try sandbox.wait("the end of the command") { hasEnded(blocked) }
  }

  @Test("`url` sends the same document by POST, and an error of the server is in the log")
  func post() async throws {
    let script = """
      import http.server, sys
      class Server(http.server.BaseHTTPRequestHandler):
        def log_message(self, *args): pass
        def do_POST(self):
          body = self.rfile.read(int(self.headers["Content-Length"])).decode()
          open(sys.argv[1], "a").write(body)
          open(sys.argv[1] + ".head", "a").write(self.path + " " + self.headers["Content-Type"] + "\\n")
          self.send_response(204 if self.path == "/hook?token=s3cret" else 500)
          self.end_headers()
      server = http.server.HTTPServer(("127.0.0.1", 0), Server)
      print(server.server_port, flush=True)
      server.serve_forever()
      """
    let sandbox = try sandbox("")
    let server = try await ServerProcess(["python3", "-c", script, sandbox.path("posted")])
    let address = "http://127.0.0.1:\(server.lines[0])"
    try add("[[on]]\nevent = \"changed\"\nurl = \"\(address)/hook?token=s3cret\"\n", to: sandbox)
    try sandbox.write("* A\n", to: "org/a.org")
    let outcome = try sandbox.syncd("--once")
    #expect(outcome.status == 0 && outcome.err == "", "\(outcome.story)")
    #expect(try events(sandbox, of: "posted").map(\.event) == ["changed"])
    #expect(sandbox.read("posted.head") == "/hook?token=s3cret application/json\n")
    #expect(try !sandbox.syncd("settings", "show").text.contains("s3cret"))
    try add("[[on]]\nevent = \"synced\"\nurl = \"\(address)/wrong?token=s3cret\"\n", to: sandbox)
    let failed = try sandbox.syncd("--once")
    #expect(failed.status == 0 && failed.err.contains("answered with status 500"), "\(failed.story)")
    #expect(failed.err.contains("POST to \(address)") && !failed.err.contains("s3cret"))
  }

  @Test("`mail` gives sendmail a message")
  func mail() throws {
    let sandbox = try sandbox(
      "[[on]]\nevent = \"changed\"\nmail = \"ann@example.org\"\n", settings: "sendmail = \"recorder\"")
    try sandbox.write("* A\n", to: "org/a.org")
    let outcome = try sandbox.syncd("--once")
    #expect(outcome.err == "", "\(outcome.story)")
    #expect(sandbox.read("recorder.arguments") == "-i\nann@example.org\n")
    let message = try #require(sandbox.read("recorder.in"))
    #expect(message.hasPrefix("To: ann@example.org\nSubject: syncd: changed: home\n"), "\(message)")
    #expect(message.contains("\n\nhome: 1 copied; 4 B up") && message.contains("\na.org: copy\n"), "\(message)")
  }

  @Test("mistakes in [[on]] are reported with their places")
  func mistakes() throws {
    for (table, message) in [
      ("event = \"changed\"", "needs exactly one of `command`, `url` and `mail`"),
      ("event = \"change\"\ncommand = [\"true\"]", "did you mean \"changed\""),
      ("event = []\ncommand = [\"true\"]", "or a list of them"),
      (
        "event = \"held\"\nremote = \"hom\"\ncommand = [\"true\"]",
        "no remote named \"hom\" (did you mean \"home\"?)"
      ),
      ("event = \"held\"\nurl = \"ftp://a.example\"", "must begin with https://"),
      ("event = \"held\"\nmail = \"-oQ/tmp\"", "must be a mail address"),
      ("comand = [\"true\"]", "unknown setting \"comand\" in [[on]] (did you mean \"command\"?)"),
    ] {
      let sandbox = try Sandbox()
      try add("[[on]]\n\(table)\n", to: sandbox)
      let outcome = try sandbox.syncd("settings", "check")
      #expect(outcome.status == 8 && outcome.story.contains(message), "\(table)\n\(outcome.story)")
    }
  }
}
