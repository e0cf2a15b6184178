import Foundation
import ProgramTesting
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The Python that has the parser: Debian installs it for the system's Python, which need not be the first.
private let python = ["/usr/bin/python3", "python3"].first { python in
  (try? Command([python, "-c", "import prometheus_client"]).run().status) == 0
}

/// The metrics of the real program, requested like Prometheus does and parsed by its Python client.
@Suite(
  "Metrics of the service",
  .enabled(if: python != nil, "*** python3-prometheus-client is not installed: metrics are not tested ***"))
struct MetricsTests {
  private static let settings = "interval = \"1h\"\nquiet = \"50ms\"\n"

  private func sandbox(_ settings: String, remotes: [String] = ["home"]) throws -> Sandbox {
    try Sandbox(remotes: remotes, settings: Self.settings + settings)
  }

  private func end(_ service: Running) throws -> Outcome {
    service.kill(SIGTERM)
    let outcome = try service.wait()
    #expect(outcome.status == 0, "\(outcome.story)")
    return outcome
  }

  /// The address of the metrics that the service logs.
  private func url(of service: Running, in sandbox: Sandbox) throws -> String {
    try sandbox.wait("the address of the metrics") { service.errors.contains("/metrics") }
    return String(try #require(service.errors.firstMatch(of: /http:\/\/[^ ]*\/metrics/)).0)
  }

  @Test("passes, changes, conflicts, holds and errors are counted, as Prometheus' own parser reads them")
  func figures() throws {
    let sandbox = try sandbox("metrics-port = 0\nconflicts = \"keep-both\"", remotes: ["home", "disk"])
    let text = try #require(sandbox.read("s.toml"))
    try sandbox.write(text.replacing("path = \"disk\"", with: "path = \"mount/disk\""), to: "s.toml")
    for number in 0..<8 { try sandbox.write("* \(number)\n", to: "org/\(number).org") }
    try sandbox.write("* Both\n", to: "org/both.txt")
    let service = try sandbox.command([]).start()
    let url = try url(of: service, in: sandbox)
    func figures() throws -> Figures { try Figures(at: url) }
    var now = try figures()
    // The remotes are synced at the same time, the counters of a pass are not recorded at once, and the disk is tried again.
    try sandbox.wait("the first passes") {
      now = (try? figures()) ?? now
      let failures = now["syncd_errors_total", "code=unavailable,remote=disk"] ?? 0
      let unreachable = now["syncd_passes_total", "remote=disk,result=unreachable"] ?? -1
      let passes = now.sum("syncd_passes_total", "remote=home")
      let measured = now["syncd_pass_duration_seconds_count", "remote=home"] ?? -1
      let isOver = now["syncd_up", "remote=disk"] == 0 && now["syncd_open_conflicts", "remote=home"] != nil
      return isOver && failures > 0 && failures == unreachable && passes == measured
    }
    #expect(now.contentType == "text/plain; version=0.0.4; charset=utf-8")
    #expect(now["syncd_up", "remote=home"] == 1)
    #expect(now["syncd_build_info", "version=\(try version())"] == 1)
    #expect(now["syncd_changed_files_total", "action=copy,remote=home,side=remote"] == 9)
    #expect(now["syncd_changed_files_total", "action=remove,remote=home,side=local"] == 0)
    #expect(now["syncd_transferred_bytes_total", "direction=up,remote=home"] == 39)
    try sandbox.wait("the time of the last success") {
      let noted = try? modified(sandbox.path("state/seen/home"))
      return noted != nil && (try? figures()["syncd_last_success_timestamp_seconds", "remote=home"]) == noted
    }
    #expect(now["syncd_last_success_timestamp_seconds", "remote=disk"] == nil)
    #expect(now["syncd_open_conflicts", "remote=home"] == 0)

    let passes = now.sum("syncd_passes_total", "remote=home")
    #expect(passes > 0 && passes == now["syncd_pass_duration_seconds_count", "remote=home"])
    #expect(passes == now["syncd_pass_duration_seconds_bucket", "le=+Inf,remote=home"])

    // A pass must see all of the following changes or none.
    let pause = try sandbox.ask([#"{"do": "sync", "remotes": ["home"]}"#, #"{"do": "pause"}"#])
    #expect(pause.allSatisfy { $0["ok"] as? Bool == true }, "\(pause)")
    try sandbox.write("* Both\nours\n", to: "org/both.txt")
    try sandbox.write("* Both\ntheirs\n", to: "home/both.txt")
    for number in 0..<8 { try sandbox.remove("org/\(number).org") }
    #expect(try sandbox.ask([#"{"do": "resume"}"#])[0]["ok"] as? Bool == true)
    try sandbox.wait("conflict and hold") {
      now = (try? figures()) ?? now
      return now["syncd_open_conflicts", "remote=home"] == 1 && now["syncd_held_deletions", "remote=home"] == 8
    }
    #expect(now.sum("syncd_changed_files_total", "action=conflict,remote=home") == 1)
    #expect(now.sum("syncd_passes_total", "remote=home") > passes)
    for name in Self.documented { #expect(now.families.contains(name), "\(name) is documented, but missing") }
    for name in now.families { #expect(Self.documented.contains(name), "\(name) is not documented") }
    _ = try end(service)
  }

  /// The names in the documentation's table.
  private static let documented: Set<String> = {
    let file = URL(filePath: #filePath).appending(path: "../../../docs/service.md").standardizedFileURL
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    return Set(text.matches(of: /(?m)^\| `(syncd_[a-z_]+)[`{]/).map { String($0.1) })
  }()

  private func version() throws -> String {
    String(try Command([Sandbox.binary, "--version"]).run().text.prefix { !$0.isNewline })
  }

  private func modified(_ path: String) throws -> Double {
    let date = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
    return try #require(date).timeIntervalSince1970.rounded(.down)
  }

  @Test("counters continue after a command used the lock and after the settings were reloaded")
  func continuity() throws {
    let sandbox = try sandbox("metrics-port = 0\nmetrics = \"figures/syncd.prom\"")
    try sandbox.write("", to: "figures/other")
    try sandbox.write("* A\n", to: "org/a.org")
    let service = try sandbox.command([]).start()
    let url = try url(of: service, in: sandbox)
    func copied(_ place: String) throws -> Double {
      try Figures(at: place)["syncd_changed_files_total", "action=copy,remote=home,side=remote"] ?? -1
    }
    let file = "file://" + sandbox.path("figures/syncd.prom")
    try sandbox.wait("the first sync") { (try? copied(file)) == 1 }
    for number in 1...3 {
      // Passes of a command are not counted here; its file must not replace the service's either.
      try sandbox.once()
      service.kill(SIGHUP)
      try sandbox.write("* B\n", to: "org/b\(number).org")
      try sandbox.wait("another sync") { (try? copied(url)).map { $0 >= Double(number) } ?? false }
      #expect(try copied(file) >= 1)
    }
    try sandbox.wait("all of them") { (try? copied(url)) == (try? copied(file)) }
    // While the file is written, there is another one.
    try sandbox.wait("no leftovers") {
      let names = try? FileManager.default.contentsOfDirectory(atPath: sandbox.path("figures"))
      return names?.sorted() == ["other", "syncd.prom"]
    }
    _ = try end(service)
  }

  @Test("a run writes one file that the node exporter can read, whatever the umask")
  func textfile() throws {
    let sandbox = try sandbox("metrics = \"figures/syncd.prom\"")
    try sandbox.write("* A\n", to: "org/a.org")
    try sandbox.write("old", to: "figures/syncd.prom")
    let words = [
      "sh", "-c", "umask 077; exec \"$@\"", "sh", Sandbox.binary, "--settings", sandbox.path("s.toml"), "--once",
    ]
    for _ in 0..<2 {
      try Command(words).succeed()
      let figures = try Figures(at: "file://" + sandbox.path("figures/syncd.prom"))
      #expect(figures["syncd_up", "remote=home"] == 1)
      let mode =
        try FileManager.default.attributesOfItem(atPath: sandbox.path("figures/syncd.prom"))[.posixPermissions] as? Int
      #expect(mode == 0o644)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.path("figures")) == ["syncd.prom"])
  }

  @Test(
    "a port in use is reported, the service continues, and listens once the port is free and the settings are reloaded")
  func taken() throws {
    // The system gives this port to no other program between the two services.
    let port = try freePort()
    let (first, second) = (try sandbox("metrics-port = \(port)"), try sandbox(""))
    let holder = try first.command([]).start()
    let url = try url(of: holder, in: first)
    try second.writeSettings(settings: Self.settings + "metrics-port = \(port)")
    try second.write("* A\n", to: "org/a.org")
    let service = try second.command([]).start()
    try second.wait("a sync without figures") { second.read("home/a.org") == "* A\n" }
    #expect(service.errors.contains("127.0.0.1:\(port): another program uses that port"), "\(service.errors)")
    _ = try end(holder)
    service.kill(SIGHUP)
    #expect(try self.url(of: service, in: second) == url)
    try second.wait("figures") { (try? Figures(at: url)["syncd_up", "remote=home"]) == 1 }
    _ = try end(service)
  }

  @Test(
    "an address that other hosts could reach is refused", arguments: [#""0.0.0.0:9780""#, "70000", "true"])
  func refused(value: String) throws {
    let outcome = try sandbox("metrics-port = \(value)").syncd("settings", "check")
    #expect(outcome.status == 8 && outcome.err.contains("s.toml:5:16:"), "\(outcome.story)")
  }

  @Test("a client that connects without a request delays others only for a moment")
  func silence() throws {
    let sandbox = try sandbox("metrics-port = 0")
    try sandbox.write("* A\n", to: "org/a.org")
    let service = try sandbox.command([]).start()
    let url = try url(of: service, in: sandbox)
    let script = """
      import socket, sys, time, urllib.parse
      place = urllib.parse.urlparse(sys.argv[1])
      silent = [socket.create_connection((place.hostname, place.port)) for _ in range(2)]
      silent[1].send(b"GET /metrics HTTP/1.1\\r\\n")
      print("ready", flush=True); time.sleep(60)
      """
    let silent = try Command(["python3", "-c", script, url]).start()
    defer { silent.kill() }
    try sandbox.wait("two clients without a request") { silent.text == "ready\n" }
    #expect(try Figures(at: url)["syncd_build_info", "version=\(try version())"] == 1)
    try sandbox.wait("the first sync") { sandbox.read("home/a.org") == "* A\n" }
    _ = try end(service)
  }

  @Test("no port is open unless the settings ask for it, and then only on a loopback address")
  func off() throws {
    for (settings, expected) in [
      ("", []), ("metrics-port = 0", ["0100007F"]), ("metrics-port = \"[::1]:0\"", [Self.six]),
    ] {
      let sandbox = try sandbox(settings)
      try sandbox.write("* A\n", to: "org/a.org")
      let service = try sandbox.command([]).start()
      try sandbox.wait("the first sync") { sandbox.read("home/a.org") == "* A\n" }
      // The kernel lists sockets in pieces, and may omit one while others are opened and closed (proc(5), /proc/net/tcp).
      do {
        try sandbox.wait("the listening sockets of `\(settings)`") { (try? listening(service)) == expected }
      } catch { throw TestFailure("\(error); it has \(try listening(service)), and printed: \(service.errors)") }
      _ = try end(service)
    }
  }

  @Test("folders without an inotify watch are counted, and still checked at every interval")
  func unwatched() throws {
    let limit = "echo 4 >/proc/sys/user/max_inotify_watches"
    guard try Command(["unshare", "--user", "--map-root-user", "sh", "-c", limit]).run().status == 0 else {
      return skip("cannot create a user namespace with few inotify watches")
    }
    let sandbox = try Sandbox(settings: "interval = \"1s\"\nquiet = \"50ms\"\nmetrics-port = 0")
    for number in 0..<6 { try sandbox.write("* A\n", to: "org/\(number)/a.org") }
    let words = [Sandbox.binary, "--settings", sandbox.path("s.toml")]
    let service = try Command(
      ["unshare", "--user", "--map-root-user", "sh", "-c", "\(limit); exec \"$@\"", "sh"] + words
    )
    .start()
    let url = try url(of: service, in: sandbox)
    try sandbox.wait("the unwatched folders") {
      (try? Figures(at: url)["syncd_unwatched_folders", "replica=store"]) ?? 0 > 0
    }
    try sandbox.write("* B\n", to: "org/5/b.org")
    try sandbox.wait("an unreported change") { sandbox.read("home/5/b.org") == "* B\n" }
    _ = try end(service)
  }

  /// `::1` in the kernel's format.
  private static let six = "00000000000000000000000001000000"

  /// The addresses that a program listens on (proc(5)).
  private func listening(_ program: Running) throws -> [String] {
    let folder = "/proc/\(program.id)/fd"
    let open = try FileManager.default.contentsOfDirectory(atPath: folder).compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
    }
    var addresses: [String] = []
    for table in ["tcp", "tcp6"] {
      let lines = try String(contentsOfFile: "/proc/\(program.id)/net/\(table)", encoding: .utf8).split(separator: "\n")
      for fields in lines.dropFirst().map({ $0.split(separator: " ") }) {
        let isListening = fields[3] == "0A"
        if isListening, open.contains("socket:[\(fields[9])]") {
          addresses.append(String(fields[1].prefix { $0 != ":" }))
        }
      }
    }
    return addresses
  }
}

/// The metrics as parsed by Prometheus' parser.
private struct Figures: Decodable {
  var contentType: String?
  var families: [String]
  private var samples: [Sample]

  private struct Sample: Decodable {
    var name: String
    var labels: [String: String]
    var value: Double?

    var text: String { labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ",") }
  }

  init(at url: String) throws {
    let script = """
      import json, sys, urllib.request
      from prometheus_client.parser import text_string_to_metric_families
      answer = urllib.request.urlopen(sys.argv[1], timeout=30)
      families = list(text_string_to_metric_families(answer.read().decode()))
      assert all(f.documentation and f.type != "unknown" for f in families), families
      names = [f.name + ("_total" if f.type == "counter" else "") for f in families]
      samples = [{"name": s.name, "labels": s.labels, "value": s.value} for f in families for s in f.samples]
      print(json.dumps({"contentType": answer.headers["Content-Type"], "families": names, "samples": samples}))
      """
    self = try Command([python ?? "python3", "-c", script, url]).succeed().json(Figures.self)
  }

  /// The value with this name and these labels, sorted; nil if there is none.
  subscript(name: String, labels: String) -> Double? {
    samples.first { $0.name == name && $0.text == labels }?.value
  }

  /// The sum of all values with this name and this label.
  func sum(_ name: String, _ label: String) -> Double {
    samples.filter { $0.name == name && $0.text.contains(label) }.compactMap(\.value).reduce(0, +)
  }
}
