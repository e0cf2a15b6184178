import Foundation
import ProgramTesting
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite("`syncd status`")
struct StatusTests {
  private struct Overview: Decodable {
    var service: Bool
    var remotes: [Remote]

    struct Remote: Decodable {
      var result: String
      var stale: Bool
      var unsynced: [String]?
    }
  }

  private func overview(_ sandbox: Sandbox) throws -> Overview.Remote {
    try sandbox.syncd("status", "--json").json(Overview.self).remotes[0]
  }

  @Test("the exit status is that of the remote that is worst off")
  func exitStatus() throws {
    let sandbox = try Sandbox(remotes: ["home", "away"])
    try sandbox.write(["org/a.org": "* A\n", "org/b.txt": "one\n"])
    #expect(try sandbox.syncd("status").status == 10)
    try sandbox.once()
    #expect(try sandbox.syncd("status").status == 0)
    try sandbox.write(["org/b.txt": "ours\n", "home/b.txt": "theirs\n"])
    try sandbox.once(status: 3)
    #expect(try sandbox.syncd("status").status == 3)
    try sandbox.move("away", "unplugged")
    try sandbox.once(status: 6)
    let status = try sandbox.syncd("status", "--json")
    #expect(status.status == 6)
    #expect(try status.json(Overview.self).remotes.map(\.result) == ["conflicts", "held"])
    try sandbox.move("unplugged", "away")
    #expect(try sandbox.syncd("resolve", "b.txt", "--ours").status == 0)
    try sandbox.settle()
    #expect(try sandbox.syncd("status").status == 0)
  }

  @Test("watching needs a service, and says so")
  func watchWithoutService() throws {
    let outcome = try Sandbox().syncd("status", "--watch")
    #expect(outcome.status == 4 && outcome.err.contains("no service uses"), "\(outcome.story)")
  }

  @Test("files that could not be synced are shown until they can be")
  func pending() throws {
    let sandbox = try Sandbox()
    try sandbox.write("* A\n", to: "org/a.org")
    try sandbox.once()
    try sandbox.write(["home/taken": "a file\n", "org/taken/x.org": "* X\n"])
    let report = try sandbox.syncd("--once")
    #expect(try sandbox.syncd("status").status == report.status, "\(report.story)")
  }

  @Test("an encrypted file that is held is named by status and by the run")
  func heldFile() throws {
    let sandbox = try Sandbox()
    try sandbox.write("correct horse battery\n", to: "passphrase")
    try Command(["chmod", "600", sandbox.path("passphrase")]).succeed()
    let text = try #require(sandbox.read("s.toml"))
      .replacing("cloud = \"folder\"", with: "cloud = \"folder\"\nencryption = \"age\"")
    try sandbox.write(text + "[remotes.home.age]\npassphrase = { file = \"passphrase\" }\n", to: "s.toml")
    try sandbox.write("* A\n", to: "org/a.org")
    try sandbox.once()
    let name = try #require(sandbox.tree("home").files.keys.first { $0.contains("a.org") })
    try sandbox.write("", to: "home/\(name)")
    let run = try sandbox.syncd("--once")
    #expect(run.status == 6 && run.text.contains("a.org"), "\(run.story)")
    let status = try sandbox.syncd("status")
    #expect(status.status == 6 && status.text.contains("a.org"), "\(status.story)")
  }

  @Test("files of the store that were edited, deleted or added since the last pass are named")
  func unsynced() throws {
    let sandbox = try Sandbox(store: "exclude = [\"*.tmp\"]")
    try sandbox.write(["org/a.org": "* A\n", "org/b.org": "* B\n", "org/c.org": "* C\n"])
    #expect(try overview(sandbox).unsynced == ["a.org", "b.org", "c.org"])
    try sandbox.once()
    #expect(try overview(sandbox).unsynced == [])
    try sandbox.write(["org/a.org": "* A\nedited\n", "org/new.org": "* N\n", "org/x.tmp": "ignored\n"])
    try sandbox.remove("org/c.org")
    let before = try sandbox.fingerprint()
    #expect(try overview(sandbox).unsynced == ["a.org", "c.org", "new.org"])
    let text = try sandbox.syncd("status").text
    #expect(text.contains("  3 files changed in the store since the last pass:\n    a.org\n    c.org\n    new.org\n"))
    #expect(try sandbox.fingerprint() == before)
  }

  @Test("a store that cannot be read is reported")
  func unreadableStore() throws {
    let sandbox = try Sandbox()
    try sandbox.write("* A\n", to: "org/a.org")
    try sandbox.once()
    try sandbox.move("org", "elsewhere")
    #expect(try overview(sandbox).unsynced == nil)
    #expect(try sandbox.syncd("status").text.contains("cannot read the store to find changes"))
  }

  @Test("a remote that has been out of sync for longer than stale-after causes a warning")
  func stale() throws {
    let sandbox = try Sandbox(settings: "stale-after = \"1s\"")
    try sandbox.write("* A\n", to: "org/a.org")
    try sandbox.once()
    try sandbox.wait("a second has passed") { (try? overview(sandbox).stale) == true }
    let status = try sandbox.syncd("status")
    #expect(status.status == 10 && status.text.contains("longer ago than `stale-after`"), "\(status.story)")
  }

  @Test("a running service is shown")
  func service() throws {
    let sandbox = try Sandbox()
    try sandbox.write("* A\n", to: "org/a.org")
    try sandbox.once()
    #expect(try sandbox.syncd("status").text.hasSuffix("service: not running\n"))
    let service = try sandbox.command([]).start()
    try sandbox.wait("the service is running") {
      (try? sandbox.syncd("status", "--json").json(Overview.self).service) == true
    }
    #expect(try sandbox.syncd("status").text.hasSuffix("service: running\n"))
    // After a pass it obeys signals.
    try sandbox.command(["sync"]).succeed()
    service.kill(SIGTERM)
    #expect(try service.wait().status == 0)
  }
}
