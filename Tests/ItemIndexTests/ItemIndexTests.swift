import Foundation
import OrgKit
import ProgramTesting
import SyncKit
import Testing

@testable import ItemIndex

/// The index of entries. The independent result is a reading of the files themselves.
@Suite("Index of entries") struct ItemIndexTests {
  private let folder = IndexedFolder()

  @Test("after random edits the index has the items, queries and agenda that the files have")
  func random() throws {
    var generator = Numbers(seed: 7)
    var texts = RandomOrg(&generator)
    for round in 0..<(isSoak ? 400 : 40) {
      texts.edit(&generator)
      folder.files = texts.files
      let index = try folder.index()
      try folder.compare(index, "round \(round)")
    }
  }

  @Test("an edit of one entry writes that entry only", arguments: [("Two", "Changed"), ("text of two", "other text")])
  func oneEntry(old: String, new: String) throws {
    let text = (1...200).map { "* Entry \($0)\ntext\n" }.joined() + "* Two\ntext of two\n** Child\n* Last\n"
    folder.files = ["a.org": text]
    let before = try folder.index().read { try $0.identifiers() }
    folder.files = ["a.org": text.replacing(old, with: new + "\nand a line")]
    let index = try folder.index()
    let after = try index.read { try $0.identifiers() }
    // The child has another path if the headline changed.
    #expect(after.subtracting(before).count == (old == "Two" ? 2 : 1))
    try folder.compare(index, old)
  }

  @Test("what an entry has from its parents and file is written again when that changes")
  func heritage() throws {
    let text = "* A :x:\n** B\n*** C\n* D\n"
    for changed in [
      "* A :y:\n** B\n*** C\n* D\n", "#+FILETAGS: z\n" + text, "* A :x:\n** B\n* C\n* D\n", "** B\n*** C\n* D\n",
      "* A :x:\n:PROPERTIES:\n:CATEGORY: q\n:END:\n** B\n*** C\n* D\n", "#+TODO: A | B\n" + text,
    ] {
      folder.files = ["a.org": text]
      _ = try folder.index()
      folder.files = ["a.org": changed]
      try folder.compare(try folder.index(), changed)
    }
  }

  @Test("a file that changed within the step of its time is read again")
  func sameStamp() throws {
    folder.files = ["a.org": "* One\n"]
    _ = try folder.index()
    folder.files = ["a.org": "* Two\n"]
    folder.keepsStamps = true
    try folder.compare(try folder.index(), "same stamp")
  }

  @Test("an agenda of many days has the rows that each of its days has alone")
  func manyDays() {
    var numbers = Numbers(seed: 11)
    let variables: [String: OrgValue] = [
      "org-agenda-prefer-last-repeat": true, "org-agenda-show-future-repeats": .symbol("next"),
      "org-scheduled-delay-days": 2, "org-agenda-start-with-log-mode": true, "org-agenda-skip-deadline-if-done": true,
      "org-agenda-include-inactive-timestamps": true, "org-habit-show-habits-only-for-today": false,
    ]
    for round in 0..<(isSoak ? 300 : 30) {
      var texts = RandomOrg(&numbers)
      for _ in 0..<20 { texts.edit(&numbers) }
      var settings: OrgSettings = ["org-agenda-use-time-grid": false]
      if let (name, value) = variables.randomElement(using: &numbers), round > 5 { settings[name] = value }
      let folder = OrgFolder(OrgFileSet(texts.files.mapValues { Array($0.utf8) }), settings)
      let agenda = OrgAgenda(folder.items, now: IndexedFolder.now, settings: settings, groups: folder.groups)
      let start = IndexedFolder.now.day.advanced(by: Int.random(in: -40...5, using: &numbers))
      let rows = agenda.days(from: start, span: .days(40)).filter(\.isEntry)
      let single = (0..<40).flatMap { agenda.days(from: start.advanced(by: $0), span: .days(1)).filter(\.isEntry) }
      #expect(rows == single, "round \(round), \(settings.names)")
    }
  }

  @Test("the first reading of many files gives what the files have, also if some are gone meanwhile")
  func manyFiles() throws {
    var numbers = Numbers(seed: 3)
    for number in 0..<150 { folder.files["\(number)/n.org"] = RandomOrg(&numbers).files["a.org"] }
    try folder.compare(try folder.index(), "150 files")
    let read = ReadAhead(Array(0..<1_000), batch: 7) { $0 * 2 }
    var results: [Int] = []
    try read.deliver { results.append($0) }
    #expect(results == (0..<1_000).map { $0 * 2 })
    struct Stop: Error {}
    #expect(throws: Stop.self) { try read.deliver { if $0 == 30 { throw Stop() } } }
    try ReadAhead([Int]()) { $0 }.deliver { Issue.record("\($0) of none") }
  }

