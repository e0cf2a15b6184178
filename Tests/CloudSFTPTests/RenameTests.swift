import Foundation
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Synchronization
import Testing

@testable import CloudSFTP

/// A file that gets another name is moved on the host, and whatever others write meanwhile stays.
@Suite("Renamed files over sftp")
struct RenameTests {
  /// A device that has synced files with a folder.
  private struct Setup {
    let folder: Folder
    let files: RenamedFiles
    var device: TestDevice { files.device }

    init(_ files: [String: String], in folder: Folder) async throws {
      self.folder = folder
      self.files = try await RenamedFiles(files, on: folder.device("one"), folder) { try await folder.device("two") }
    }

    /// The same device after its program was started again, with an action at each failpoint of a move.
    func restarted(at reach: SFTPStorage.Reach? = nil) async throws -> TestDevice {
      var storage = try await folder.storage(of: device)
      if let reach { storage.reach = reach }
      return device.with(storage)
    }
  }

  private static func files(_ count: Int, in folder: String) -> [String: String] {
    Dictionary(uniqueKeysWithValues: (0..<count).map { ("\(folder)/f\($0).org", "* file \($0)\n") })
  }

  /// A time long ago, which proves that a file has not changed since.
  private static let past = Date(timeIntervalSince1970: 1_500_000_000)

  @Test("the files of a renamed folder are moved: no bytes are sent", arguments: ConformanceTests.safe)
  func moved(kind: SFTPHost.Kind) async throws {
    guard let host = try await SFTPHost.spacious(kind) else { return }
    let setup = try await Setup(Self.files(20, in: "old"), in: Folder(on: host))
    for number in 0..<20 { try await setup.device.rename(["old/f\(number).org": "new a/b/f\(number).org"]) }
    let report = await setup.device.sync()
    #expect(report.result == .synced && report.bytes.up == 0, "\(report.bytes)")
    #expect(setup.folder.allTexts() == Self.files(20, in: "new a/b"))
    try await setup.files.expect(Self.files(20, in: "new a/b"))
  }

  @Test(
    "a move needs no link if a rename overwrites nothing; without times that can be set, the file is uploaded",
    arguments: [("hardlink", 0), ("setstat", 4)])
  func lacking(request: String, bytes: Int) async throws {
    let server = try #require(Folder.openssh)
    let setup = try await Setup(["a.org": "* a\n", "z.org": "* z\n"], in: Folder(servedBy: "\(server) -P \(request)"))
    try setup.folder.setTime(Self.past, of: "a.org")
    try await setup.device.rename(["a.org": "d/b.org"])
    let report = await setup.device.sync()
    #expect(report.result == .synced && report.bytes.up == bytes, "\(report.bytes)")
    try await setup.files.expect(["d/b.org": "* a\n", "z.org": "* z\n"])
  }

  @Test("files that exchange their names, and a file that becomes a folder, arrive", arguments: ConformanceTests.safe)
  func exchanged(kind: SFTPHost.Kind) async throws {
    guard let host = try await SFTPHost.spacious(kind) else { return }
    let setup = try await Setup(NameExchange.before, in: Folder(on: host))
    try await setup.device.rename(NameExchange.names)
    try await setup.files.expect(NameExchange.after)
  }

  @Test(
    "another device notices a moved file in place of one that had its name, size and time", arguments: [false, true])
  func sameRevision(isAtOnce: Bool) async throws {
    let setup = try await Setup(["a.org": "* a\n", "b.org": "* b\n", "z.org": "* z\n"], in: Folder())
    for name in ["a.org", "b.org"] { try setup.folder.setTime(Self.past, of: name) }
    let other = try await setup.folder.device("other")
    for device in [setup.device, other] { try await device.expectHealthyRun("the time") }
    try await setup.device.remove("b.org")
    if !isAtOnce { try await setup.device.expectHealthyRun("removed") }
    try await setup.device.rename(["a.org": "b.org"])
    for device in [setup.device, other] { try await device.expectHealthyRun("renamed") }
    #expect(try await other.texts() == ["b.org": "* a\n", "z.org": "* z\n"])
    try await setup.files.expect(["b.org": "* a\n", "z.org": "* z\n"])
  }

