import Foundation
import ProgramTesting
import Testing

/// `mode` of a remote, with the real program.
@Suite struct ModeTests {
  private func prepared(_ mode: String) throws -> Sandbox {
    let sandbox = try Sandbox()
    try sandbox.write(["org/a.org": "* A\n", "org/b.org": "* B\n", "org/c.org": "* C\n"])
    try sandbox.once()
    try sandbox.writeSettings(remote: "mode = \"\(mode)\"")
    return sandbox
  }

  private func ignored(_ sandbox: Sandbox) throws -> [String: String] {
    let outcome = try sandbox.syncd("status", "--json")
    #expect(outcome.status == 0, "\(outcome.story)")
    let remote = try outcome.json(Overview.self).remotes[0]
    #expect(remote.ignored.count == remote.ignored.files.count)
    return Dictionary(uniqueKeysWithValues: remote.ignored.files.map { ($0.path, $0.change) })
  }

  private struct Overview: Decodable {
    var remotes: [Remote]
    struct Remote: Decodable { var mode: String, ignored: Ignored, unsynced: [String] }
    struct Ignored: Decodable { var count: Int, files: [File] }
    struct File: Decodable { var path: String, change: String }
  }

  @Test("send: the remote's changes stay there, and status lists them")
  func send() throws {
    let sandbox = try prepared("send")
    try sandbox.write(["home/a.org": "* Remote\n", "home/n.org": "* New\n", "org/b.org": "* B2\n"])
    try sandbox.remove("home/c.org")
    let before = sandbox.store
    let report = try sandbox.once()
    #expect(report.home.result == "synced" && report.home.counts.copied == 1)
    #expect(sandbox.store == before && sandbox.tree("home")["b.org"] == "* B2\n")
    #expect(
      try ignored(sandbox)
        == ["a.org": "edited on the remote", "c.org": "deleted on the remote", "n.org": "new on the remote"])
    let run = try sandbox.syncd("--once", "-v")
    #expect(
      run.text.contains("home: in sync, 3 ignored by mode") && run.text.contains("ignored n.org: new on the remote"))
    let status = try sandbox.syncd("status")
    #expect(status.text.contains("3 files ignored by `mode = \"send\"`:\n    a.org: edited on the remote"))
    try sandbox.writeSettings()
    try sandbox.once()
    #expect(sandbox.tree("home") == sandbox.store && sandbox.store.names == ["a.org", "b.org", "n.org"])
    #expect(try ignored(sandbox).isEmpty)
  }

  @Test("receive: nothing in the remote's folder changes, not even a time, also at the first contact")
  func receive() throws {
    let sandbox = try Sandbox()
    try sandbox.writeSettings(remote: "mode = \"receive\"")
    try sandbox.write(["home/a.org": "* A\n", "home/b.org": "* B\n", "home/c.org": "* C\n", "org/mine.org": "* Mine\n"])
    func remote() throws -> String {
      try Command(["find", sandbox.path("home"), "-printf", "%P %i %T@ %s\\n"]).run().text
    }
    let first = try remote()
    try sandbox.once()
    #expect(try remote() == first && sandbox.store.names == ["a.org", "b.org", "c.org", "mine.org"])
    try sandbox.write(["org/a.org": "* Edited\n", "home/c.org": "* C2\n"])
    try sandbox.remove("org/b.org")
    let second = try remote()
    try sandbox.once()
    #expect(try remote() == second && sandbox.store["c.org"] == "* C2\n")
    #expect(
      try ignored(sandbox)
        == ["a.org": "edited in the store", "b.org": "deleted in the store", "mine.org": "new in the store"])
    #expect(try sandbox.syncd("status", "--json").json(Overview.self).remotes[0].unsynced == [])
    try sandbox.writeSettings()
    try sandbox.once()
    #expect(sandbox.tree("home") == sandbox.store && sandbox.store.names == ["a.org", "c.org", "mine.org"])
    #expect(sandbox.store["a.org"] == "* Edited\n" && sandbox.read("home/.syncd-root") != nil)
  }

  @Test("no-delete: no path disappears from either side")
  func noDelete() throws {
    let sandbox = try prepared("no-delete")
    try sandbox.remove("org/a.org", "home/b.org")
    try sandbox.write("* C2\n", to: "org/c.org")
    try sandbox.once()
    #expect(sandbox.store.names == ["b.org", "c.org"] && sandbox.tree("home").names == ["a.org", "c.org"])
    #expect(sandbox.tree("home")["c.org"] == "* C2\n")
    #expect(try ignored(sandbox) == ["a.org": "deleted in the store", "b.org": "deleted on the remote"])
  }

  @Test("org-mobile has no modes, and an unknown mode is refused")
  func refused() throws {
    let sandbox = try Sandbox()
    try sandbox.writeSettings(remote: "mode = \"push\"")
    #expect(try sandbox.syncd("settings", "check").status == 8)
    let settings = try #require(sandbox.read("s.toml")).replacing("mode = \"push\"", with: "mode = \"send\"")
    try sandbox.write(settings.replacing("plain-files", with: "org-mobile"), to: "s.toml")
    let outcome = try sandbox.syncd("settings", "check")
    #expect(outcome.status == 8 && outcome.story.contains("requires `mode = \"both\"`"), "\(outcome.story)")
  }
}
