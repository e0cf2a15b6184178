import DropboxEmulator
import Foundation
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudDropbox

@Suite("Dropbox listings")
struct ListingTests {
  /// An account with three files, and a storage that has listed them.
  private func prepared(
    _ journal: TestJournal = TestJournal(), change: (inout Dropbox.Settings) -> Void = { _ in }
  ) async throws -> (TestDropbox, any Storage) {
    let dropbox = try await TestDropbox()
    for name in ["a.org", "b.org", "dir/c.org"] { try await dropbox.emulator.put("* \(name)\n", at: "/top/\(name)") }
    let storage = try await dropbox.storage("/top", journal: journal, change: change)
    #expect(try await storage.names() == ["a.org", "b.org", "dir/c.org"])
    return (dropbox, storage)
  }

  @Test("an unchanged folder costs one call, also after a restart")
  func unchanged() async throws {
    let dropbox = try await TestDropbox()
    let device = try await dropbox.device("one", at: "/top")
    try await device.write("* note\n", to: "a.org")
    for _ in 0..<3 { try await device.requireHealthyRun("preparing") }
    try await dropbox.emulator.control(#"{"op": "recount"}"#)
    try await device.requireHealthyRun("nothing new")
    #expect(await dropbox.emulator.calls() == ["files/list_folder/continue": 1])
    try await dropbox.emulator.control(#"{"op": "recount"}"#)
    let again = TestDevice(
      "one", store: device.store, archive: device.archive,
      storage: try await dropbox.storage("/top", journal: device.archive.journal(of: "test")))
    try await again.requireHealthyRun("after a restart")
    #expect(await dropbox.emulator.calls() == ["files/list_folder/continue": 1, "oauth2/token": 1])
  }

  @Test("a listing follows changes and records them in the journal")
  func changes() async throws {
    let journal = TestJournal()
    let (dropbox, storage) = try await prepared(journal)
    try await dropbox.emulator.put("* new\n", at: "/top/dir/new.org")
    try await dropbox.emulator.remove("/top/a.org")
    #expect(try await storage.names() == ["b.org", "dir/c.org", "dir/new.org"])
    try await dropbox.emulator.move("/top/dir", to: "/top/other")
    #expect(try await storage.names() == ["b.org", "other/c.org", "other/new.org"])
    try await dropbox.emulator.control(#"{"op": "recount"}"#)
    #expect(try await dropbox.storage("/top", journal: journal).names() == ["b.org", "other/c.org", "other/new.org"])
    #expect(await dropbox.emulator.calls()["files/list_folder"] == nil)
  }

  @Test("an invalid cursor starts a new listing, with the changes of both sides")
  func reset() async throws {
    let dropbox = try await TestDropbox()
    let device = try await dropbox.device("one", at: "/top")
    for name in ["a", "b", "c"] { try await device.write("* \(name)\n", to: "\(name).org") }
    for _ in 0..<2 { try await device.requireHealthyRun("first") }
    try await dropbox.emulator.put("* a\nthere\n", at: "/top/a.org")
    try await dropbox.emulator.remove("/top/c.org")
    try await device.write("* b\nhere\n", to: "b.org")
    try await dropbox.emulator.control(#"{"op": "reset_cursors"}"#)
    for _ in 0..<2 { try await device.requireHealthyRun("after the reset") }
    let expected = ["a.org": "* a\nthere\n", "b.org": "* b\nhere\n"]
    #expect(try await device.texts() == expected)
    #expect(await dropbox.emulator.texts(below: "/top").filter { !$0.key.hasPrefix(".") } == expected)
  }

  @Test("a listing with small pages is complete, and a rename may span two pages")
  func pages() async throws {
    let (dropbox, storage) = try await prepared()
    try await dropbox.emulator.control(#"{"op": "page_size", "n": 1}"#)
    try await dropbox.emulator.move("/top/b.org", to: "/top/z.org")
    try await dropbox.emulator.put("* d\n", at: "/top/d.org")
    #expect(try await storage.names() == ["a.org", "d.org", "dir/c.org", "z.org"])
    #expect(try await dropbox.storage("/top").names() == ["a.org", "d.org", "dir/c.org", "z.org"])
  }

  @Test("changes that the server shows late are listed once they are visible")
  func delay() async throws {
    let (dropbox, storage) = try await prepared()
    try await dropbox.emulator.control(#"{"op": "delay", "seconds": 3600}"#)
    try await dropbox.emulator.put("* late\n", at: "/top/late.org")
    #expect(try await storage.names() == ["a.org", "b.org", "dir/c.org"])
    try await dropbox.emulator.control(#"{"op": "delay", "seconds": 0}"#)
    #expect(try await storage.names() == ["a.org", "b.org", "dir/c.org", "late.org"])
  }

  @Test("a missing folder is reported, and nothing is deleted")
  func goneFolder() async throws {
    let dropbox = try await TestDropbox()
    let device = try await dropbox.device("one", at: "/top")
    for number in 0..<10 { try await device.write("* \(number)\n", to: "\(number).org") }
    try await device.requireHealthyRun("first")
    try await dropbox.emulator.remove("/top")
    let report = await device.sync()
    #expect(report.failure != nil || report.hold != nil, "\(report)")
    #expect(try await device.texts().count == 10)
  }

  @Test("a document that cannot be downloaded does not count as deleted")
  func undownloadable() async throws {
    let (dropbox, _) = try await prepared()
    try await dropbox.emulator.control(#"{"op": "undownloadable", "path": "/top/b.org"}"#)
    let listing = try await dropbox.storage("/top").list(since: Known())
    #expect(listing.unread.map(\.path.description) == ["b.org"])
    #expect(listing.isUnknown(try syncPath("b.org")) && listing.count == 2)
  }

  @Test("a listing stays in the team's space, also after the space moves")
  func teamSpace() async throws {
    let dropbox = try await TestDropbox()
    try await dropbox.emulator.control(#"{"op": "root", "namespace": "777"}"#)
    try await dropbox.emulator.put("* a\n", at: "/top/a.org")
    let journal = TestJournal()
    let storage = try await dropbox.storage("/top", journal: journal) { $0.teamSpace = true }
    #expect(try await storage.names() == ["a.org"])
    try await dropbox.emulator.control(#"{"op": "root", "namespace": "888"}"#)
    try await dropbox.emulator.put("* b\n", at: "/top/b.org")
    #expect(try await storage.names() == ["a.org", "b.org"])
    #expect(journal.records()["dropbox.root"] == Array("888".utf8))
  }

  @Test("the journal of another folder is ignored")
  func otherFolder() async throws {
    let journal = TestJournal()
    let (dropbox, _) = try await prepared(journal)
    try await dropbox.emulator.put("* x\n", at: "/else/x.org")
    #expect(try await dropbox.storage("/else", journal: journal).names() == ["x.org"])
    #expect(journal.records().keys.filter { $0.hasPrefix("dropbox.node/") } == ["dropbox.node/x.org"])
  }

  @Test("the whole Dropbox is listed without a folder, and a folder is found in another letter case")
  func roots() async throws {
    let (dropbox, _) = try await prepared()
    #expect(try await dropbox.storage("").names() == ["top/a.org", "top/b.org", "top/dir/c.org"])
    #expect(try await dropbox.storage("/TOP/Dir").names() == ["c.org"])
  }
}
