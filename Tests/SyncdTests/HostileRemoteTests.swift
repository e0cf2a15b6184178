import Foundation
import ProgramTesting
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The service with two healthy remotes and one whose server tries to keep it busy.
@Suite("A service with a hostile remote") struct HostileRemoteTests {
  /// Answers each request with a header, and then with nothing, one byte a second, or endless bytes; or lists a file of 2 bytes
  /// whose content never ends. Prints its port, and counts its requests in a file.
  private static let script = """
    import http.server, sys, time
    kind, place = sys.argv[1:]
    class Server(http.server.BaseHTTPRequestHandler):
      protocol_version = "HTTP/1.1"
      def log_message(self, *args): pass
      def __getattr__(self, name):
        if name.startswith("do_"): return self.serve
        raise AttributeError(name)
      def serve(self):
        self.close_connection = True
        open(place, "a").write(self.command + "\\n")
        status = b"200 OK" if self.command == "GET" else b"207 Multi-Status"
        self.wfile.write(b"HTTP/1.1 " + status + b"\\r\\nDAV: 1\\r\\nContent-Type: application/xml\\r\\n\\r\\n")
        if kind != "sizes" or self.command != "GET": self.wfile.write(b'<?xml version="1.0"?><multistatus xmlns="DAV:">')
        if kind == "sizes" and self.command != "GET":
          for name, kind_of, size in [(b"", b"<collection/>", b""), (b"a.org", b"", b"<getcontentlength>2</getcontentlength>")]:
            self.wfile.write(b"<response><href>" + self.path.split("/org/")[0].encode() + b"/org/" + name
              + b'</href><propstat><prop><getetag>"1"</getetag><resourcetype>' + kind_of + b"</resourcetype>" + size
              + b"</prop><status>HTTP/1.1 200 OK</status></propstat></response>")
          self.wfile.write(b"</multistatus>")
          return
        self.wfile.flush()
        try:
          while True:
            if kind == "silent": time.sleep(600)
            if kind == "drip": time.sleep(1)
            self.wfile.write(b" " * (65536 if kind in ("endless", "sizes") else 1))
            self.wfile.flush()
        except OSError: pass
    http.server.ThreadingHTTPServer.request_queue_size = 128
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    server.daemon_threads = True
    print(server.server_port, flush=True)
    server.serve_forever()
    """

  private func remote(_ name: String, _ server: ServerProcess) -> String {
    """
    [remotes.\(name)]
    sync = "plain-files"
    cloud = "webdav"
    [remotes.\(name).webdav]
    url = "http://127.0.0.1:\(server.lines[0])/org/"
    user = "ann"
    password = "secret"

    """
  }

  @Test("a single run does not wait for the hostile remote before it syncs the others")
  func once() async throws {
    let sandbox = try Sandbox(remotes: ["home", "disk"])
    let server = try await ServerProcess(["python3", "-c", Self.script, "silent", sandbox.path("requests")])
    let settings = try #require(sandbox.read("s.toml"))
    try sandbox.write(
      settings.replacing("[remotes.home]\n", with: remote("hostile", server) + "[remotes.home]\n"), to: "s.toml")
    try sandbox.write("* A\n", to: "org/a.org")
    let run = try sandbox.command(["--once"]).start()
    defer {
      run.kill()
      _ = try? run.wait()
    }
    for name in ["home", "disk"] {
      try sandbox.wait("the file in \(name)") { sandbox.read("\(name)/a.org") == "* A\n" }
    }
    #expect(sandbox.read("requests") != nil)
  }

