import DropboxEmulator
import Foundation
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudDropbox

/// Files that get another name are moved by one call, and whatever others write meanwhile stays.
@Suite("Renamed files on Dropbox")
struct RenameTests {
  /// A device that has synced `files` with a new folder.
  private struct Setup {
    let dropbox: TestDropbox
    let device: TestDevice

    init(_ files: [String: String]) async throws {
      dropbox = try await TestDropbox()
      device = try await dropbox.device("one", at: "/notes")
      for (name, text) in files { try await device.write(text, to: name) }
      try await device.requireHealthyRun("first")
      try await dropbox.emulator.control(#"{"op": "recount"}"#)
    }

    func fail(_ route: String, _ how: String) async throws {
      try await dropbox.emulator.control(#"{"op": "fail", "route": "\#(route)", \#(how)}"#)
    }

    var uploadsAndRemovals: Int {
      get async {
        let calls = await dropbox.emulator.calls()
        return calls.filter { $0.key.contains("upload") || $0.key.contains("delete") }.values.reduce(0, +)
      }
    }

    /// Expects that this device, a new one and Dropbox have these files, and no other.
    func expect(_ files: [String: String], sourceLocation: SourceLocation = #_sourceLocation) async throws {
      for _ in 0..<3 { _ = await device.sync() }
      try await device.requireHealthyRun("later")
      let other = try await dropbox.device("other", at: "/notes")
      try await other.requireHealthyRun("other")
      #expect(try await device.texts() == files, sourceLocation: sourceLocation)
      #expect(try await other.texts() == files, sourceLocation: sourceLocation)
      let there = await dropbox.emulator.texts(below: "/notes").filter { $0.key != ReservedName.marker }
      #expect(there == files, sourceLocation: sourceLocation)
    }
  }

  @Test("a renamed folder of 30 files is one call, without uploads and removals")
  func folder() async throws {
    let old = Dictionary(uniqueKeysWithValues: (0..<30).map { ("old/\($0 % 3)/\($0).org", "* Note \($0)\n") })
    let setup = try await Setup(old)
    // The marker is uploaded with each pass that changes something.
    try await setup.device.write("* more\n", to: "more.org")
    try await setup.device.requireHealthyRun("one file")
    let usual = await setup.uploadsAndRemovals
    try await setup.dropbox.emulator.control(#"{"op": "recount"}"#)
    let new = old.keys.map { ($0, "new" + $0.dropFirst(3)) }
    for (from, to) in new { try await setup.device.rename([from: to]) }
    let report = await setup.device.sync()
    #expect(report.result == .synced && report.bytes.up == 0, "moved bytes are not sent")
    let calls = await setup.dropbox.emulator.calls()
    #expect(calls["files/move_batch_v2"] == 1, "\(calls)")
    #expect(await setup.uploadsAndRemovals < usual, "\(calls)")
    var files = Dictionary(uniqueKeysWithValues: new.map { ($0.1, old[$0.0] ?? "") })
    files["more.org"] = "* more\n"
    try await setup.expect(files)
  }

  @Test("a renamed folder costs a few calls, and no content")
  func cost() async throws {
    let rename = try await TestDropbox().renameFolder("dropbox")
    #expect(rename.isMove && rename.moved.units <= 10, "\(rename)")
  }

  @Test("files that exchange their names, a file that becomes a folder, and a name that differs in case arrive")
  func exchanged() async throws {
    let setup = try await Setup(NameExchange.before)
    try await setup.device.rename(NameExchange.names)
    try await setup.expect(NameExchange.after)
  }

  @Test("an edit that another client makes between the check and the move is moved back, and follows the file")
  func edited() async throws {
    let setup = try await Setup(["a.org": "* a\n* b\n"])
    try await setup.device.rename(["a.org": "b.org"])
    await setup.dropbox.emulator.before("files/move_batch_v2") { emulator in
      try emulator.put("* b\n* c\n", at: "/notes/a.org")
    }
    _ = await setup.device.sync()
    #expect(await setup.dropbox.emulator.calls()["files/move_batch_v2"] ?? 0 >= 2)
    try await setup.expect(["b.org": "* b\n* c\n"])
  }

  @Test("a file that another client has put under the new name stays")
  func taken() async throws {
    let setup = try await Setup(["a.org": "* a\n"])
    try await setup.device.rename(["a.org": "b.org"])
    await setup.dropbox.emulator.before("files/move_batch_v2") { emulator in
      try emulator.put("* other\n", at: "/notes/b.org")
    }
    for _ in 0..<4 { _ = await setup.device.sync() }
    let text = try await setup.device.texts().values.joined()
    #expect(text.contains("* a\n") && text.contains("* other\n"))
  }

  @Test(
    "a move whose answer is lost, wrong or late is made once",
    arguments: ["files/move_batch_v2", "files/move_batch/check_v2"],
    [#""drop": "before""#, #""drop": "after""#, #""body": "{}""#, #""status": 500"#, #""spoil": true"#])
  func lost(route: String, how: String) async throws {
    let setup = try await Setup(["a.org": "* a\n", "d.org": "* d\n"])
    try await setup.device.rename(["a.org": "b.org"])
    try await setup.fail(route, how)
    _ = await setup.device.sync()
    try await setup.dropbox.emulator.control(#"{"op": "calm"}"#)
    try await setup.expect(["b.org": "* a\n", "d.org": "* d\n"])
  }
}
