import Foundation
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudWebDAV

/// Another writer writes right after us, before we verify our write.
@Suite("Concurrent writes on a WebDAV server")
struct OvertakenTests {
  @Test(
    "another version of the same size is not mistaken for ours", arguments: [TestServer.Kind.lighttpd, .apache],
    [["a.org"], ["a.org", "b.org"]])
  func sameSize(kind: TestServer.Kind, names: [String]) async throws {
    guard let server = try await TestServer.own(kind) else { return }
    defer { server.stop() }
    let proxy = try await SpoilingProxy(to: server.url)
    let device = try server.device("one", at: proxy.url(server.folder().url))
    try await device.archive.journal(of: "test").write(["webdav.traits": server.probed()])
    try await device.write("* first\n", to: "first.org")
    try await device.expectHealthyRun("first")
    for name in names { try await device.write("* abc\n", to: name) }
    try await proxy.spoil("overtaken", times: names.count, methods: ["MOVE"], ending: ".org")
    _ = await device.sync()
    #expect(try await proxy.count().spoiled == names.count)
    try await proxy.spoil(nil)
    for _ in 0..<2 { _ = await device.sync() }
    for name in names { #expect(try await device.texts()[name] == "cba *\n") }
  }

  /// Locks and conditions are for those who come by WebDAV. The file may also be shared in another way.
  @Test(
    "an edit on the server's disk is merged, not overwritten",
    arguments: [TestServer.Kind.apache, .lighttpd, .rclone], [1, 2])
  func disk(kind: TestServer.Kind, nth: Int) async throws {
    guard let server = try await TestServer.own(kind) else { return }
    defer { server.stop() }
    let proxy = try await SpoilingProxy(to: server.url)
    let place = try server.folder()
    let device = try server.device("one", at: proxy.url(place.url))
    try await device.archive.journal(of: "test").write(["webdav.traits": server.probed()])
    try await device.write("* a\n", to: "a.org")
    try await device.write("* b\n", to: "b.org")
    try await device.expectHealthyRun("first")
    try await device.write("* a\n* mine\n", to: "a.org")
    // When the old version goes, or before the new one comes.
    try await proxy.spoil(
      "edited", nth: nth, methods: ["PUT", "MOVE"], ending: "/a.org", file: place.path + "/a.org",
      text: "* a\n* theirs\n")
    _ = await device.sync()
    #expect(try await proxy.count().spoiled == 1)
    for _ in 0..<2 { _ = await device.sync() }
    try await device.expectHealthyRun("later")
    #expect(try await device.texts()["a.org"] == "* a\n* mine\n* theirs\n")
  }

  @Test(
    "a file arrives although another client removes and creates its folder meanwhile",
    arguments: [TestServer.Kind.apache, .nginx, .lighttpd, .wsgidav, .rclone])
  func exchangedFolder(kind: TestServer.Kind) async throws {
    guard let server = await TestServer.shared(kind) else { return }
    let proxy = try await SpoilingProxy(to: server.url)
    let place = try server.folder()
    let journal = TestJournal()
    try await journal.write(["webdav.traits": server.probed()])
    let storage = try server.storage(at: proxy.url(place.url), journal: journal)
    let path = try SyncPath("d/a.org").orThrow("")
    // nginx has the answer of a missing folder for other errors, too, so the upload is repeated once.
    let times = kind == .nginx ? 1 : 2
    try await proxy.spoil("folder-exchanged", times: times, methods: ["PUT"])
    let result = try await storage.write(Content(Array("* a\n".utf8)), to: path, if: .absent)
    guard case .done = result else { throw Unproved(path: path, result: result) }
    let stored = FileManager.default.contents(atPath: place.path + "/d/a.org")
    #expect(stored == Data("* a\n".utf8))
  }

  @Test(
    "a file that changes while it is read is not read as a mixture",
    arguments: [TestServer.Kind.apache, .lighttpd, .rclone], [1, 3])
  func torn(kind: TestServer.Kind, count: Int) async throws {
    guard let server = await TestServer.shared(kind) else { return }
    let place = try server.folder()
    let proxy = try await SpoilingProxy(to: server.url)
    let (one, two) = try (server.device("one", at: place.url), server.device("two", at: proxy.url(place.url)))
    for number in 0..<count { try await one.write("* \(number)\n", to: "\(number).org") }
    try await one.expectHealthyRun("first")
    try await two.archive.journal(of: "test").write(["webdav.traits": server.probed()])
    try await proxy.spoil("torn", methods: ["GET"], ending: ".org")
    _ = await two.sync()
    #expect(try await proxy.count().spoiled == 1)
    for text in try await two.texts().values { #expect(text.hasSuffix("\n") && text.count(where: \.isNumber) == 1) }
    for _ in 0..<2 { _ = await two.sync() }
    #expect(try await two.texts().values.count { $0.hasPrefix("* more\n* ") } == 1)
  }

  @Test(
    "a write without concurrent writers proves its result", arguments: [TestServer.Kind.apache, .lighttpd, .rclone])
  func undisturbed(kind: TestServer.Kind) async throws {
    // Not on a shared server: on Apache, creating and removing locks of other clients can remove ours.
    guard let server = try await TestServer.own(kind) else { return }
    defer { server.stop() }
    let journal = TestJournal()
    try await journal.write(["webdav.traits": server.probed()])
    let storage = try server.storage(at: server.folder().url, journal: journal)
    try await storage.createRoot()
    let paths = try ["a.org", "b.org", "c.org"].map { try SyncPath($0).orThrow("") }
    let created = try await storage.commit(
      paths.map { Change(path: $0, content: Content([1, 2]), condition: .absent) })
    for (path, result) in zip(paths, created) {
      guard case .done(let entry?) = result, entry.isFirm else { throw Unproved(path: path, result: result) }
      let replaced = try await storage.write(Content([3, 4]), to: path, if: .unchanged(entry.revision))
      guard case .done(let newer?) = replaced, newer.isFirm else { throw Unproved(path: path, result: replaced) }
    }
  }

  /// rclone answers 423 to a MOVE while another request on one of its names is in progress.
  @Test("leaves the file its name if the server briefly refuses moves", arguments: [TestServer.Kind.rclone, .lighttpd])
  func briefRefusals(kind: TestServer.Kind) async throws {
    guard let server = await TestServer.shared(kind) else { return }
    let proxy = try await SpoilingProxy(to: server.url)
    let journal = TestJournal()
    try await journal.write(["webdav.traits": server.probed()])
    let storage = try server.storage(at: proxy.url(server.folder().url), journal: journal)
    let path = try SyncPath("a.org").orThrow("")
    let first = try await storage.write(Content([1, 2]), to: path, if: .absent)
    guard case .done(let entry?) = first else { throw Unproved(path: path, result: first) }
    // The first move puts the old version aside. All moves of the new one, and the first ones back, are refused.
    try await proxy.spoil("423", nth: 2, times: 6, methods: ["MOVE"], ending: "/a.org")
    let refused = try await storage.write(Content([3, 4]), to: path, if: .unchanged(entry.revision))
    #expect(try await proxy.count().spoiled == 6)
    guard case .postponed = refused else { throw Unproved(path: path, result: refused) }
    let listing = try await storage.list(since: Known())
    #expect(listing.unread.isEmpty && listing.entries.map(\.path) == [path])
    let revision = try listing.entries.first.orThrow("").revision
    let second = try await storage.write(Content([3, 4]), to: path, if: .unchanged(revision))
    guard case .done = second else { throw Unproved(path: path, result: second) }
  }

  /// The uploads of files that another writer was faster to create.
  @Test(
    "an upload that is not needed is removed although the server fails at first",
    arguments: [TestServer.Kind.apache, .lighttpd], [["a.org"], ["a.org", "b.org"]])
  func unneededUploads(kind: TestServer.Kind, names: [String]) async throws {
    guard let server = await TestServer.shared(kind) else { return }
    let proxy = try await SpoilingProxy(to: server.url)
    let place = try server.folder()
    let journal = TestJournal()
    try await journal.write(["webdav.traits": server.probed()])
    let storage = try server.storage(at: proxy.url(place.url), journal: journal)
    for name in names { try Data("* theirs\n".utf8).write(to: URL(filePath: place.path + "/" + name)) }
    try await proxy.spoil("500", times: 2, methods: ["DELETE"])
    let results = try await storage.commit(
      names.map { name in
        Change(path: try SyncPath(name).orThrow(""), content: Content(Array("* ours\n".utf8)), condition: .absent)
      })
    #expect(try await proxy.count().spoiled == 2)
    for case .done in results { Issue.record("\(results)") }
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.path).filter { $0.hasSuffix(".tmp") } == [])
    for name in names { #expect(try String(contentsOfFile: place.path + "/" + name, encoding: .utf8) == "* theirs\n") }
  }

  private struct Unproved: Error {
    var path: SyncPath
    var result: WriteResult
  }
}