  @Test("a renamed file costs a dozen small requests, whatever its size")
  func requests() async throws {
    let (server, plan) = (try #require(Folder.openssh), FaultPlan())
    var counts: [Int] = []
    for count in [1, 21] {
      try plan.count()
      let setup = try await Setup(Self.files(count, in: "old"), in: Folder(servedBy: plan.command(server)))
      for name in Self.files(count, in: "old").keys { try setup.folder.setTime(Self.past, of: name) }
      try await setup.device.expectHealthyRun("the time")
      for number in 0..<count { try await setup.device.rename(["old/f\(number).org": "new/f\(number).org"]) }
      try plan.count()
      let report = await setup.device.sync()
      #expect(report.result == .synced && report.bytes.up == 0)
      counts.append(try plan.counted())
    }
    print("a renamed file: \(counts[0]) requests; 21 files: \(counts[1])")
    #expect((counts[1] - counts[0]) / 20 <= 13, "\(counts)")
  }

  @Test("a renamed folder costs a dozen small requests for each file, and no content")
  func cost() async throws {
    let (server, plan) = (try #require(Folder.openssh), FaultPlan())
    try plan.count()
    let folder = try Folder(servedBy: plan.command(server))
    let rename = try await FolderRename("sftp", in: "request", by: folder.device("one")) {
      for name in folder.allTexts().keys { try folder.setTime(Self.past, of: name) }
    } sent: {
      try (plan.counted(), plan.countedBytes())
    }
    #expect(rename.isMove && rename.moved.units <= 20 * 13 + 60, "\(rename)")
  }

  // MARK: Other writers

  @Test("an edit on the host is not lost, and exists once", arguments: SFTPFailpoint.allCases)
  func edited(moment: SFTPFailpoint) async throws {
    let setup = try await Setup(["a.org": "* a\n", "z.org": "* z\n"], in: Folder())
    try await setup.device.rename(["a.org": "b.org"])
    let device = try await setup.restarted { failpoint throws(SyncError) in
      if failpoint == moment { setup.folder.edit("* theirs\n", "a.org") }
    }
    #expect(await device.sync().failure == nil)
    // Once the file is moved, the old name is free for another one.
    let name = moment == .moving ? "b.org" : "a.org"
    var expected = ["b.org": "* a\n", "z.org": "* z\n"]
    expected[name] = "* theirs\n"
    try await setup.files.expect(expected, by: setup.restarted(), "\(moment)")
  }

  /// Renames `a.org` with an action at one failpoint; returns the results of the creation and the removal.
  private func rename(
    in folder: Folder, at moment: SFTPFailpoint, isOld: Bool = false, _ act: @escaping @Sendable () -> Void
  ) async throws -> [WriteResult] {
    try folder.write("* a\n", to: "a.org")
    if isOld { try folder.setTime(Self.past, of: "a.org") }
    var storage = try await folder.storage()
    guard case .read(let entry) = try await storage.read(file: path("a.org"), into: MemorySink(limit: 1_000)) else {
      throw TestFailure("a.org was not read")
    }
    storage.reach = { failpoint throws(SyncError) in if failpoint == moment { act() } }
    return try await storage.commit([
      Change(path: try path("b.org"), content: content("* a\n"), condition: .absent),
      Change(path: try path("a.org"), content: nil, condition: .unchanged(entry.revision), replaced: content("* a\n")),
    ])
  }

  @Test("an edit of the same size within the same second is not taken for the version that was to be moved")
  func unseen() async throws {
    let folder = try Folder()
    let results = try await rename(in: folder, at: .moving) {
      guard let time = folder.time(of: "a.org") else { return }
      folder.edit("* t\n", "a.org")
      try? folder.setTime(time, of: "a.org")
    }
    guard case .postponed = results[0], case .refused = results[1] else { throw TestFailure("\(results)") }
    #expect(folder.allTexts() == ["a.org": "* t\n"])
  }

  @Test("a move to a name that is taken meanwhile leaves nothing moved away", arguments: [true, false])
  func refused(isOld: Bool) async throws {
    let folder = try Folder()
    let results = try await rename(in: folder, at: .movedAway, isOld: isOld) { folder.edit("* theirs\n", "b.org") }
    guard case .refused(_?) = results[0], case .done(nil) = results[1] else { throw TestFailure("\(results)") }
    #expect(folder.allTexts() == ["b.org": "* theirs\n"])
  }

  @Test("an edit by a program that has the file open while it is moved stays", arguments: [true, false])
  func editedInPlace(isTaken: Bool) async throws {
    let folder = try Folder()
    let results = try await rename(in: folder, at: .movedAway, isOld: true) {
      if isTaken { folder.edit("* theirs\n", "b.org") }
      guard let kept = folder.allTexts().keys.first(where: { $0.contains(".old.tmp") }) else { return }
      try? Data("* t\n".utf8).write(to: URL(filePath: folder.path + "/" + kept))
    }
    // The edit follows to the new name in the next pass.
    guard case .postponed = results[0], case .refused(_?) = results[1] else { throw TestFailure("\(results)") }
    #expect(folder.allTexts() == (isTaken ? ["a.org": "* t\n", "b.org": "* theirs\n"] : ["a.org": "* t\n"]))
  }

  @Test("a file that another writer puts under the new name stays", arguments: SFTPFailpoint.allCases)
  func taken(moment: SFTPFailpoint) async throws {
    let setup = try await Setup(["a.org": "* a\n", "z.org": "* z\n"], in: Folder())
    try await setup.device.rename(["a.org": "b.org"])
    let device = try await setup.restarted { failpoint throws(SyncError) in
      if failpoint == moment { setup.folder.edit("* theirs\n", "b.org") }
    }
    for _ in 0..<3 { _ = await device.sync() }
    let texts = setup.folder.allTexts()
    #expect(texts["a.org"] == nil, "\(moment): \(texts)")
    // Over the moved file, the other writer has replaced a version on purpose; it is in the history of this device.
    let expected = [.moving, .movedAway].contains(moment) ? ["* a\n", "* theirs\n"] : ["* theirs\n"]
    for text in expected { #expect(texts.values.count { $0.contains(text) } == 1, "\(moment): \(texts)") }
    #expect(try await setup.device.texts() == texts)
    #expect(try await setup.device.archive.content(Digest(of: Array("* a\n".utf8))) != nil)
  }

  @Test("a file that another writer removes meanwhile gets its new name", arguments: SFTPFailpoint.allCases)
  func removed(moment: SFTPFailpoint) async throws {
    let setup = try await Setup(["a.org": "* a\n", "z.org": "* z\n"], in: Folder())
    try await setup.device.rename(["a.org": "b.org"])
    let device = try await setup.restarted { failpoint throws(SyncError) in
      if failpoint == moment { try? FileManager.default.removeItem(atPath: setup.folder.path + "/a.org") }
    }
    _ = await device.sync()
    try await setup.files.expect(["b.org": "* a\n", "z.org": "* z\n"], by: setup.restarted(), "\(moment)")
  }

  @Test("devices that rename and edit files at the same time get the same files, and no line is lost")
  func devices() async throws {
    for _ in 0..<(isSoak ? 50 : 4) {
      let folder = try Folder()
      let devices = [try await folder.device("one"), try await folder.device("two")]
      try await RandomRenames(devices, folder, seed: .random(in: 0...(.max))).run(steps: 30)
      #expect(folder.allTexts().keys.allSatisfy { !$0.contains(".syncd-") })
    }
  }

  @Test("no version that another program renames into place at a random moment of a move is lost")
  func foreignVersions() async throws {
    guard let host = await SFTPHost.shared(.openssh) else { return }
    let folder = Folder(on: host)
    try folder.make()
    let storage = try await folder.storage()
    var (generator, taken) = (SplitMix64(state: UInt64.random(in: 0...(.max))), 0)
    let count = isSoak ? 2_500 : 150
    for round in 0..<count {
      let (old, new, text) = ("\(round % 10).org", "d/\(round).org", "first \(round)\n")
      try folder.write(text, to: old)
      guard case .read(let entry) = try await storage.read(file: path(old), into: MemorySink(limit: 1_000)) else {
        throw TestFailure("\(old) was not read")
      }
      // Of the size and the second of the version that is moved, as far as possible.
      let theirs = "other \(round)\n"
      let place = Bool.random(using: &generator) ? old : new
      let pause = Duration.microseconds(Int.random(in: 0..<4_000, using: &generator))
      async let rename: Void = {
        try await Task.sleep(for: pause)
        try folder.write(theirs, to: place)
      }()
      let results = try await storage.commit([
        Change(path: try path(new), content: content(text), condition: .absent),
        Change(path: try path(old), content: nil, condition: .unchanged(entry.revision), replaced: content(text)),
      ])
      try await rename
      if case .done = results[0], case .done = results[1] { taken += 1 }
      #expect(folder.allTexts().values.contains(theirs), "round \(round): \(results)")
    }
    print("\(count.counted("foreign version")): none lost, \(taken.counted("move")) made")
  }

  // MARK: Interruptions

  @Test(
    "after the program ends at any failpoint, the file has a name, and after the next run only the new one, with the edits since",
    arguments: SFTPFailpoint.allCases, [false, true])
  func killed(moment: SFTPFailpoint, isEdited: Bool) async throws {
    let text = "* a\n* b\n* c\n"
    let setup = try await Setup(["a.org": text, "z.org": "* z\n"], in: Folder())
    try await setup.device.rename(["a.org": "b.org"])
    let device = try await setup.restarted { failpoint throws(SyncError) in
      if failpoint == moment { throw SyncError(.unavailable, "killed") }
    }
    #expect(await device.sync().failure?.message == "killed")
    #expect(setup.folder.allTexts().values.contains(text), "\(moment)")
    let name = setup.folder.read("b.org") == nil ? "a.org" : "b.org"
    // A version that was moved away cannot be edited.
    let isEdited = isEdited && moment != .movedAway
    if isEdited { try setup.folder.write(text + "* theirs\n", to: name) }
    try await setup.files.expect(
      ["b.org": isEdited ? text + "* theirs\n" : text, "z.org": "* z\n"], by: setup.restarted(), "\(moment)")
    #expect(setup.folder.allTexts().count == 2, "\(moment): \(setup.folder.allTexts().keys)")
  }

  @Test("a move survives a lost connection at any request", arguments: ["before", "after"])
  func lostConnection(mode: String) async throws {
    let (server, plan) = (try #require(Folder.openssh), FaultPlan())
    var place = mode == "before" ? 1 : 2
    while true {
      try plan.count()
      let setup = try await Setup(["a.org": "* a\n", "z.org": "* z\n"], in: Folder(servedBy: plan.command(server)))
      try await setup.device.rename(["a.org": "d/b.org"])
      try plan.fail(mode, at: place)
      _ = await setup.device.sync()
      let hasFailed = plan.hasFired
      #expect(setup.folder.allTexts().values.contains("* a\n"), "\(mode) \(place)")
      try plan.count()
      try await setup.files.expect(["d/b.org": "* a\n", "z.org": "* z\n"], by: setup.restarted(), "\(mode) \(place)")
      guard hasFailed else { break }
      place += isSoak ? 1 : 2
    }
    #expect(place > 20, "\(place)")
  }

  @Test(
    "nothing is lost on a server that confirms a request and does nothing",
    arguments: ["posix-rename@openssh.com", "hardlink@openssh.com", "setstat"])
  func lying(request: String) async throws {
    let (server, plan) = (try #require(Folder.openssh), FaultPlan())
    try plan.count()
    let setup = try await Setup(["a.org": "* a\n", "z.org": "* z\n"], in: Folder(servedBy: plan.command(server)))
    try setup.folder.setTime(Self.past, of: "a.org")
    try await setup.device.rename(["a.org": "b.org"])
    try plan.claim(request)
    for _ in 0..<2 {
      _ = await setup.device.sync()
      #expect(setup.folder.allTexts().values.contains("* a\n"), "\(setup.folder.allTexts())")
      #expect(try await setup.device.texts().values.contains("* a\n"))
    }
    try plan.count()
    try await setup.files.expect(["b.org": "* a\n", "z.org": "* z\n"], by: setup.restarted())
  }
}

extension Folder {
  /// Writes a file within an action that reports no errors; the state afterwards shows if it was written.
  fileprivate func edit(_ text: String, _ name: String) { try? write(text, to: name) }

  fileprivate func setTime(_ time: Date, of name: String) throws {
    try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: path + "/" + name)
  }

  fileprivate func time(of name: String) -> Date? {
    try? FileManager.default.attributesOfItem(atPath: path + "/" + name)[.modificationDate] as? Date
  }
}
