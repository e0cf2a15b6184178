import Foundation
import ProgramTesting
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The service with healthy remotes and one of each protocol whose server tries to keep it busy.
@Suite("A service with hostile remotes") struct HostileRemoteTests {
  private static let kinds = ["silent", "drip", "endless", "sizes"]
  /// The protocols that `HostileServers/busy.py` speaks.
  private static let protocols = ["webdav", "box", "dropbox", "bucket", "github", "git", "rsync", "sftp"]
  private static let script = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "HostileServers/busy.py").path

  /// Servers of all protocols that are hostile in the same way.
  private struct Hostile {
    let kind: String
    let requestsFile: String
    let requests: String
    let server: ServerProcess
    let names: [String]

    init(_ kind: String, in sandbox: Sandbox) async throws {
      self.kind = kind
      requestsFile = "requests-\(kind)"
      requests = sandbox.path(requestsFile)
      server = try await ServerProcess(["python3", HostileRemoteTests.script, kind, requests])
      names = kind == "sizes" ? ["webdav"] : HostileRemoteTests.protocols
    }

    /// The remotes, named by kind and protocol.
    var settings: String { names.map(settings).joined() }

    /// One remote, whose last lines are the plugin's settings.
    func settings(of name: String) -> String {
      let (head, table, text) = parts(of: name)
      return "[remotes.\(kind)-\(name)]\n\(head)\n[remotes.\(kind)-\(name).\(table)]\n\(text)\n"
    }

    private func parts(of name: String) -> (head: String, table: String, text: String) {
      let address = "http://127.0.0.1:\(server.lines[0])"
      let program = """
        host = "far"
        path = "/far"
        transport = "ssh-command"
        ssh-command = ["python3", "\(HostileRemoteTests.script)", "\(kind)", "\(requests)"]
        """
      func cloud(_ name: String, _ text: String) -> (String, String, String) {
        ("sync = \"plain-files\"\ncloud = \"\(name)\"", name, text)
      }
      switch name {
      case "webdav": return cloud(name, "url = \"\(address)/webdav/org/\"\nuser = \"ann\"\npassword = \"secret\"")
      case "box":
        let app = "auth = \"app\"\nsubject = \"user:1\"\nclient-id = \"k\"\nclient-secret = \"s\""
        return cloud(name, "\(app)\napi-url = \"\(address)/box\"")
      case "dropbox":
        return cloud(name, "app-key = \"k\"\nrefresh-token = \"token\"\napi-url = \"\(address)/dropbox\"")
      case "bucket":
        return cloud(
          "s3",
          "bucket = \"bucket\"\naddressing = \"path\"\naccess-key = \"k\"\nsecret-key = \"s\"\nendpoint = \"\(address)\""
        )
      case "github":
        return cloud(name, "repository = \"ann/notes\"\ntoken = \"token\"\napi-url = \"\(address)/github\"")
      case "sftp": return cloud(name, program)
      case "git": return ("sync = \"git\"", "git", "url = \"\(address)/git/a.git\"\nbranch = \"main\"")
      default: return ("sync = \"rsync-ssh\"", "rsync-ssh", program)
      }
    }

    /// True once each server has been asked something.
    func isAsked(_ sandbox: Sandbox) -> Bool {
      let asked = Set((sandbox.read(requestsFile) ?? "").split(separator: "\n").map(String.init))
      return asked.isSuperset(of: names)
    }
  }

  @Test("a single run does not wait for the hostile remote before it syncs the others")
  func once() async throws {
    let sandbox = try Sandbox(remotes: ["home", "disk"])
    let hostile = try await Hostile("silent", in: sandbox)
    let settings = try #require(sandbox.read("s.toml"))
    try sandbox.write(
      settings.replacing("[remotes.home]\n", with: hostile.settings + "[remotes.home]\n"), to: "s.toml")
    try sandbox.write("* A\n", to: "org/a.org")
    let run = try sandbox.command(["--once"]).start()
    defer {
      run.kill()
      _ = try? run.wait()
    }
    for name in ["home", "disk"] {
      try sandbox.wait("the file in \(name)") { sandbox.read("\(name)/a.org") == "* A\n" }
    }
    try sandbox.wait("a request to the hostile servers") { sandbox.read(hostile.requestsFile) != nil }
  }

  @Test(
    "a listing whose pages never end is aborted at the limit of `max-files`",
    arguments: ["webdav", "box", "dropbox", "bucket"])
  func pages(name: String) async throws {
    let sandbox = try Sandbox(remotes: ["home"])
    let hostile = try await Hostile("pages", in: sandbox)
    let settings = try #require(sandbox.read("s.toml"))
    try sandbox.write(settings + hostile.settings(of: name) + "max-files = 500\n", to: "s.toml")
    try sandbox.write("* A\n", to: "org/a.org")
    let outcome = try sandbox.syncd("--once")
    #expect(
      outcome.status != 0 && outcome.text.contains("more files and folders than `max-files` allows (500)"),
      "\(outcome.story)")
    #expect(sandbox.read("home/a.org") == "* A\n")
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
    var servers: [Hostile] = []
    for kind in Self.kinds { servers.append(try await Hostile(kind, in: sandbox)) }
    try sandbox.write(settings + servers.map(\.settings).joined(), to: "s.toml")
    let hostile = try await peak(sandbox, for: minutes * 60)
    print("memory: idle \(idle.memory >> 10) KiB, with hostile remotes \(hostile.memory >> 10) KiB at most")
    print(
      "longest answer to `status`: \(hostile.answer) s in \(hostile.rounds) rounds; longest sync: \(hostile.sync) s")
    #expect(hostile.memory - idle.memory <= 64 << 20)
    #expect(hostile.answer < .seconds(1))
    for server in servers { #expect(server.isAsked(sandbox), "\(server.kind)") }
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
    arguments: kinds)
  func healthy(kind: String) async throws {
    let sandbox = try Sandbox(remotes: ["home", "disk"], settings: "interval = \"1h\"\nquiet = \"50ms\"")
    let hostile = try await Hostile(kind, in: sandbox)
    let settings = try #require(sandbox.read("s.toml"))
    try sandbox.write(settings + hostile.settings, to: "s.toml")
    try sandbox.write("* A\n", to: "org/a.org")
    let service = try sandbox.command([]).start()
    var isRunning = true
    defer { if isRunning { service.kill() } }
    try sandbox.wait("requests to the hostile servers") { hostile.isAsked(sandbox) }
    for number in 0..<3 {
      try sandbox.write("* \(number)\n", to: "org/\(number).org")
      for name in ["home", "disk"] {
        try sandbox.wait("\(number) in \(name)") { sandbox.read("\(name)/\(number).org") == "* \(number)\n" }
      }
    }
    let status = try sandbox.ask([#"{"do": "status"}"#, #"{"do": "sync", "remotes": ["home"]}"#])
    #expect(status.map { $0["ok"] as? Bool } == [true, true])
    let results = (status[0]["remotes"] as? [[String: Any]])?.map { $0["result"] as? String }
    #expect(
      results?.prefix(2) == ["synced", "synced"] && results?.dropFirst(2).contains("synced") == false, "\(status)")
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