  @Test(
    "the service answers, syncs the other remotes and uses little memory for an hour", .enabled(if: isSoak),
    .timeLimit(.minutes(90)))
  func hour() async throws {
    let minutes = Double(ProcessInfo.processInfo.environment["SYNCD_HOSTILE_MINUTES"] ?? "") ?? 60
    let sandbox = try Sandbox(
      remotes: ["home", "disk", "stick"], settings: "interval = \"20s\"\nquiet = \"50ms\"")
    try sandbox.write("* A\n", to: "org/a.org")
    let settings = try #require(sandbox.read("s.toml"))
    let idle = try await peak(sandbox, for: 10)
    var servers: [ServerProcess] = []
    var text = settings
    for kind in ["silent", "drip", "endless", "sizes"] {
      let server = try await ServerProcess(["python3", "-c", Self.script, kind, sandbox.path("requests-\(kind)")])
      servers.append(server)
      text += remote(kind, server)
    }
    try sandbox.write(text, to: "s.toml")
    let hostile = try await peak(sandbox, for: minutes * 60)
    print("memory: idle \(idle.memory >> 10) KiB, with hostile remotes \(hostile.memory >> 10) KiB at most")
    print(
      "longest answer to `status`: \(hostile.answer) s in \(hostile.rounds) rounds; longest sync: \(hostile.sync) s")
    #expect(hostile.memory - idle.memory <= 64 << 20)
    #expect(hostile.answer < .seconds(1))
    for kind in ["silent", "drip", "endless", "sizes"] { #expect(sandbox.read("requests-\(kind)") != nil) }
    withExtendedLifetime(servers) {}
  }

  private struct Peak {
    var memory = 0
    var answer = Duration.zero
    var sync = Duration.zero
    var rounds = 0
  }

  /// Lets the service sync edits with three healthy remotes, and returns its peak memory and longest time.
  private func peak(_ sandbox: Sandbox, for seconds: Double) async throws -> Peak {
    let service = try sandbox.command([]).start()
    defer {
      service.kill(SIGTERM)
      _ = try? service.wait()
    }
    try sandbox.wait("the control socket") { FileManager.default.fileExists(atPath: sandbox.path("state/control")) }
    let clock = ContinuousClock()
    let end = clock.now + .seconds(seconds)
    var peak = Peak()
    while clock.now < end {
      peak.rounds += 1
      let text = "* \(UUID().uuidString)\n"
      let start = clock.now
      try sandbox.write(text, to: "org/b.org")
      for name in ["home", "disk", "stick"] {
        try sandbox.wait("an edit in \(name)") { sandbox.read("\(name)/b.org") == text }
      }
      peak.sync = max(peak.sync, clock.now - start)
      let asked = clock.now
      let status = try sandbox.ask([#"{"do": "status"}"#])
      peak.answer = max(peak.answer, clock.now - asked)
      #expect(status[0]["ok"] as? Bool == true)
      peak.memory = max(peak.memory, service.memory ?? 0)
      try await Task.sleep(for: .seconds(1))
    }
    return peak
  }

  @Test(
    "the service syncs the other remotes, answers its socket and yields to commands",
    arguments: ["silent", "drip", "endless", "sizes"])
  func healthy(kind: String) async throws {
    let sandbox = try Sandbox(remotes: ["home", "disk"], settings: "interval = \"1h\"\nquiet = \"50ms\"")
    let server = try await ServerProcess(["python3", "-c", Self.script, kind, sandbox.path("requests")])
    let settings = try #require(sandbox.read("s.toml"))
    try sandbox.write(settings + remote("hostile", server), to: "s.toml")
    try sandbox.write("* A\n", to: "org/a.org")
    let service = try sandbox.command([]).start()
    var isRunning = true
    defer { if isRunning { service.kill() } }
    try sandbox.wait("a request to the hostile server") { sandbox.read("requests") != nil }
    for number in 0..<3 {
      try sandbox.write("* \(number)\n", to: "org/\(number).org")
      for name in ["home", "disk"] {
        try sandbox.wait("\(number) in \(name)") { sandbox.read("\(name)/\(number).org") == "* \(number)\n" }
      }
    }
    let status = try sandbox.ask([#"{"do": "status"}"#, #"{"do": "sync", "remotes": ["home"]}"#])
    #expect(status.map { $0["ok"] as? Bool } == [true, true])
    let results = (status[0]["remotes"] as? [[String: Any]])?.map { $0["result"] as? String }
    #expect(results?.prefix(2) == ["synced", "synced"] && results?.last != "synced", "\(status)")
    try sandbox.write("* A\nedited\n", to: "org/a.org")
    for name in ["home", "disk"] {
      try sandbox.wait("the edit in \(name)") { sandbox.read("\(name)/a.org") == "* A\nedited\n" }
    }
    #expect(try sandbox.syncd("restore", "a.org").status == 0)
    for name in ["home", "disk"] {
      try sandbox.wait("the restored file in \(name)") { sandbox.read("\(name)/a.org") == "* A\n" }
    }
    service.kill(SIGTERM)
    let outcome = try service.wait()
    isRunning = false
    #expect(outcome.status == 0, "\(outcome.story)")
  }
}
