import Foundation
import ProgramTesting
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The service with two healthy remotes and one whose server wants to keep it busy.
@Suite("A service with a hostile remote") struct HostileRemoteTests {
  /// Answers each request with a head, and then with nothing, one byte a second, or bytes without an end. Prints its port, and
  /// counts its requests in a file.
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
        self.wfile.write(b"HTTP/1.1 207 Multi-Status\\r\\nDAV: 1\\r\\nContent-Type: application/xml\\r\\n\\r\\n")
        self.wfile.write(b'<?xml version="1.0"?><multistatus xmlns="DAV:">')
        self.wfile.flush()
        try:
          while True:
            if kind == "silent": time.sleep(600)
            if kind == "drip": time.sleep(1)
            self.wfile.write(b" " * (65536 if kind == "endless" else 1))
            self.wfile.flush()
        except OSError: pass
    http.server.ThreadingHTTPServer.request_queue_size = 128
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    server.daemon_threads = True
    print(server.server_port, flush=True)
    server.serve_forever()
    """

  @Test("syncs the others, answers its socket and yields to commands", arguments: ["silent", "drip", "endless"])
  func healthy(kind: String) async throws {
    let sandbox = try Sandbox(remotes: ["home", "disk"], settings: "interval = \"1h\"\nquiet = \"50ms\"")
    let server = try await ServerProcess(["python3", "-c", Self.script, kind, sandbox.path("requests")])
    let settings = try #require(sandbox.read("s.toml"))
    let remote = """
      [remotes.hostile]
      sync = "plain-files"
      cloud = "webdav"
      [remotes.hostile.webdav]
      url = "http://127.0.0.1:\(server.lines[0])/org/"
      user = "ann"
      password = "secret"
      """
    try sandbox.write(settings + remote, to: "s.toml")
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
