import Foundation
import OrgKit
import SyncKit
import SyncKitTesting
import Testing

@testable import BackendOrgMobile

/// The desktop without Emacs: with our phone, with Emacs' own pull, and with mistakes of phones.
@Suite struct DesktopTests {
  @Test("a push corrects wrong digest lines and removes those of missing files")
  func digestsAreVerified() async throws {
    let place = try Desktop()
    let desk = Phone("desk", at: place.staging, role: .desktop, password: nil)
    for name in ["a.org", "b.org", "c.org"] { try await desk.write("* \(name)\n", to: name) }
    #expect(try await desk.sync().result == .synced)
    for round in 1...2 {
      var list = ChecksumList(try #require(place.bytes("staging/checksums.dat")))
      for index in list.lines.indices where list.lines[index].name == Array("a.org".utf8) {
        list.lines[index].digest = String(repeating: "0", count: 40)
      }
      list.lines.append(.init(digest: String(repeating: "1", count: 40), name: Array("gone.org".utf8)))
      try place.write(list.bytes, to: "staging/checksums.dat")
      try await desk.write("* B \(round)\n", to: "b.org")
      _ = try await desk.sync()
      let pushed = ChecksumList(try #require(place.bytes("staging/checksums.dat")))
      for name in ["a.org", "b.org", "c.org", "index.org"] {
        let bytes = try #require(place.bytes("staging/" + name))
        #expect(pushed.verifies(bytes, as: Array(name.utf8)) == true, "\(name)")
      }
      #expect(!pushed.names.contains(Array("gone.org".utf8)))
    }
  }

  @Test("our desktop and our phone exchange edits of every kind", arguments: [nil, "secret"])
  func everyKind(password: String?) async throws {
    let place = try Desktop()
    let desktop = Phone("desk", at: place.staging, role: .desktop, password: password)
    try await desktop.write(MobileTests.work, to: "work.org")
    try await desktop.write("* Deep\n", to: "sub/deep er.org")
    #expect(try await desktop.sync().result == .synced)
    #expect((place.read("staging/work.org") == MobileTests.work) == (password == nil))
    let phone = Phone(at: place.staging, password: password)
    #expect(try await phone.sync().result == .synced)
    #expect(await phone.names == ["agendas.org", "sub/deep er.org", "work.org"])

    try await phone.edit("work.org") { document in
      try document[document.place("Write the report")].setKeyword("DONE")
      try document[document.place("Write the report")].setTags(["c", "a"])
      try document[document.place("Priority")].setPriority("A")
      try document[document.place("Rename me")].setTitle("New: a/b")
      try document[document.place("Tail")].setBody("another end")
      document.append("* TODO New child :x:\nwith text", below: try document.place("Target"))
      document.move(try document.place("Moves"), below: try document.place("Target"))
      document.remove(try document.place("Goes away"))
    }
    try await phone.write("* Captured\n[2026-01-14 Wed 08:01]\n", to: "inbox.org")
    let wanted = OrgDocument(try await phone.text("work.org"))
    #expect(try await phone.sync().result == .waiting)
    // Meanwhile on the desktop.
    try await desktop.edit("sub/deep er.org") { try $0[$0.place("Deep")].setKeyword("TODO") }
    #expect(try await desktop.sync().result == .synced)
    #expect(MobileTests.sorted(OrgDocument(try await desktop.text("work.org"))) == MobileTests.sorted(wanted))
    #expect(try await desktop.text("inbox.org") == "* Captured\n[2026-01-14 Wed 08:01]\n")
    #expect(try await desktop.text("work.org_archive").contains("Goes away"))
    #expect(try await phone.sync().result == .synced)
    #expect(try await phone.text("work.org") == desktop.text("work.org"))
    #expect(try await phone.text("sub/deep er.org") == "* TODO Deep\n")
    #expect(try await desktop.sync().didSomething == false)
    #expect(try await phone.sync().didSomething == false)
  }

  @Test(
    "Emacs pulls what our phone wrote to our desktop's staging area",
    .enabled(if: Desktop.emacs != nil, "*** SKIPPED: Emacs is not installed ***"))
  func emacsPulls() async throws {
    let place = try Desktop(["work.org": MobileTests.work])
    let desktop = Phone("desk", at: place.staging, role: .desktop)
    try await desktop.write(MobileTests.work, to: "work.org")
    try await desktop.sync()
    let phone = Phone(at: place.staging)
    try await phone.sync()
    try await phone.edit("work.org") { document in
      try document[document.place("Tail")].setKeyword("DONE")
      try document[document.place("Rename me")].setBody("other text")
      document.append("* At the end")
    }
    let wanted = OrgDocument(try await phone.text("work.org"))
    try await phone.sync()
    let pull = try place.pull()
    #expect(pull.contains("counts: new=0 edits=3 flags=0 errors=0"), "\(pull)")
    let result = OrgDocument(try #require(place.read("org/work.org")))
    #expect(MobileTests.sorted(result) == MobileTests.sorted(wanted))
  }

  @Test
  func `edits of one text on both sides are merged where they do not overlap, and stay in the inbox where they do`()
    async throws
  {
    let place = try Desktop()
    let desktop = Phone("desk", at: place.staging, role: .desktop)
    try await desktop.write("* Text\none\n\ntwo\n\nthree\n* Title\n", to: "work.org")
    try await desktop.sync()
    try place.write(
      """
      * F(edit:body) [[olp:work.org:Text][Text]]
      ** Old value
      nought

      one

      two

      three
      ** New value
      nought

      one

      two

      three, from the phone
      ** End of edit
      * F(edit:heading) [[olp:work.org:Title][Title]]
      ** Old value
      Titel
      ** New value
      Überschrift
      ** End of edit
      * F(edit:nonsense) [[olp:work.org:Title][Title]]
      * F(nonsense) [[olp:work.org:Title][Title]]
      * F(edit:todo) [[olp:../outside.org:Title][Title]]
      ** New value
      TODO
      ** End of edit

      """, to: "staging/mobileorg.org")
    #expect(try await desktop.sync().result == .synced)
    let inbox = try await desktop.text("inbox.org")
    #expect(inbox.contains("* Heading changed in the mobile device and on the computer F(edit:heading)"))
    #expect(inbox.contains("Überschrift") && inbox.contains("BAD FLAG * F(nonsense)"))
    #expect(inbox.contains("outside.org") && !FileManager.default.fileExists(atPath: place.root + "/outside.org"))
    #expect(!inbox.contains("edit:nonsense"))
    #expect(place.read("staging/mobileorg.org") == "")
    let work = try await desktop.text("work.org")
    #expect(work.contains("three, from the phone") || inbox.contains("three, from the phone"))
  }

  @Test func `an old capture file that a phone uploads again adds nothing twice`() async throws {
    let place = try Desktop()
    let desktop = Phone("desk", at: place.staging, role: .desktop)
    try await desktop.write("* One\n", to: "work.org")
    try await desktop.sync()
    let phone = Phone(at: place.staging)
    try await phone.sync()
    try await phone.edit("work.org") { $0.append("* Added") }
    try await phone.write("* Captured\n", to: "inbox.org")
    try await phone.sync()
    let old = try #require(place.read("staging/mobileorg.org"))
    try await desktop.sync()
    // The processed captures are in the history under the name of the capture file.
    let kept = await desktop.archive.backup.versions.filter { $0.path.description == "mobileorg.org" }
    #expect(kept.map(\.digest) == [Digest(of: old.utf8)])
    try place.write(old + "* Another\n** Note ID: 0000\n", to: "staging/mobileorg.org")
    try await desktop.sync()
    #expect(try await desktop.text("work.org").components(separatedBy: "* Added\n").count == 2)
    #expect(try await desktop.text("inbox.org") == "* Captured\n* Another\n")
  }
}
