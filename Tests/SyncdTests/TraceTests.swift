import Foundation
import ProgramTesting
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The output of the service for people and programs: logs, metrics, messages, the lines of `status --watch`.
@Suite("Audit log, metrics and notifications") struct TraceTests {
  private func objects(_ text: String) throws -> [[String: Any]] {
    try text.split(separator: "\n").map {
      try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any], "\($0)")
    }
  }

  @Test("the audit log has a line for each changed file, and none without a change")
  func audit() throws {
    let sandbox = try Sandbox(settings: "audit-log = \"audit.jsonl\"")
    try sandbox.write("* A\n", to: "org/a \"quoted\".org")
    try sandbox.write("* B\n", to: "home/b.org")
    try sandbox.once()
    try sandbox.once()
    try sandbox.remove("org/b.org")
    try sandbox.once()
    let lines = try objects(#require(sandbox.read("audit.jsonl")))
    #expect(lines.map { $0["path"] as? String } == ["a \"quoted\".org", "b.org", "b.org"])
    #expect(lines.map { $0["action"] as? String } == ["copy", "copy", "remove"])
    #expect(lines.map { $0["to"] as? String } == ["remote", "local", "remote"])
    #expect(lines.allSatisfy { $0["remote"] as? String == "home" && $0["pass"] is Int && $0["time"] is String })
  }

  @Test("a run writes the metrics for Prometheus, and continues with a message if it cannot")
  func metrics() throws {
    let sandbox = try Sandbox(settings: "metrics = \"syncd.prom\"")
    try sandbox.write("* A\n", to: "org/a.org")
    try sandbox.once()
    let text = try #require(sandbox.read("syncd.prom"))
    for sample in ["syncd_up", "syncd_open_conflicts", "syncd_held_deletions"] {
      #expect(text.contains("# TYPE \(sample) ") && text.contains("\n\(sample){remote=\"home\"} "), "\(sample)")
    }
    #expect(text.contains("syncd_changed_files_total{remote=\"home\",action=\"copy\",side=\"remote\"} 1\n"))
    try sandbox.writeSettings(settings: "metrics = \"no/such/folder/syncd.prom\"")
    try sandbox.write("* B\n", to: "org/b.org")
    let outcome = try sandbox.syncd("--once")
    #expect(outcome.status == 0 && outcome.err.contains("syncd.prom"), "\(outcome.story)")
    #expect(sandbox.read("home/b.org") == "* B\n")
  }

  @Test("a conflict is shown on the desktop once, and is in the JSON log")
  func desktop() throws {
    let sandbox = try Sandbox(
      settings: "interval = \"1h\"\nquiet = \"50ms\"\nlog-format = \"json\"\nconflicts = \"keep-both\"")
    try sandbox.writeProgram(
      "#!/bin/sh\nprintf '%s\\n' \"$@\" >>'\(sandbox.path("shown"))'\n", to: "bin/notify-send")
    try sandbox.write("* A\n", to: "org/a.org")
    try sandbox.once()
    try sandbox.write("* A\nours\n", to: "org/a.org")
    try sandbox.write("* A\ntheirs\n", to: "home/a.org")
    let path = sandbox.path("bin") + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
    let service = try sandbox.command(
      [], environment: ["PATH": path, "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(sandbox.path("bus"))"]
    ).start()
    try sandbox.wait("the message") { sandbox.read("shown")?.contains("syncd conflicts") == true }
    try sandbox.write("* B\n", to: "org/b.org")
    try sandbox.wait("another pass") { sandbox.read("home/b.org") == "* B\n" }
    service.kill(SIGTERM)
    let outcome = try service.wait()
    #expect(outcome.status == 0, "\(outcome.story)")
    #expect(
      sandbox.read("shown") == "--app-name=syncd\nsyncd\nhome: 1 conflict needs your attention; run `syncd conflicts`\n"
    )
    let warnings = try objects(outcome.err).filter { $0["level"] as? String == "warning" }
    #expect(warnings.contains { ($0["message"] as? String)?.contains("1 conflict") == true }, "\(outcome.story)")
  }

  @Test("status --watch reports every pass of the service, and says so if no service is running")
  func watch() throws {
    let sandbox = try Sandbox(settings: "interval = \"1h\"\nquiet = \"50ms\"")
    try sandbox.write("* A\n", to: "org/a.org")
    let alone = try sandbox.syncd("status", "--watch")
    #expect(alone.status != 0 && alone.err.contains("no service uses"), "\(alone.story)")
    let service = try sandbox.command([]).start()
    try sandbox.wait("the first sync") { sandbox.read("home/a.org") == "* A\n" }
    let people = try sandbox.command(["status", "--watch"]).start()
    let programs = try sandbox.command(["status", "--watch", "--json"]).start()
    try sandbox.wait("the watchers") { people.text.contains("home:") && programs.text.contains("\"version\"") }
    // A watcher is listening once it has received an event. The first one may be the end of a pass that began before.
    var number = 0
    try sandbox.wait("the report of a file in both watchers") {
      number += 1
      // One file per second: the service waits until files stop changing.
      if number % 100 == 1 { try? sandbox.write("* \(number)\n", to: "org/\(number).org") }
      return people.text.contains(".org: copy")
        && ["\"began\"", "\"ended\""].allSatisfy { programs.text.contains($0) }
    }
    service.kill(SIGTERM)
    #expect(try service.wait().status == 0)
    #expect(try people.wait().status == 0)
    let lines = try programs.wait().text.split(separator: "\n").filter { $0.contains("\"event\"") }
    let events = try objects(lines.joined(separator: "\n"))
    #expect(events.allSatisfy { $0["version"] as? Int == 1 })
    #expect(events.contains { $0["event"] as? String == "began" && $0["remotes"] as? [String] == ["home"] })
  }
}
