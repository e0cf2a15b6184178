import CurlHTTP
import Foundation
import ProgramTesting
import SyncKit
import Testing

@testable import Hub

/// The service with `[hub]` in its settings, in one process.
@Suite("The hub of the service", .serialized) struct HubServiceTests {
  private static let add = #"{"op": "add", "fields": {"title": {"new": "Milk"}}}"#

  @Test("an edit neither waits for a pass nor interrupts it, and is a pass of its own that can be undone")
  func together() async throws {
    let program = try HubProgram(["a.org": "* TODO One\n"], hub: "listen = 0")
    let pause = program.root + "/go"
    let hub = try await program.service("pass.plan.finished=pause(\(pause))")
    let token = try await program.token("phone")
    try await program.exists("go.reached")
    let answer = try await hub.batch(1, client: "client-1", Self.add, token: token)
    #expect(answer.status == 200 && program.text("org/inbox.org").hasPrefix("* Milk\n"), "\(answer)")
    #expect(program.text("home/a.org").isEmpty, "the pass was not paused")
    try program.write("", to: "go")
    try await program.appears("* TODO One", in: "home/a.org")
    try await program.appears("* Milk", in: "home/inbox.org")
    #expect(!hub.running.errors.contains("interrupted"), "\(hub.running.errors)")
    guard case .integer(let pass)? = answer.json["pass"] else {
      Issue.record("\(answer)")
      return
    }
    let headers = [HTTPHeader("Authorization", "Bearer \(token)")]
    let undone = try await hub.send("POST", "/api/v1/passes/\(pass)/undo", "{}", headers: headers)
    #expect(undone.status == 200, "\(undone)")
    #expect(program.text("org/inbox.org").isEmpty && program.text("org/a.org") == "* TODO One\n")
    #expect(try await hub.stop().status == 0)
  }

  @Test("a pass that sends a version during an edit does not show the file as changed back")
  func sentDuringAnEdit() async throws {
    let program = try HubProgram(["a.org": "* TODO One\n"], hub: "listen = 0")
    try await program.succeed("--once")
    let hub = try await program.service("pass.remote.applied=pause(\(program.root)/go)")
    let token = try await program.token("phone")
    for (number, (old, new)) in [("One", "Two"), ("Two", "Three")].enumerated() {
      let list = try await hub.send("GET", "/api/v1/items?q=todo:TODO", token: token).json
      guard case .array(let items)? = list["items"], let id = try items.first?["id"].string else {
        throw TestFailure(list.line)
      }
      let patch = #"{"op": "edit", "id": "\#(id)", "fields": {"title": {"old": "\#(old)", "new": "\#(new)"}}}"#
      #expect(try await hub.batch(number + 1, client: "client-1", patch, token: token).status == 200)
      // The pass that sends the first edit has not recorded it when the second one arrives.
      try await program.exists("go.reached")
    }
    try program.write("", to: "go")
    try await program.appears("* TODO Three", in: "home/a.org")
    #expect(try await hub.stop().status == 0)
    try await program.succeed("--once")
    var log = try await program.succeed("log", "a.org").split(separator: "\n")
    #expect(log.count == 3 && log[0].hasSuffix("edited by phone") && log[1].hasSuffix("edited by phone"), "\(log)")
    // What a person changes back and forth are changes.
    for title in ["Two", "Three"] {
      try program.write("* TODO \(title)\n", to: "org/a.org")
      try await program.succeed("--once")
    }
    log = try await program.succeed("log", "a.org").split(separator: "\n")
    #expect(log.count == 5 && log.prefix(2).allSatisfy { $0.hasSuffix("changed in the store") }, "\(log)")
  }