  @Test("what could not be read is read again, although nothing has another stamp")
  func unreadable() throws {
    let index = try ItemIndex(at: folder.path, IndexOptions(OrgSettings()), boot: "1")
    let stamp = FileStamp(size: 1, modified: 1, changed: 1, inode: 1)
    let refresh = { (isReadable: Bool, isListed: Bool) in
      try index.refresh(
        FileListing(["a.org": stamp], folders: ["": stamp], isWhole: isListed, at: 10_000_000_000),
        now: { 10_000_000_000 }, read: { _ in isReadable ? (stamp, Array("* A\n".utf8)) : nil },
        isWhole: { isReadable })
    }
    for (isReadable, isListed) in [(false, true), (false, true), (true, false)] {
      #expect(try refresh(isReadable, isListed) == 1, "\(isReadable) \(isListed)")
      #expect(try index.known() == nil)
    }
    _ = try refresh(true, true)
    #expect(try index.known()?.agrees { _ in stamp } == true)
    #expect(try refresh(true, true) == 0)
  }

  @Test("the files are known to be the same as long as no file and no folder has another stamp")
  func knownStamps() throws {
    let index = try ItemIndex(at: folder.path, IndexOptions(OrgSettings()), boot: "1")
    let stamp = FileStamp(size: 1, modified: 1, changed: 1, inode: 1)
    let late = FileStamp(size: 1, modified: 1, changed: 9_500_000_000, inode: 1)
    let refresh = { (files: [String: FileStamp], folders: [String: FileStamp]) in
      try index.refresh(
        FileListing(files, folders: folders, at: 10_000_000_000), now: { 10_000_000_000 },
        read: { files[$0].map { ($0, Array("* A\n".utf8)) } })
    }
    #expect(try index.known() == nil)
    _ = try refresh(["é/a.org": stamp], ["": stamp, "é": stamp])
    let known = try #require(try index.known())
    var asked: [String] = []
    #expect(
      known.agrees {
        asked.append($0)
        return stamp
      })
    #expect(asked == ["", "é", "é/a.org"])
    for path in asked {
      #expect(!known.agrees { $0 == path ? late : stamp })
      #expect(!known.agrees { $0 == path ? nil : stamp })
    }
    // A folder has another stamp, because a file of another kind was added.
    let other = FileStamp(size: 1, modified: 2, changed: 2, inode: 1)
    _ = try refresh(["é/a.org": stamp], ["": stamp, "é": other])
    #expect(try index.known()?.agrees { $0 == "é" ? other : stamp } == true)
    // What changed shortly before it was listed may have changed again with the same stamp.
    for (file, folder) in [(late, stamp), (stamp, late)] {
      _ = try refresh(["é/a.org": file], ["": stamp, "é": folder])
      #expect(try index.known() == nil)
    }
    _ = try refresh(["é/a.org": stamp], [:])
    #expect(try index.known() == nil)
  }

  @Test("a listing that is known costs no reading")
  func known() throws {
    folder.age = 10_000_000_000
    folder.files = ["a.org": "* One\n", "b/c.org": "* Two\n"]
    _ = try folder.index()
    #expect(folder.readCount.value == 2)
    _ = try folder.index()
    #expect(folder.readCount.value == 2)
  }

  @Test(
    "a deleted, damaged or foreign database is made again", arguments: ["", "no database", "SQLite format 3\0 but not"])
  func damaged(content: String) throws {
    folder.files = ["a.org": "* TODO One\n", "b.org": "* Two :x:\n"]
    _ = try folder.index()
    if content.isEmpty {
      try FileManager.default.removeItem(atPath: folder.path)
    } else {
      try Data(content.utf8).write(to: URL(filePath: folder.path))
    }
    try folder.compare(try folder.index(), content)
  }

  @Test("other settings build the index again")
  func settings() throws {
    folder.files = ["a.org": "* NEXT One\n"]
    #expect(try folder.index().read { try $0.all() }.first?.first?.keyword == nil)
    folder.settings["org-todo-keywords"] = [[.symbol("sequence"), "NEXT", "|", "DONE"]]
    #expect(try folder.index().read { try $0.all() }.first?.first?.keyword == "NEXT")
  }

  @Test("several processes that refresh at the same time end with the files")
  func concurrent() async throws {
    folder.files = Dictionary(uniqueKeysWithValues: (0..<30).map { ("\($0).org", "* Entry \($0)\n** Child\n") })
    let folder = folder
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 { group.addTask { _ = try folder.index() } }
      try await group.waitForAll()
    }
    try folder.compare(try folder.index(), "concurrent")
  }

  @Test("a search folds case and Latin marks, takes the last word as a beginning, and Han characters singly")
  func words() throws {
    folder.files = ["a.org": "* Ärger mit dem Café\n二つの言葉 Straße\n* Other\ncafeteria\n"]
    let index = try folder.index()
    let found = { (query: String) in
      try index.read { try $0.select(OrgQuery(query), now: IndexedFolder.now) { $0.title } }.map(\.title)
    }
    #expect(try found("arger") == ["Ärger mit dem Café"])
    #expect(try found("\"dem caf\"") == ["Ärger mit dem Café"])
    #expect(try found("CAFE") == ["Ärger mit dem Café", "Other"])
    #expect(try found("言葉") == ["Ärger mit dem Café"])
    #expect(try found("eteria").isEmpty)
  }
}
