import Foundation
import ProgramTesting
import Testing

/// `match` of a remote, with the real program.
@Suite struct MatchTests {
  private static let notes = "#+TITLE: Notes\n* Shopping :mobile:\n** Gift for Ann :private:\n** Milk\n* Diary\n"

  private func sandbox(_ match: String = "+mobile-private") throws -> Sandbox {
    let sandbox = try Sandbox()
    try sandbox.writeSettings(remote: "match = \"\(match)\"")
    try sandbox.write([
      "org/notes.org": Self.notes, "org/diary.org": "* Diary\n", "org/photo.jpg": "jpg",
      "org/keep.org": "* K :mobile:\n",
    ])
    try sandbox.once()
    return sandbox
  }

  @Test("only matching subtrees are sent, edits come home, and whole files are in the history")
  func roundTrip() throws {
    let sandbox = try sandbox()
    #expect(sandbox.tree("home").names == ["keep.org", "notes.org"])
    #expect(sandbox.tree("home")["notes.org"] == "* Shopping :mobile:\n** Milk\n")
    try sandbox.write(["home/notes.org": "* Shopping :mobile:\n** DONE Milk\n* Bread :mobile:\n"])
    try sandbox.once()
    let merged = Self.notes.replacing("** Milk", with: "** DONE Milk") + "* Bread :mobile:\n"
    #expect(sandbox.store["notes.org"] == merged)
    let report = try sandbox.once()
    #expect(report.home.counts.copied == 0 && report.home.result == "synced")
    // The version that was replaced is the whole file.
    #expect(try sandbox.syncd("restore", "notes.org").status == 0)
    #expect(sandbox.store["notes.org"] == Self.notes)
    try sandbox.once()
    #expect(sandbox.tree("home")["notes.org"] == "* Shopping :mobile:\n** Milk\n")
    // The marker has random letters.
    let found = try Command(
      ["grep", "-rE", "--exclude=.syncd-root", "Ann|Diary|Notes|jpg", sandbox.path("home")]
    ).run()
    #expect(found.status == 1, "\(found.text)")
  }

  @Test("the log has whole versions only, and a pass that sent an edit to a whole copy, too, can be undone")
  func logAndUndo() throws {
    let sandbox = try Sandbox(remotes: ["all", "home"])
    try sandbox.writeSettings()
    let settings = try #require(sandbox.read("s.toml"))
    // The remote with parts is the first one.
    let tables = settings.components(separatedBy: "[remotes.all]\n")
    let (all, home) = (
      tables[1].components(separatedBy: "[remotes.home]\n")[0], tables[1].components(separatedBy: "[remotes.home]\n")[1]
    )
    try sandbox.write(
      tables[0] + "[remotes.home]\nmatch = \"+mobile-private\"\n" + home + "[remotes.all]\n" + all, to: "s.toml")
    try sandbox.write(["org/notes.org": Self.notes])
    try sandbox.once()
    let edited = Self.notes.replacing("** Milk", with: "** Oat milk")
    try sandbox.write(["org/notes.org": edited])
    try sandbox.once()
    let log = try sandbox.syncd("log", "notes.org").text
    #expect(log.contains("\(edited.utf8.count) B  changed in the store"), "\(log)")
    #expect(log.split(separator: "\n").count == 2, "\(log)")
    let undo = try sandbox.syncd("undo", "last")
    #expect(undo.status == 0 && undo.text.contains("undid 1 change"), "\(undo.story)")
    #expect(sandbox.store["notes.org"] == Self.notes)
    try sandbox.once()
    try sandbox.remove("org/notes.org")
    try sandbox.once()
    #expect(try sandbox.syncd("deleted").text.contains("notes.org  (\(Self.notes.utf8.count) B)"))
  }

  @Test("status counts only what concerns the remote, and why says what it has")
  func messages() throws {
    let sandbox = try sandbox()
    try sandbox.write(["org/diary.org": "* Diary\n* More\n"])
    let overview = try sandbox.syncd("status", "--json").json(Overview.self)
    #expect(overview.remotes[0].unsynced == [])
    #expect(try sandbox.syncd("why", "notes.org").text.contains("  home: 2 of 4 entries match `+mobile-private`"))
    #expect(try sandbox.syncd("why", "diary.org").text.contains("  home: 0 of 2 entries match"))
    #expect(try sandbox.syncd("why", "photo.jpg").text.contains("only Org files"))
    #expect(try sandbox.syncd("why", "--json", "diary.org").text.contains("\"home\""))
  }

  private struct Overview: Decodable {
    var remotes: [Remote]
    struct Remote: Decodable { var unsynced: [String] }
  }

  @Test("a match with an error and a backend that does not support one are refused")
  func settings() throws {
    let sandbox = try Sandbox()
    try sandbox.writeSettings(remote: "match = \"+mobile LEVEL=2\"")
    let wrong = try sandbox.syncd("--once")
    #expect(wrong.status != 0 && wrong.story.contains("`match` must name tags"), "\(wrong.story)")
    try sandbox.write(
      try #require(sandbox.read("s.toml")).replacing("plain-files", with: "org-mobile").replacing(
        "+mobile LEVEL=2", with: "mobile"), to: "s.toml")
    let mobile = try sandbox.syncd("--once")
    #expect(mobile.status != 0 && mobile.story.contains("does not support `match`"), "\(mobile.story)")
  }

  @Test("a changed match deletes nothing at home, and its notice says that both sides are merged")
  func changed() throws {
    let sandbox = try sandbox()
    let before = sandbox.store
    try sandbox.writeSettings(remote: "match = \"-mobile-private\"")
    try sandbox.once("--verbose")
    try sandbox.writeSettings()
    try sandbox.once()
    try sandbox.once()
    #expect(sandbox.store == before)
    #expect(sandbox.tree("home") == before)
  }
}