  @Test("while a command has the store, an edit waits; then it is carried out")
  func yielded() async throws {
    let program = try HubProgram(["a.org": "* TODO One\n"], hub: "listen = 0")
    let hub = try await program.service()
    let token = try await program.token("phone")
    var command = program.command("--once")
    command.environment["SYNCD_FAILPOINTS"] = "pass.plan.finished=pause(\(program.root)/go)"
    try program.write("* TODO Two\n", to: "org/b.org")
    let running = try command.start()
    try await program.exists("go.reached")
    let body = #"{"client": "client-1", "number": 1, "patches": [\#(Self.add)]}"#
    let refused = try await hub.send("POST", "/api/v1/batches", body, token: token)
    #expect(refused.status == 503 && refused.json["type"] == "/problems/yielded", "\(refused)")
    #expect(program.text("org/inbox.org").isEmpty)
    try program.write("", to: "go")
    let outcome = try await running.ended()
    #expect(outcome.status == 0, "\(outcome.story)")
    #expect(try await hub.batch(1, client: "client-1", Self.add, token: token).status == 200)
    #expect(program.text("org/inbox.org").components(separatedBy: "* Milk\n").count == 2)
    #expect(try await hub.stop().status == 0)
  }

  @Test("a reload begins, moves and ends the hub, and a port in use leaves the service running")
  func reloaded() async throws {
    let program = try HubProgram(["a.org": "* One\n"])
    let settings = program.text("s.toml")
    let running = try program.command([]).start()
    try await program.appears("* One", in: "home/a.org")
    try program.write(settings + "[hub]\nlisten = 0\n", to: "s.toml")
    running.kill(SIGHUP)
    let first = ServedHub(program: program, running: running, url: try await running.hubAddress())
    let token = try await program.token("phone")
    #expect(try await first.send("GET", "/api/v1/tags", token: token).status == 200)
    let other = try HubProgram(remote: false)
    let taken = try await other.serve()
    let port = taken.url.split(separator: ":").last ?? ""
    try program.write(settings + "[hub]\nlisten = \(port)\n", to: "s.toml")
    running.kill(SIGHUP)
    try await running.logs("the hub does not serve")
    #expect(running.errors.contains("`listen` in [hub]"), "\(running.errors)")
    await #expect(throws: (any Error).self) { _ = try await first.send("GET", "/health") }
    try program.write("* Two\n", to: "org/b.org")
    try await program.appears("* Two", in: "home/b.org")
    try program.write(settings + "[hub]\nlisten = 0\n", to: "s.toml")
    running.kill(SIGHUP)
    let second = ServedHub(program: program, running: running, url: try await running.hubAddress(2))
    #expect(try await second.batch(1, client: "client-1", Self.add, token: token).status == 200)
    try await taken.stop()
    #expect(try await second.stop().status == 0)
  }

  @Test("`syncd serve` beside the service says what to do")
  func beside() async throws {
    let program = try HubProgram(remote: false, hub: "listen = 0")
    let hub = try await program.service()
    let outcome = try await program.command("serve", "--listen", "0").finish()
    #expect(outcome.status == 9 && outcome.err.contains("add the table [hub]"), "\(outcome.story)")
    #expect(try await hub.stop().status == 0)
  }

  @Test("of several stores, [hub] names one")
  func stores() async throws {
    let program = try HubProgram(["a.org": "* Here\n"], remote: false)
    try FileManager.default.createDirectory(atPath: program.root + "/job", withIntermediateDirectories: true)
    try program.write("* There\n", to: "job/b.org")
    try program.write(
      program.text("s.toml")
        + "[stores.job]\nbackend = \"org-files\"\npath = \"job\"\n[hub]\nlisten = 0\nstore = \"job\"\n",
      to: "s.toml")
    let hub = try await program.service()
    let token = try await program.succeed("pair", "--token", "--name", "phone", "--store", "job")
      .trimmingCharacters(in: .whitespacesAndNewlines)
    let items = try await hub.send("GET", "/api/v1/items", token: token)
    #expect(items.json.line.contains("There") && !items.json.line.contains("Here"), "\(items)")
    #expect(try await hub.stop().status == 0)
  }
}
