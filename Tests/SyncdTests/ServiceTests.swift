import Foundation
import ProgramTesting
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// `syncd` as a service: the real program; tests wait for its effects, never for a fixed time.
@Suite("The service") struct ServiceTests {
  private func service(_ sandbox: Sandbox, environment: [String: String] = [:]) throws -> Running {
    try sandbox.command([], environment: environment).start()
  }

  private func sandbox(_ settings: String = "") throws -> Sandbox {
    let sandbox = try Sandbox(settings: "interval = \"1h\"\nquiet = \"50ms\"\n" + settings)
    try sandbox.write("* A\n", to: "org/a.org")
    return sandbox
  }

  private func end(_ service: Running, by signal: Int32 = SIGTERM, status: Int32 = 0) throws -> Outcome {
    service.kill(signal)
    let outcome = try service.wait()
    #expect(outcome.status == status, "\(outcome.story)")
    return outcome
  }

  @Test(
    "a command that waits for the service says so, and is done when the service continues or ends at its time limit")
  func waitingCommand() throws {
    let sandbox = try sandbox()
    let service = try service(sandbox)
    try sandbox.wait("the first pass") { sandbox.read("home/a.org") == "* A\n" }
    service.kill(SIGSTOP)
    let reset = try sandbox.command(["remote", "reset", "home"]).start()
    try sandbox.wait("the message about the service") {
      reset.errors.contains("waiting for the service (pid \(service.id)) to finish its pass")
    }
    let limited = try sandbox.syncd("remote", "reset", "home", "--timeout", "500ms")
    #expect(limited.status == 10, "\(limited.story)")
    service.kill(SIGCONT)
    let outcome = try reset.wait()
    #expect(outcome.status == 0, "\(outcome.story)")
    try sandbox.wait("the next pass") { (try? sandbox.syncd("status").text.contains("1 file")) == true }
    _ = try end(service)
  }

