import BoxEmulator
import Foundation
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudBox

/// A file that gets another name is moved by one call, and whatever others write meanwhile stays.
@Suite("Renamed files in Box")
struct RenameTests {
  /// A device that has synced files with a folder of a new account.
  private struct Setup {
    let box: TestBox
    let files: RenamedFiles
    var device: TestDevice { files.device }
    var emulator: Emulator { box.emulator }

    init(_ files: [String: String]) async throws {
      let box = try await TestBox()
      self.box = box
      self.files = try await RenamedFiles(
        files, on: box.device("one", at: "/notes"), box.editor(of: "/notes")
      ) { try await box.device("two", at: "/notes") }
      try await box.control(#"{"op": "recount"}"#)
    }

    /// The same device after its program was started again, with an action at each failpoint of a move.
    func restarted(at reach: BoxStorage.Reach? = nil) async throws -> TestDevice {
      let storage = try await box.storage(
        at: "/notes", by: nil, journal: device.archive.journal(of: "test"), device: "one", timeout: .seconds(20))
      guard let reach else { return device.with(storage) }
      var reached = try #require(storage as? BoxStorage)
      reached.reach = reach
      return device.with(reached)
    }

    func fail(_ how: String, times: Int = 1) async throws {
      try await box.control(#"{"op": "fail", "route": "\#(Self.move)", "count": \#(times), \#(how)}"#)
    }

    static let move = "PUT /files/:id"
    var moves: Int { get async { await emulator.calls()[Self.move] ?? 0 } }
  }

  private static let few = ["a.org": "* a\n", "z.org": "* z\n"]

  private static func files(_ count: Int, in folder: String) -> [String: String] {
    Dictionary(uniqueKeysWithValues: (0..<count).map { ("\(folder)/f\($0).org", "* file \($0)\n") })
  }

  @Test("a renamed folder of 20 files is 20 calls, without uploads and removals")
  func folder() async throws {
    let setup = try await Setup(Self.files(20, in: "old"))
    for number in 0..<20 { try await setup.device.rename(["old/f\(number).org": "new/deep/f\(number).org"]) }
    let report = await setup.device.sync()
    #expect(report.result == .synced && report.bytes.up == 0, "\(report.bytes)")
    let calls = await setup.emulator.calls()
    #expect(calls[Setup.move] == 20 && calls["DELETE /files/:id"] == nil, "\(calls)")
    // The marker.
    #expect((calls["POST /files/content"] ?? 0) + (calls["POST /files/:id/content"] ?? 0) <= 1, "\(calls)")
    try await setup.files.expect(Self.files(20, in: "new/deep"))
  }

  @Test("a renamed folder costs a call for each file, and no content")
  func cost() async throws {
    let rename = try await TestBox().renameFolder("box")
    #expect(rename.isMove && rename.moved.units <= 30, "\(rename)")
  }

  @Test("files that exchange their names, a file that becomes a folder, and a name that differs in case arrive")
  func exchanged() async throws {
    let setup = try await Setup(NameExchange.before)
    try await setup.device.rename(NameExchange.names)
    try await setup.files.expect(NameExchange.after)
  }

  // MARK: Other clients

  /// Box checks the etag only within a folder.
  @Test("an edit that another client makes just before the move follows the file", arguments: ["b.org", "d/b.org"])
  func edited(name: String) async throws {
    let setup = try await Setup(Self.few)
    try await setup.device.rename(["a.org": name])
    await setup.emulator.before(Setup.move) { try $0.put("* theirs\n", at: "/notes/a.org") }
    #expect(await setup.device.sync().failure == nil)
    // The version that was moved with its edit is moved back.
    #expect(await setup.moves == (name == "b.org" ? 1 : 2))
    try await setup.files.expect([name: "* theirs\n", "z.org": "* z\n"])
  }

  @Test("an edit that cannot be moved back, because its name is in use again, stays where it is")
  func oldNameTaken() async throws {
    let setup = try await Setup(Self.few)
    try await setup.device.rename(["a.org": "d/b.org"])
    await setup.emulator.before(Setup.move) { emulator in
      try emulator.put("* theirs\n", at: "/notes/a.org")
      emulator.before(Setup.move) { try $0.put("* new\n", at: "/notes/a.org") }
    }
    for _ in 0..<4 { _ = await setup.device.sync() }
    let texts = try await setup.files.remote.texts()
    for text in ["* theirs\n", "* new\n"] { #expect(texts.values.count { $0.contains(text) } == 1, "\(texts)") }
    #expect(try await setup.device.texts() == texts)
  }

  @Test("a file with another description is moved all the same", arguments: ["b.org", "d/b.org"])
  func described(name: String) async throws {
    let setup = try await Setup(Self.few)
    try await setup.device.rename(["a.org": name])
    await setup.emulator.before(Setup.move) { try $0.touch("/notes/a.org") }
    let report = await setup.device.sync()
    #expect(report.result == .synced && report.bytes.up == 0, "\(report)")
    try await setup.files.expect([name: "* a\n", "z.org": "* z\n"])
  }

  @Test("a file that another client puts under the new name stays", arguments: ["b.org", "d/b.org"])
  func taken(name: String) async throws {
    let setup = try await Setup(Self.few)
    try await setup.device.rename(["a.org": name])
    await setup.emulator.before(Setup.move) { try $0.put("* theirs\n", at: "/notes/\(name)") }
    for _ in 0..<3 { _ = await setup.device.sync() }
    let texts = try await setup.files.remote.texts()
    for text in ["* a\n", "* theirs\n"] { #expect(texts.values.count { $0.contains(text) } == 1, "\(texts)") }
    #expect(texts["a.org"] == nil && texts[name] != nil, "\(texts)")
    #expect(try await setup.device.texts() == texts)
  }

  @Test("a file that another client removes or renames meanwhile is not lost", arguments: [nil, "c.org", "e/c.org"])
  func gone(other: String?) async throws {
    let setup = try await Setup(Self.few)
    try await setup.device.rename(["a.org": "b.org"])
    await setup.emulator.before(Setup.move) { emulator in
      guard let other else { return try emulator.remove("/notes/a.org") }
      try emulator.move("/notes/a.org", to: "/notes/\(other)")
    }
    _ = await setup.device.sync()
    var files = ["b.org": "* a\n", "z.org": "* z\n"]
    // Both devices have renamed it, so it gets both names.
    if let other { files[other] = "* a\n" }
    try await setup.files.expect(files)
  }

  @Test("devices that rename and edit files at the same time get the same files, and no line is lost")
  func devices() async throws {
    for _ in 0..<(isSoak ? 50 : 4) {
      let box = try await TestBox()
      let devices = [try await box.device("one", at: "/notes"), try await box.device("two", at: "/notes")]
      try await RandomRenames(devices, box.editor(of: "/notes"), seed: .random(in: 0...(.max))).run(steps: 30)
    }
  }

  // MARK: Interruptions

  @Test(
    "after the program ends at any failpoint, the next run moves the file once, with the edits made since",
    arguments: MoveFailpoint.allCases, [false, true])
  func killed(moment: MoveFailpoint, isEdited: Bool) async throws {
    let text = "* a\n* b\n* c\n"
    let setup = try await Setup(["a.org": text, "z.org": "* z\n"])
    try await setup.device.rename(["a.org": "d/b.org"])
    let device = try await setup.restarted { failpoint throws(SyncError) in
      if failpoint == moment { throw SyncError(.timedOut, "killed") }
    }
    #expect(await device.sync().failure?.message == "killed")
    let there = try await setup.files.remote.texts()
    let name = moment == .starting ? "a.org" : "d/b.org"
    #expect(there == [name: text, "z.org": "* z\n"], "\(moment): \(there)")
    if isEdited { try await setup.files.remote.put(text + "* theirs\n", at: name) }
    try await setup.files.expect(
      ["d/b.org": isEdited ? text + "* theirs\n" : text, "z.org": "* z\n"], by: setup.restarted(), "\(moment)")
  }

  @Test(
    "a move whose answer is lost or makes no sense is made once",
    arguments: [
      #""drop": "before""#, #""drop": "after""#, #""status": 503"#, #""body": "{}""#, #""body": "<html>""#,
      #""status": 200, "body": """#,
    ], ["b.org", "d/b.org"])
  func lost(how: String, name: String) async throws {
    let setup = try await Setup(Self.few)
    try await setup.device.rename(["a.org": name])
    try await setup.fail(how)
    let report = await setup.device.sync()
    #expect(report.result == .synced && report.bytes.up == 0, "\(how): \(report)")
    try await setup.files.expect([name: "* a\n", "z.org": "* z\n"], how)
  }

  @Test("a move whose answer is lost is done, whether it arrived or not", arguments: ["before", "after"])
  func lostAnswer(when: String) async throws {
    let box = try await TestBox()
    let storage = try await box.storage("/notes")
    try await storage.createRoot()
    let text = Content(Array("* a\n".utf8))
    let entry = try #require(try await storage.write(text, to: syncPath("a.org"), if: .absent).entry)
    try await box.control(#"{"op": "fail", "route": "\#(Setup.move)", "drop": "\#(when)"}"#)
    let results = try await storage.commit([
      Change(path: try syncPath("b.org"), content: text, condition: .absent),
      Change(path: try syncPath("a.org"), content: nil, condition: .unchanged(entry.revision), replaced: text),
    ])
    guard case .done(let moved?) = results[0], case .done(nil) = results[1] else { throw TestFailure("\(results)") }
    #expect(try await storage.confirm(file: syncPath("b.org")).entry?.revision == moved.revision)
    #expect(await box.emulator.texts(below: "/notes") == ["b.org": "* a\n"])
  }

  @Test("a move whose answers are all lost is decided by the next pass", arguments: ["before", "after"])
  func allLost(when: String) async throws {
    let setup = try await Setup(Self.few)
    try await setup.device.rename(["a.org": "b.org"])
    try await setup.fail(#""drop": "\#(when)""#, times: 100)
    _ = await setup.device.sync()
    try await setup.box.control(#"{"op": "calm"}"#)
    try await setup.files.expect(["b.org": "* a\n", "z.org": "* z\n"])
  }

  @Test(
    "a move that Box refuses for a reason of its own is made by an upload and a removal", arguments: [400, 403, 405])
  func refused(status: Int) async throws {
    let setup = try await Setup(Self.few)
    try await setup.device.rename(["a.org": "b.org"])
    try await setup.fail(#""status": \#(status)"#)
    #expect(await setup.device.sync().bytes.up == 4)
    #expect(await setup.moves == 1)
    try await setup.files.expect(["b.org": "* a\n", "z.org": "* z\n"])
  }

  @Test(
    "nothing is lost if Box reports another move than the one that was asked for, or none",
    arguments: ["a.org", "x.org"])
  func misreported(name: String) async throws {
    let setup = try await Setup(Self.few)
    let (id, root) = (try await setup.emulator.id(of: "/notes/a.org"), try await setup.emulator.id(of: "/notes"))
    try await setup.device.rename(["a.org": "b.org"])
    let hash = ContentHash.of(Array("* a\n".utf8)).hexadecimal
    let item =
      #"{"type": "file", "id": "\#(id)", "name": "\#(name)", "etag": "1", "sha1": "\#(hash)", "size": 4, "#
      + #""file_version": {"id": "1"}, "parent": {"id": "\#(root)"}}"#
    try await setup.fail(#""body": "\#(item.replacing("\"", with: "\\\""))""#)
    _ = await setup.device.sync()
    #expect(try await setup.files.remote.texts().values.contains("* a\n"))
    try await setup.files.expect(["b.org": "* a\n", "z.org": "* z\n"])
  }
}
