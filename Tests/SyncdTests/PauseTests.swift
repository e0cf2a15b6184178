import Foundation
import ProgramTesting
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite("Pausing and syncing on request") struct PauseTests {
  private func sandbox() throws -> Sandbox {
    let sandbox = try Sandbox(remotes: ["home", "away"], settings: "interval = \"1h\"\nquiet = \"50ms\"")
    try sandbox.write("* A\n", to: "org/a.org")
    return sandbox
  }

  private func end(_ service: Running) throws {
    service.kill(SIGTERM)
    let outcome = try service.wait()
    #expect(outcome.status == 0, "\(outcome.story)")
  }

  @Test(
    "a paused remote stays paused over a restart and a command, until it is resumed or synced")
  func pause() throws {
    let sandbox = try sandbox()
    let first = try sandbox.command([]).start()
    try sandbox.wait("the first pass") {
      sandbox.read("home/a.org") == "* A\n" && sandbox.read("away/a.org") == "* A\n"
    }
    let pause = try sandbox.syncd("pause", "away")
    #expect(pause.status == 0 && pause.text.contains("paused away"), "\(pause.story)")
    // A command to which the service yields: afterwards it runs as after a restart.
    try sandbox.command(["remote", "reset", "home"]).succeed()
    try sandbox.write("* B\n", to: "org/b.org")
    try sandbox.wait("the other remote") { sandbox.read("home/b.org") == "* B\n" }
    try end(first)
    let second = try sandbox.command([]).start()
    try sandbox.write("* C\n", to: "org/c.org")
    try sandbox.wait("the other remote") { sandbox.read("home/c.org") == "* C\n" }
    #expect(sandbox.read("away/b.org") == nil && sandbox.read("away/c.org") == nil)
    #expect(try sandbox.syncd("status").text.contains("paused until `syncd resume away`"))
    let sync = try sandbox.syncd("sync", "away")
    #expect(sync.status == 0 && sync.text.contains("away: 2 copied"), "\(sync.story)")
    #expect(sandbox.read("away/b.org") == "* B\n")
    try sandbox.write("* D\n", to: "org/d.org")
    try sandbox.command(["resume"]).succeed()
    try sandbox.wait("the pass that was due") { sandbox.read("away/d.org") == "* D\n" }
    #expect(try !sandbox.syncd("status").text.contains("paused"))
    try end(second)
  }

  @Test("a pause ends by itself, and can be set and ended without a service")
  func duration() throws {
    let sandbox = try sandbox()
    try sandbox.command(["pause", "--for", "2h"]).succeed()
    #expect(try sandbox.syncd("status").text.contains("paused until 20"))
    try sandbox.command(["resume", "home"]).succeed()
    let status = try sandbox.syncd("status").text
    #expect(status.components(separatedBy: "paused").count == 2, "\(status)")
    try sandbox.command(["pause", "away", "--for", "2s"]).succeed()
    let service = try sandbox.command([]).start()
    try sandbox.wait("the end of the pause") { sandbox.read("away/a.org") == "* A\n" }
    try end(service)
    #expect(try sandbox.syncd("pause", "nowhere").status == 2)
  }

  @Test("`sync` without a service is a run, and both end with the status of the result")
  func sync() throws {
    let sandbox = try sandbox()
    try sandbox.write("* A\nBase line of the text.\n", to: "org/a.org")
    let run = try sandbox.syncd("sync", "home")
    #expect(run.status == 0 && run.text.contains("home: 1 copied"), "\(run.story)")
    #expect(sandbox.read("away/a.org") == nil)
    try sandbox.write("* A\nOne version here.\n", to: "org/a.org")
    try sandbox.write("* A\nQuite another thing.\n", to: "home/a.org")
    let service = try sandbox.command([]).start()
    try sandbox.wait("the first pass") { sandbox.read("away/a.org") != nil }
    let asked = try sandbox.syncd("sync")
    #expect(asked.status == 3 && asked.text.contains("1 open conflict"), "\(asked.story)")
    try end(service)
  }

  @Test(
    "a dry run ends with status 10 if there is something to do; a run with an open conflict does not say \"in sync\"")
  func plans() throws {
    let sandbox = try Sandbox()
    try sandbox.write("* A\nBase line of the text.\n", to: "org/a.org")
    #expect(try sandbox.syncd("--once", "--dry-run").status == 10)
    try sandbox.once()
    #expect(try sandbox.syncd("--once", "--dry-run").status == 0)
    try sandbox.write("* A\nOne version here.\n", to: "org/a.org")
    try sandbox.write("* A\nQuite another thing.\n", to: "home/a.org")
    try sandbox.once(status: 3)
    let again = try sandbox.syncd("--once")
    #expect(
      again.status == 3 && !again.text.contains("in sync") && again.text.contains("1 open conflict"), "\(again.story)")
  }
}