  @Test("with -v the log names the files of a pass, and it reports held deletions once")
  func log() throws {
    let sandbox = try sandbox()
    for number in 0..<8 { try sandbox.write("* \(number)\n", to: "org/\(number).org") }
    let service = try sandbox.command(["-v"]).start()
    try sandbox.wait("the first pass") { sandbox.read("home/7.org") != nil }
    // A pass must see all removals or none.
    let paused = try sandbox.ask([#"{"do": "sync"}"#, #"{"do": "pause"}"#])
    #expect(paused.allSatisfy { $0["ok"] as? Bool == true }, "\(paused)")
    for number in 0..<7 { try sandbox.remove("org/\(number).org") }
    #expect(try sandbox.ask([#"{"do": "resume"}"#])[0]["ok"] as? Bool == true)
    try sandbox.wait("the held deletions") { service.errors.contains("held:") }
    _ = try sandbox.syncd("sync")
    let outcome = try end(service)
    #expect(outcome.err.contains("copy 7.org (to the remote)"), "\(outcome.story)")
    #expect(outcome.err.components(separatedBy: "held:").count == 2, "\(outcome.story)")
    #expect(!outcome.err.contains("run `syncd status`"), "\(outcome.story)")
  }

  @Test("capture, status, log, show and why never wait for the service")
  func unwaiting() throws {
    let sandbox = try sandbox()
    try sandbox.once()
    try sandbox.write("* B\n", to: "org/a.org")
    let service = try service(sandbox)
    try sandbox.wait("the first pass") { sandbox.read("home/a.org") == "* B\n" }
    // If the service is stopped while it writes to the archive, nothing else can.
    try sandbox.command(["sync"]).succeed()
    service.kill(SIGSTOP)
    // More connections than the system queues for a service that takes none.
    for _ in 0..<12 { #expect(try sandbox.syncd("status").text.contains("service: running")) }
    for words in [["log"], ["show", "a.org"], ["why", "a.org"], ["capture", "Buy milk"], ["capture", "Buy string"]] {
      let outcome = try sandbox.command(words).run()
      #expect(outcome.status == 0 && !outcome.err.contains("waiting"), "\(outcome.story)")
    }
    service.kill(SIGCONT)
    try sandbox.wait("the captured entries") {
      let inbox = sandbox.read("home/inbox.org") ?? ""
      return inbox.contains("* Buy milk\n") && inbox.contains("* Buy string\n")
    }
    _ = try end(service)
  }

  @Test("no captured entry is lost, whatever is synced meanwhile")
  func captures() throws {
    let sandbox = try sandbox()
    try sandbox.write("* Inbox\n", to: "org/inbox.org")
    let service = try service(sandbox)
    try sandbox.wait("the first pass") { sandbox.read("home/inbox.org") == "* Inbox\n" }
    for number in 0..<10 {
      let captures = try (0..<3).map { try sandbox.command(["capture", "Entry \(number) of \($0)"]).start() }
      // Another device adds an entry at the same time, so that passes replace the file in the store.
      try Command(["sh", "-c", "printf '* Phone \(number)\\n' >>\"$0\"", sandbox.path("home/inbox.org")]).succeed()
      for capture in captures {
        let outcome = try capture.wait()
        #expect(outcome.status == 0, "\(outcome.story)")
      }
    }
    _ = try end(service)
    try sandbox.settle()
    let all = sandbox.store.files.values.map { String(decoding: $0, as: UTF8.self) }.joined()
    for number in 0..<10 {
      for title in ["Phone \(number)"] + (0..<3).map({ "Entry \(number) of \($0)" }) {
        // A version that gets an entry while it is replaced may stay as a conflict copy.
        #expect(all.contains("* \(title)\n"), "\(title) in:\n\(all)")
      }
    }
    #expect(sandbox.store == sandbox.tree("home"))
  }

  @Test(
    "changes of both sides are synced without a command, and the service ends on request", arguments: [SIGTERM, SIGINT])
  func changes(signal: Int32) throws {
    let sandbox = try sandbox()
    let service = try service(sandbox)
    try sandbox.wait("the first sync") { sandbox.read("home/a.org") == "* A\n" }
    try sandbox.write("* B\n", to: "org/new/deep/b.org")
    try sandbox.wait("a new file in a new folder") { sandbox.read("home/new/deep/b.org") == "* B\n" }
    try sandbox.write("* C\n", to: "home/c.org")
    try sandbox.wait("a new file of the remote") { sandbox.read("org/c.org") == "* C\n" }
    try sandbox.write("* B\nmore\n", to: "org/new/deep/b.org")
    try sandbox.wait("an edit in the new folder") { sandbox.read("home/new/deep/b.org") == "* B\nmore\n" }
    try sandbox.move("org/new", "org/old")
    try sandbox.wait("a renamed folder") {
      sandbox.read("home/old/deep/b.org") == "* B\nmore\n" && sandbox.read("home/new/deep/b.org") == nil
    }
    try sandbox.remove("home/c.org")
    try sandbox.wait("a deletion") { sandbox.read("org/c.org") == nil }
    _ = try end(service, by: signal)
    #expect(sandbox.store == sandbox.tree("home"))
    try sandbox.once()
  }

  @Test("a pass has the time at which it began, not that at which the service became idle")
  func times() throws {
    let sandbox = try sandbox()
    let service = try service(sandbox)
    try sandbox.wait("the first sync") { sandbox.read("home/a.org") == "* A\n" }
    _ = try sandbox.syncd("sync")
    // The history has whole seconds.
    Thread.sleep(forTimeInterval: 2.1)
    let before = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))
    try sandbox.write("* B\n", to: "org/b.org")
    try sandbox.wait("the second sync") { sandbox.read("home/b.org") == "* B\n" }
    _ = try sandbox.syncd("sync")
    _ = try end(service, by: SIGTERM)
    let log = try sandbox.command(["log", "--json", "--limit", "1"]).succeed().text
    let started = try #require(log.firstMatch(of: /"started": ?"([^"]+)"/)?.1)
    let time = try #require(try? Date(String(started), strategy: .iso8601))
    #expect(time >= before, "\(started) is before \(before)")
  }

  @Test("SIGHUP reloads the settings, and the former ones stay if the new ones are invalid")
  func reload() throws {
    let sandbox = try sandbox()
    let service = try service(sandbox)
    try sandbox.wait("the first sync") { sandbox.read("home/a.org") == "* A\n" }
    let settings = try #require(sandbox.read("s.toml"))
    try sandbox.write(settings + "\nnonsense = 1\n", to: "s.toml")
    service.kill(SIGHUP)
    try sandbox.write("* B\n", to: "org/b.org")
    try sandbox.wait("a sync with the old settings") { sandbox.read("home/b.org") == "* B\n" }
    // Otherwise the service may read only the next settings.
    try sandbox.wait("the error") { service.errors.contains("the old ones stay in effect") }
    try sandbox.write(settings.replacing("path = \"home\"", with: "path = \"other\""), to: "s.toml")
    service.kill(SIGHUP)
    try sandbox.wait("a sync with the new settings") { sandbox.read("other/b.org") == "* B\n" }
    let outcome = try end(service)
    #expect(outcome.err.contains("the old ones stay in effect") && outcome.err.contains("nonsense"), "\(outcome.story)")
  }

  @Test("SIGUSR1 logs the state of each remote, and SIGUSR2 ends the service after the current pass")
  func userSignals() throws {
    let sandbox = try sandbox()
    let plan = "pass.batch.recorded=pause(\(sandbox.path("go")))@nth(2)"
    let service = try service(sandbox, environment: ["SYNCD_FAILPOINTS": plan])
    try sandbox.wait("the first sync") { sandbox.read("home/a.org") == "* A\n" }
    try sandbox.wait("an answer in the log") {
      service.kill(SIGUSR1)
      return service.errors.contains("home: synced, next in ")
    }
    try sandbox.write("* B\n", to: "org/b.org")
    try sandbox.wait("the next pass") { sandbox.read("home/b.org") == "* B\n" }
    service.kill(SIGUSR2)
    try sandbox.write("", to: "go")
    let outcome = try service.wait()
    #expect(outcome.status == 0, "\(outcome.story)")
    #expect(try sandbox.syncd("log").text.contains("b.org"))
  }

  @Test("invalid settings end the start with status 8, and a second instance with status 9")
  func refusals() throws {
    let sandbox = try sandbox("nonsense = 1")
    #expect(try service(sandbox).wait().status == 8)
    try sandbox.writeSettings(settings: "quiet = \"50ms\"")
    let first = try service(sandbox)
    try sandbox.wait("the first sync") { sandbox.read("home/a.org") == "* A\n" }
    #expect(try service(sandbox).wait().status == 9)
    _ = try end(first)
  }

  @Test("an unreachable remote does not stop the service, and is synced once it is reachable")
  func away() throws {
    let sandbox = try Sandbox(remotes: ["home", "disk"], settings: "interval = \"1s\"\nquiet = \"50ms\"")
    let settings = try #require(sandbox.read("s.toml"))
    try sandbox.write(settings.replacing("path = \"disk\"", with: "path = \"mount/disk\""), to: "s.toml")
    try sandbox.write("* A\n", to: "org/a.org")
    let service = try service(sandbox)
    try sandbox.wait("the reachable remote") { sandbox.read("home/a.org") == "* A\n" }
    try sandbox.wait("the error in the status") {
      (try? sandbox.syncd("status").text.contains("Mount its disk")) ?? false
    }
    try FileManager.default.createDirectory(atPath: sandbox.path("mount"), withIntermediateDirectories: true)
    try sandbox.wait("the remote that is reachable again") { sandbox.read("mount/disk/a.org") == "* A\n" }
    _ = try end(service)
  }

  @Test("the service yields to commands that change something, and continues afterwards")
  func makesWay() throws {
    let sandbox = try sandbox()
    let service = try service(sandbox)
    try sandbox.wait("the first sync") { sandbox.read("home/a.org") == "* A\n" }
    for number in 0..<5 {
      try sandbox.write("* \(number)\n", to: "org/\(number).org")
      let report = try sandbox.once()
      #expect(report.result == "synced" && sandbox.read("home/\(number).org") == "* \(number)\n")
    }
    try sandbox.write("* A\nedited\n", to: "org/a.org")
    try sandbox.once()
    #expect(try sandbox.syncd("restore", "a.org").status == 0)
    try sandbox.wait("the restored file") { sandbox.read("home/a.org") == "* A\n" }
    let hooks = try (0..<4).map { _ in try sandbox.command(["--once"]).start() }
    for hook in hooks {
      let outcome = try hook.wait()
      #expect(outcome.status == 0, "\(outcome.story)")
    }
    try sandbox.write("* Later\n", to: "home/later.org")
    try sandbox.wait("a change after the commands") { sandbox.read("org/later.org") == "* Later\n" }
    _ = try end(service)
  }

  @Test("the service continues when a command to which it yielded is killed")
  func wayKilled() throws {
    let sandbox = try sandbox()
    let service = try service(sandbox)
    try sandbox.wait("the first sync") { sandbox.read("home/a.org") == "* A\n" }
    let hook = try sandbox.command(["--once"], environment: ["SYNCD_FAILPOINTS": "pass.scan.starting=kill"]).start()
    #expect(try hook.wait().status == 128 + SIGKILL)
    try sandbox.write("* B\n", to: "org/b.org")
    try sandbox.wait("an edit") { sandbox.read("home/b.org") == "* B\n" }
    _ = try end(service)
  }

  @Test("the service answers every request of its socket")
  func socket() throws {
    let sandbox = try sandbox()
    let service = try service(sandbox)
    try sandbox.wait("the first sync") { sandbox.read("home/a.org") == "* A\n" }
    func ask(_ requests: String...) throws -> [[String: Any]] { try sandbox.ask(requests) }
    let status = try ask("{\"do\": \"status\"}")[0]
    #expect(status["ok"] as? Bool == true && status["paused"] as? Bool == false)
    #expect((status["remotes"] as? [[String: Any]])?.first?["name"] as? String == "home")
    #expect(try ask("{\"do\": \"pause\"}", "{\"do\": \"status\"}")[1]["paused"] as? Bool == true)
    try sandbox.write("* B\n", to: "org/b.org")
    let answers = try ask(
      "nonsense", "{\"do\": \"dance\"}", "{\"do\": \"sync\", \"remotes\": [\"nope\"]}", "{\"do\": \"sync\"}")
    #expect(answers.map { $0["ok"] as? Bool } == [false, false, false, true])
    #expect(answers[3]["result"] as? String == "synced")
    #expect(sandbox.read("home/b.org") == "* B\n")
    #expect(try ask("{\"do\": \"resume\"}")[0]["ok"] as? Bool == true)
    try sandbox.write("* C\n", to: "org/c.org")
    try sandbox.wait("passes again") { sandbox.read("home/c.org") == "* C\n" }
    let mode =
      try FileManager.default.attributesOfItem(atPath: sandbox.path("state/control"))[.posixPermissions] as? Int
    #expect(mode == 0o600)
    _ = try end(service)
  }

  @Test("a paused service uses no CPU time, although a pass is due")
  func paused() throws {
    let sandbox = try sandbox()
    let service = try service(sandbox)
    try sandbox.wait("the first sync") { sandbox.read("home/a.org") == "* A\n" }
    // A pass that is running when the service is paused would copy the next file.
    let paused = try sandbox.ask([#"{"do": "sync"}"#, #"{"do": "pause"}"#])
    #expect(paused.allSatisfy { $0["ok"] as? Bool == true }, "\(paused)")
    try sandbox.write("* B\n", to: "org/b.org")
    usleep(500_000)
    let before = try service.processorTime()
    usleep(2_000_000)
    #expect(try service.processorTime() - before < 0.5)
    #expect(sandbox.read("home/b.org") == nil)
    #expect(try sandbox.ask([#"{"do": "resume"}"#])[0]["ok"] as? Bool == true)
    try sandbox.wait("the pass that was due") { sandbox.read("home/b.org") == "* B\n" }
    _ = try end(service)
  }

  /// The service sends three notifications in this time. The kernel queues ten of them for a test that does not read, and the service
  /// drops the others.
  private static let watchdog = "1500000"

  @Test("the service manager receives readiness, status, watchdog and stop notifications")
  func manager() throws {
    let sandbox = try sandbox()
    let manager = try NotifySocket(at: sandbox.path("notify"))
    let service = try service(
      sandbox, environment: ["NOTIFY_SOCKET": sandbox.path("notify"), "WATCHDOG_USEC": Self.watchdog])
    try sandbox.wait("READY") { manager.said("READY=1") }
    try sandbox.wait("STATUS") { manager.said("STATUS=1 remote in sync") }
    let before = manager.count(of: "WATCHDOG=1")
    try sandbox.wait("WATCHDOG") { manager.count(of: "WATCHDOG=1") >= before + 3 }
    service.kill(SIGHUP)
    try sandbox.wait("RELOADING") { manager.said("RELOADING=1") && manager.said("MONOTONIC_USEC=") }
    try sandbox.wait("READY again") { manager.count(of: "READY=1") == 2 }
    _ = try end(service)
    #expect(manager.said("STOPPING=1"))
  }

  @Test("watchdog notifications continue during a pass, and while another process has the lock")
  func longPass() throws {
    let sandbox = try sandbox()
    let manager = try NotifySocket(at: sandbox.path("notify"))
    let service = try service(
      sandbox,
      environment: [
        "NOTIFY_SOCKET": sandbox.path("notify"), "WATCHDOG_USEC": Self.watchdog,
        "SYNCD_FAILPOINTS": "pass.plan.finished=pause(\(sandbox.path("go")))",
      ])
    try sandbox.write("* New\n", to: "org/new.org")
    try sandbox.wait("READY") { manager.said("READY=1") }
    let before = manager.count(of: "WATCHDOG=1")
    try sandbox.wait("WATCHDOG") { manager.count(of: "WATCHDOG=1") >= before + 5 }
    #expect(!manager.said("STATUS=1 remote in sync"))
    try sandbox.write("", to: "go")
    try sandbox.wait("STATUS") { manager.said("STATUS=1 remote in sync") }
    let guest = try sandbox.command(
      ["--once"], environment: ["SYNCD_FAILPOINTS": "pass.plan.finished=pause(\(sandbox.path("on")))"]
    ).start()
    let then = manager.count(of: "WATCHDOG=1")
    try sandbox.wait("WATCHDOG") { manager.count(of: "WATCHDOG=1") >= then + 5 }
    try sandbox.write("", to: "on")
    #expect(try guest.wait().status == 0)
    _ = try end(service)
  }

  @Test("the next service repairs whatever a killed one left")
  func killed() throws {
    let sandbox = try sandbox()
    for round in 0..<5 {
      let service = try service(sandbox)
      try sandbox.write("* Round \(round)\n", to: "org/\(round).org")
      usleep(useconds_t(round * 30_000))
      service.kill()
      _ = try service.wait()
    }
    let service = try service(sandbox)
    try sandbox.write("* Last\n", to: "org/last.org")
    try sandbox.wait("everything") { sandbox.store.files.count == 7 && sandbox.tree("home") == sandbox.store }
    _ = try end(service)
    #expect(sandbox.store == sandbox.tree("home"))
  }
}

/// A service manager's end of the socket, which receives the notifications of services.
private final class NotifySocket {
  private let descriptor: Int32
  private var lines: [String] = []

  init(at path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { throw TestFailure("the path is too long") }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    let bound = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard bound == 0 else { throw TestFailure("bind: \(errno)") }
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
  }

  deinit { close(descriptor) }

  func said(_ text: String) -> Bool {
    take()
    return lines.contains { $0.hasPrefix(text) }
  }

  func count(of text: String) -> Int {
    take()
    return lines.count { $0 == text }
  }

  private func take() {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { return }
      lines += String(decoding: buffer.prefix(count), as: UTF8.self).split(separator: "\n").map(String.init)
    }
  }
}
