import Foundation
import OrgKit
import SyncKit
import Testing

@testable import BackendOrgMobile

/// The phone with real Emacs: push, edit, pull, and the Org files have the intended changes.
@Suite(.enabled(if: Desktop.emacs != nil, "*** SKIPPED: Emacs is not installed ***"))
struct MobileTests {
  static let work = """
    #+TITLE: Work
    #+TODO: TODO NEXT WAIT | DONE CANCELLED
    * TODO Write the report                                   :a:b:
      :PROPERTIES:
      :ID:       11111111-2222-4333-8444-555555555555
      :END:
      First line
    * [#B] Priority
    * Rename me
    text stays
    * Parent [0/2]
    ** TODO Child one
    ** TODO Child two
    * Target
    ** Last of target
    * Moves
    moving text
    * Goes away
    * Tail
    end of file

    """

  @Test("edits of every kind arrive unchanged in Emacs", arguments: [nil, "p4ss \"w$rd\" é"])
  func everyKind(password: String?) async throws {
    let desktop = try Desktop(
      ["work.org": Self.work, "sub/my file.org": "* On the first line\nbody\n"], password: password)
    try desktop.push("--no-ids")
    let phone = Phone(at: desktop.staging, password: password)
    #expect(try await phone.sync().result == .synced)
    #expect(try await phone.text("work.org") == Self.work)
    #expect(await phone.names.filter { $0 != "agendas.org" } == ["sub/my file.org", "work.org"])

    try await phone.edit("work.org") { document in
      try document[document.place("Write the report")].setKeyword("DONE")
      try document[document.place("Write the report")].setTags(["c", "a", "b"])
      try document[document.place("Write the report")].setBody("  First line, longer\n  Second line")
      try document[document.place("Priority")].setPriority("A")
      try document[document.place("Rename me")].setTitle("Renamed: a/b [50%] 50%ab")
      try document[document.place("Child one")].setKeyword("NEXT")
      try document[document.place("Child two")].setScheduled(OrgTimestamp("<2026-03-01 Sun>"))
      try document[document.place("Parent [0/2]")].setTitle("Parents [0/2]")
      document.append("* TODO New child :x:\nwith text", below: try document.place("Target"))
      document.append("** Grandchild", below: try document.place("New child"))
      document.move(try document.place("Moves"), below: try document.place("Target"))
      document.remove(try document.place("Goes away"))
    }
    try await phone.edit("sub/my file.org") { document in
      try document[document.place("On the first line")].setKeyword("TODO")
    }
    try await phone.write("* Call the plumber\n[2026-01-14 Wed 08:01]\nabout the tap\n", to: "inbox.org")
    let wanted = OrgDocument(try await phone.text("work.org"))
    let report = try await phone.sync()
    #expect(report.result == .waiting)
    #expect(report.counts.waiting == 3)
    // Nothing is sent twice, and the changed entries keep their changes.
    let capture = try #require(desktop.bytes("staging/mobileorg.org"))
    #expect(capture.starts(with: "Salted__".utf8) == (password != nil))
    #expect(try await phone.sync().result == .waiting)
    #expect(desktop.bytes("staging/mobileorg.org") == capture)
    #expect(try await phone.text("work.org") == wanted.text)

    let pull = try desktop.pull()
    #expect(pull.contains { $0.hasPrefix("counts: new=1") && $0.hasSuffix("flags=0 errors=0") }, "\(pull)")
    let result = OrgDocument(Array(try #require(desktop.read("org/work.org")).utf8))
    #expect(Self.sorted(result) == Self.sorted(wanted))
    #expect(desktop.read("org/sub/my file.org")?.contains("* TODO On the first line\nbody\n") == true)
    #expect(desktop.read("org/from-mobile.org") == "* Call the plumber\n[2026-01-14 Wed 08:01]\nabout the tap\n")
    #expect(desktop.read("org/work.org_archive")?.contains("* Goes away") == true)

    // Pulled and not yet pushed: the phone still shows its own version.
    #expect(try await phone.sync().result == .synced)
    #expect(try await phone.text("work.org") == wanted.text)
    try desktop.push("--no-ids")
    #expect(try await phone.sync().result == .synced)
    #expect(try await phone.text("work.org") == desktop.read("org/work.org"))
    #expect(try await phone.text("sub/my file.org") == desktop.read("org/sub/my file.org"))
    // The capture is in from-mobile.org now.
    #expect(try await phone.sync().result == .synced)
    #expect(try await phone.text("inbox.org").contains("plumber") == false)
    #expect(try await phone.sync().didSomething == false)
  }

  @Test func `a capture that Emacs has filed in another file stands once`() async throws {
    let desktop = try Desktop(["work.org": "* Work\n"])
    try desktop.push("--no-ids")
    let phone = Phone(at: desktop.staging)
    try await phone.sync()
    let filed = "* Call the plumber\n[2026-01-14 Wed 08:01]\n** about the tap\n"
    // Another entry of the same words may be older.
    let plain = "* Buy milk\n"
    try await phone.write("# Inbox\n" + filed + plain, to: "inbox.org")
    #expect(try await phone.sync().result == .waiting)
    try desktop.pull()
    #expect(desktop.read("org/from-mobile.org") == filed + plain)
    #expect(try await phone.sync().result == .synced)
    #expect(try await phone.text("inbox.org") == "# Inbox\n" + filed + plain)
    // Emacs has the capture further down, in a file that it pushes.
    try desktop.write(
      "* Work\n" + filed.replacing("* ", with: "** ").replacing("**** ", with: "*** "), to: "org/work.org")
    try desktop.write(plain, to: "org/from-mobile.org")
    try desktop.push("--no-ids")
    for _ in 0..<2 { #expect(try await phone.sync().result == .synced) }
    #expect(try await phone.text("work.org").contains("** Call the plumber\n"))
    #expect(try await phone.text("inbox.org") == "# Inbox\n" + plain)
    #expect(try await phone.sync().didSomething == false)
    // Another capture is the only one that is sent.
    try await phone.write("# Inbox\n" + plain + "* New\n", to: "inbox.org")
    #expect(try await phone.sync().result == .waiting)
    #expect(desktop.read("staging/mobileorg.org")?.components(separatedBy: "\n* ").count == 1)
  }

  /// The text of the entries, ignoring the order among siblings, which no edit can express.
  static func sorted(_ document: OrgDocument) -> [String] {
    document.entries.map { entry in
      let text = entry.text.textLines.map { $0.trimmed.string }.filter { !$0.isEmpty && !$0.hasPrefix("CLOSED:") }
      let parts = [
        entry.path.joined(separator: "/"), entry.keyword ?? "", entry.priority ?? "", entry.tags.joined(separator: ":"),
      ]
      return parts.joined(separator: "|") + "|" + text.joined(separator: "|")
    }.sorted()
  }

  @Test func `a change without an edit kind arrives as a flagged note with both versions`() async throws {
    let desktop = try Desktop(["work.org": "#+TITLE: Work\n* [#A] One\ntext\n* Two\n** Twin\n** Twin\n"])
    try desktop.push("--no-ids")
    let phone = Phone(at: desktop.staging)
    try await phone.sync()
    try await phone.write("#+TITLE: Other\n* One\ntext\n* Two\n** Twin\n** TODO Twin\n", to: "work.org")
    #expect(try await phone.sync().result == .waiting)
    try desktop.pull()
    let work = try #require(desktop.read("org/work.org"))
    #expect(work.contains(":FLAGGED:"))
    #expect(work.contains("Priority on the desktop: A, on phone: none"), "\(work)")
    let inbox = try #require(desktop.read("org/from-mobile.org"))
    #expect(inbox.contains("#+TITLE: Other") && inbox.contains("#+TITLE: Work"))
    #expect(inbox.contains("State on the desktop: none, on phone: TODO"))
    try desktop.push("--no-ids")
    #expect(try await phone.sync().result == .synced)
    #expect(try await phone.text("work.org") == work)
  }

  @Test func `a push is merged with waiting edits, and the edits follow`() async throws {
    let desktop = try Desktop(["work.org": Self.work])
    try desktop.push("--no-ids")
    let phone = Phone(at: desktop.staging)
    try await phone.sync()
    try await phone.edit("work.org") { document in
      try document[document.place("Priority")].setPriority("C")
      try document[document.place("Rename me")].setTitle("From the phone")
    }
    try await phone.sync()
    // Meanwhile a user of the desktop makes one of the two changes.
    var there = OrgDocument(Self.work)
    try there[there.place("Priority")].setPriority("C")
    try there[there.place("Tail")].setKeyword("TODO")
    try there[there.place("Rename me")].setTags(["new"])
    try desktop.write(there.text, to: "org/work.org")
    try desktop.push("--no-ids")
    let report = try await phone.sync()
    #expect(report.result == .waiting, "\(report)")
    let merged = OrgDocument(try await phone.text("work.org"))
    #expect(merged[try merged.place("From the phone")].tags == ["new"])
    #expect(merged[try merged.place("Tail")].keyword == "TODO")
    let capture = try #require(desktop.read("staging/mobileorg.org"))
    #expect(capture.contains("F(edit:heading)") && !capture.contains("F(edit:priority)"))
    let pull = try desktop.pull()
    #expect(pull.contains("counts: new=0 edits=1 flags=0 errors=0"), "\(pull)")
    try desktop.push("--no-ids")
    #expect(try await phone.sync().result == .synced)
    #expect(try await phone.text("work.org") == desktop.read("org/work.org"))
    #expect(try await phone.text("work.org").contains("From the phone"))
  }

  @Test func `both sides change the same title, and the file has both, marked`() async throws {
    let desktop = try Desktop(["work.org": Self.work])
    try desktop.push("--no-ids")
    let phone = Phone(at: desktop.staging)
    try await phone.sync()
    try await phone.edit("work.org") { try $0[$0.place("Rename me")].setTitle("Mine") }
    try await phone.sync()
    try desktop.write(Self.work.replacing("Rename me", with: "Yours"), to: "org/work.org")
    try desktop.push("--no-ids")
    try await phone.sync()
    let text = try await phone.text("work.org")
    #expect(text.contains("Mine") && text.contains("Yours"))
    let pull = try desktop.pull()
    #expect(pull.contains { $0.hasSuffix("errors=0") }, "\(pull)")
    let work = try #require(desktop.read("org/work.org"))
    #expect(work.contains("Mine") && work.contains("Yours"))
  }

  @Test func `an edit that is reverted before Emacs pulls is never seen`() async throws {
    let desktop = try Desktop(["work.org": Self.work])
    try desktop.push("--no-ids")
    let phone = Phone(at: desktop.staging)
    try await phone.sync()
    try await phone.edit("work.org") { try $0[$0.place("Tail")].setKeyword("DONE") }
    try await phone.sync()
    try await phone.edit("work.org") { try $0[$0.place("Tail")].setKeyword("WAIT") }
    try await phone.sync()
    #expect(desktop.read("staging/mobileorg.org")?.components(separatedBy: "F(edit:todo)").count == 2)
    try await phone.write(Self.work, to: "work.org")
    #expect(try await phone.sync().result == .synced)
    #expect(desktop.read("staging/mobileorg.org") == "\n")
    #expect(try desktop.pull().contains("counts: nothing to pull"))
  }

  @Test func `two phones share a staging area, and each edit arrives once`() async throws {
    let desktop = try Desktop(["work.org": Self.work])
    try desktop.push("--no-ids")
    let phones = [Phone("one", at: desktop.staging), Phone("two", at: desktop.staging)]
    for phone in phones { try await phone.sync() }
    try await phones[0].edit("work.org") { $0.append("* From one") }
    try await phones[1].edit("work.org") { $0.append("* From two") }
    try await phones[1].write("* Captured by two\n", to: "inbox.org")
    for phone in phones + phones { try await phone.sync() }
    try desktop.pull()
    try desktop.push("--no-ids")
    for phone in phones { #expect(try await phone.sync().result == .synced) }
    let work = try #require(desktop.read("org/work.org"))
    for title in ["From one", "From two"] { #expect(work.components(separatedBy: "* \(title)\n").count == 2) }
    #expect(desktop.read("org/from-mobile.org") == "* Captured by two\n")
    for phone in phones { #expect(try await phone.text("work.org") == work) }
  }
}
