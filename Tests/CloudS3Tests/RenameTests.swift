import Foundation
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudS3

/// A file that gets another name is copied in the bucket, and whatever others write meanwhile stays.
@Suite("Renamed files in a bucket")
struct RenameTests {
  /// A device that has synced `files` with a part of a bucket.
  private struct Setup {
    let server: S3Server
    let prefix = UUID().uuidString
    let device: TestDevice
    let other: OtherProgram

    init?(_ files: [String: String], at endpoint: String? = nil, on server: S3Server? = nil) async throws {
      guard let server = if let server { server } else { await S3Server.shared(.moto) } else { return nil }
      self.server = server
      device = try await server.device("one", prefix: prefix, at: endpoint, traits: server.probed())
      other = OtherProgram(service: try await server.storage(prefix: prefix).service)
      for (name, text) in files { try await device.write(text, to: name) }
      try await device.expectHealthyRun("first")
    }

    /// The same device after its program was started again, with an action at each failpoint of a move.
    func restarted(at reach: S3Storage.Reach? = nil) async throws -> TestDevice {
      var storage = try await server.storage(
        prefix: prefix, journal: device.archive.journal(of: "test"), contents: device.archive.library, device: "one")
      if let reach { storage.reach = reach }
      return device.with(storage)
    }

    /// Expects that the bucket, this device and a new one have these files, and no other.
    func expect(
      _ files: [String: String], _ comment: Comment = "", sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
      let device = try await restarted()
      for _ in 0..<3 { _ = await device.sync() }
      try await device.expectHealthyRun("later")
      let second = try await server.device("two", prefix: prefix, traits: server.probed())
      try await second.expectHealthyRun("two")
      let texts = try await device.texts()
      #expect(texts == files, "\(comment.rawValue): \(texts)", sourceLocation: sourceLocation)
      #expect(try await second.texts() == files, comment, sourceLocation: sourceLocation)
      #expect(try await other.texts() == files, comment, sourceLocation: sourceLocation)
      #expect(!(await device.sync()).didSomething, comment, sourceLocation: sourceLocation)
    }
  }

  private static func files(_ count: Int, in folder: String) -> [String: String] {
    Dictionary(uniqueKeysWithValues: (0..<count).map { ("\(folder)/f\($0).org", "* file \($0)\n") })
  }

  @Test("renamed files are copied by the server: two requests each, and no bytes")
  func moved() async throws {
    guard let server = await S3Server.shared(.moto) else { return }
    let proxy = try await FaultyProxy(to: server.endpoint)
    let count = 20
    let setup = try #require(
      try await Setup(Self.files(count, in: "old"), at: "http://127.0.0.1:\(proxy.port)", on: server))
    for number in 0..<count { try await setup.device.rename(["old/f\(number).org": "new a+b/f\(number).org"]) }
    let patterns = [
      "x-amz-copy-source:", "^PUT [^ ]*new", "^PUT [^ ]*old", "^DELETE [^ ]*old", "^(HEAD|GET) [^ ]*(new|old)",
    ]
    try proxy.follow(patterns.map { ["match": $0, "nth": 1_000_000, "delay_ms": 0] })
    let report = await setup.device.sync()
    #expect(report.result == .synced && report.bytes.up == 0)
    let matched = try proxy.counts().matched
    // The first and the last file of a batch are read back, because this server checks no uploads.
    #expect(matched == [count, count, 0, count, 2], "\(matched)")
    try await setup.expect(Self.files(count, in: "new a+b"))
  }

  @Test("a renamed folder costs two requests for each file, and no content")
  func cost() async throws {
    guard let server = await S3Server.shared(.moto) else { return }
    let proxy = try await FaultyProxy(to: server.endpoint)
    try proxy.countRequests()
    let device = try await server.device(
      "one", prefix: UUID().uuidString, at: "http://127.0.0.1:\(proxy.port)", traits: server.probed())
    let rename = try await FolderRename("s3", in: "request", by: device) { try proxy.sent() }
    #expect(rename.isMove && rename.moved.units <= 60, "\(rename)")
  }

  @Test("a server whose copies ignore conditions gets uploads and removals")
  func plain() async throws {
    guard await S3Server.shared(.moto) != nil else { return }
    let server = try await S3Server(.moto, ["--plain-copies"])
    let record = try #require(ProbeRecord(try await server.probed()))
    #expect(record.traits.isSafe && !record.traits.copies)
    let setup = try #require(try await Setup(["a.org": "* a\n", "z.org": "* z\n"], on: server))
    try await setup.device.rename(["a.org": "b.org"])
    #expect(await setup.device.sync().bytes.up == 4)
    try await setup.expect(["b.org": "* a\n", "z.org": "* z\n"])
  }

  @Test("files that exchange their names, and a file that becomes a folder, arrive")
  func exchanged() async throws {
    guard let setup = try await Setup(NameExchange.before) else { return }
    try await setup.device.rename(NameExchange.names)
    try await setup.expect(NameExchange.after)
  }

  // MARK: Other writers

  @Test("an edit in the bucket follows the file to its new name, and exists once", arguments: S3Failpoint.allCases)
  func edited(moment: S3Failpoint) async throws {
    guard let setup = try await Setup(["a.org": "* a\n", "z.org": "* z\n"]), moment != .moveFinished else { return }
    try await setup.device.rename(["a.org": "b.org"])
    let device = try await setup.restarted { failpoint throws(SyncError) in
      if failpoint == moment { await setup.other.edit("* theirs\n", "a.org") }
    }
    let report = await device.sync()
    #expect(report.failure == nil)
    try await setup.expect(["b.org": "* theirs\n", "z.org": "* z\n"], "\(moment)")
  }

  @Test("a file that another writer puts under the new name stays", arguments: S3Failpoint.allCases)
  func taken(moment: S3Failpoint) async throws {
    guard let setup = try await Setup(["a.org": "* a\n", "z.org": "* z\n"]) else { return }
    try await setup.device.rename(["a.org": "b.org"])
    let device = try await setup.restarted { failpoint throws(SyncError) in
      if failpoint == moment { await setup.other.edit("* theirs\n", "b.org") }
    }
    for _ in 0..<3 { _ = await device.sync() }
    let texts = try await setup.other.texts()
    #expect(texts["a.org"] == nil, "\(moment): \(texts)")
    // Over the copy, the other writer has replaced a version on purpose; it is in the history of this device.
    let expected = moment == .moveRecorded ? ["* a\n", "* theirs\n"] : ["* theirs\n"]
    for text in expected { #expect(texts.values.count { $0.contains(text) } == 1, "\(moment): \(texts)") }
    #expect(try await setup.device.texts() == texts)
    #expect(try await setup.device.archive.content(Digest(of: Array("* a\n".utf8))) != nil)
  }

  @Test("a file that another writer removes meanwhile gets its new name", arguments: S3Failpoint.allCases)
  func removed(moment: S3Failpoint) async throws {
    guard let setup = try await Setup(["a.org": "* a\n", "z.org": "* z\n"]) else { return }
    try await setup.device.rename(["a.org": "b.org"])
    let device = try await setup.restarted { failpoint throws(SyncError) in
      if failpoint == moment { try? await setup.other.remove("a.org") }
    }
    _ = await device.sync()
    try await setup.expect(["b.org": "* a\n", "z.org": "* z\n"], "\(moment)")
  }

  @Test("a rename in the bucket meets an edit of the file here, and a new file with its new name here")
  func renamedThere() async throws {
    guard let setup = try await Setup(["a.org": "* a\n", "c.org": "* c\n", "z.org": "* z\n"]) else { return }
    for (old, new, text) in [("a.org", "b.org", "* a\n"), ("c.org", "d.org", "* c\n")] {
      try await setup.other.put(text, at: new)
      try await setup.other.remove(old)
    }
    try await setup.device.write("* ours\n", to: "a.org")
    try await setup.device.write("* ours too\n", to: "d.org")
    for _ in 0..<3 { _ = await setup.device.sync() }
    let texts = try await setup.other.texts()
    #expect(texts["b.org"] == "* ours\n" && texts["a.org"] == nil && texts["c.org"] == nil, "\(texts)")
    for text in ["* c\n", "* ours too\n"] { #expect(texts.values.count { $0.contains(text) } == 1, "\(texts)") }
    #expect(try await setup.device.texts() == texts)
  }

  // MARK: Interruptions

  @Test(
    "after the program ends at any failpoint, the next run moves the file once, with the edits made since",
    arguments: S3Failpoint.allCases, [false, true])
  func killed(moment: S3Failpoint, isEdited: Bool) async throws {
    let text = "* a\n* b\n* c\n"
    guard let setup = try await Setup(["a.org": text, "z.org": "* z\n"]) else { return }
    try await setup.device.rename(["a.org": "b.org"])
    let device = try await setup.restarted { failpoint throws(SyncError) in
      if failpoint == moment { throw SyncError(.unavailable, "killed") }
    }
    #expect(await device.sync().failure?.message == "killed")
    let name = moment == .moveFinished ? "b.org" : "a.org"
    if isEdited { try await setup.other.put(text + "* theirs\n", at: name) }
    try await setup.expect(["b.org": isEdited ? text + "* theirs\n" : text, "z.org": "* z\n"], "\(moment)")
    #expect(try await setup.device.archive.journal(of: "test").records().keys.allSatisfy { !$0.hasPrefix("s3.move") })
  }

  @Test("a record of a move is decoded, and a damaged one is ignored")
  func record() throws {
    let intent = MoveIntent(
      source: try path("a/b.org"), target: try path("c.org"), revision: Revision("tag 4"), digest: Digest(of: [1]))
    #expect(MoveIntent(key: intent.key, record: intent.record) == intent)
    #expect(MoveIntent(key: "s3.traits", record: intent.record) == nil)
    for length in 0..<40 { #expect(MoveIntent(key: intent.key, record: Array(intent.record.prefix(length))) == nil) }
  }
}

extension OtherProgram {
  /// Writes a file within an action that reports no errors; the state afterwards shows if it was written.
  fileprivate func edit(_ text: String, _ name: String) async { try? await put(text, at: name) }
}
