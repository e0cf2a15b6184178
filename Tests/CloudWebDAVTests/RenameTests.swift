import Foundation
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudWebDAV

/// A file that gets another name is moved on the server, and whatever others write meanwhile stays.
@Suite("Renamed files on a WebDAV server")
struct RenameTests {
  /// A device that has synced `files` with a new folder of a server, through a proxy.
  private struct Setup {
    let server: TestServer
    let proxy: SpoilingProxy
    let folder: (url: String, path: String)
    let device: TestDevice

    init?(_ kind: TestServer.Kind, _ files: [String: String]) async throws {
      guard let server = try await TestServer.own(kind) else { return nil }
      self.server = server
      proxy = try await SpoilingProxy(to: server.url)
      folder = try server.folder()
      device = try server.device("one", at: proxy.url(folder.url))
      try await device.archive.journal(of: "test").write(["webdav.traits": server.probed()])
      for (name, text) in files { try await device.write(text, to: name) }
      try await device.expectHealthyRun("first")
    }

    /// Renames files and syncs; returns the number of requests with a method, of all or of those from or to addresses with an
    /// ending.
    func count(
      _ method: String, _ ending: String? = nil, renaming names: KeyValuePairs<String, String>
    ) async throws -> Int {
      try await device.rename(names)
      try await proxy.spoil("counted", methods: [method], ending: ending)
      let report = await device.sync()
      #expect(report.result == .synced && report.bytes.up == 0, "moved bytes are not sent")
      let count = try await proxy.count().seen
      try await proxy.spoil(nil)
      return count
    }

    /// Expects that this device and a new one have these files, and no other.
    func expect(_ files: [String: String], sourceLocation: SourceLocation = #_sourceLocation) async throws {
      for _ in 0..<3 { _ = await device.sync() }
      try await device.expectHealthyRun("later")
      let other = try server.device("other", at: folder.url)
      try await other.expectHealthyRun("other")
      #expect(try await device.texts() == files, sourceLocation: sourceLocation)
      #expect(try await other.texts() == files, sourceLocation: sourceLocation)
    }
  }

  private static let servers: [TestServer.Kind] = [.apache, .lighttpd, .rclone]

  @Test("a renamed file is moved, not uploaded", arguments: servers)
  func moved(kind: TestServer.Kind) async throws {
    guard let setup = try await Setup(kind, ["a.org": "* a\n", "b/c.org": "* c\n", "d.org": "* d\n"]) else { return }
    defer { setup.server.stop() }
    #expect(try await setup.count("MOVE", ".org", renaming: ["a.org": "new/folder/a b.org", "b/c.org": "c.org"]) == 2)
    // Only the marker is uploaded, whatever the number of files.
    let uploads = try await setup.count("PUT", renaming: ["d.org": "e.org"])
    #expect(
      try await setup.count("PUT", renaming: ["e.org": "d.org", "c.org": "f.org", "new/folder/a b.org": "a.org"])
        == uploads)
    try await setup.expect(["a.org": "* a\n", "f.org": "* c\n", "d.org": "* d\n"])
  }

  @Test("a renamed folder costs a few requests for each file, and no content", arguments: servers)
  func cost(kind: TestServer.Kind) async throws {
    guard let server = try await TestServer.own(kind) else { return }
    defer { server.stop() }
    let proxy = try await FaultyProxy(to: server.url)
    try proxy.countRequests()
    let device = try server.device("one", at: proxy.url(server.folder().url))
    let rename = try await FolderRename("webdav, \(kind)", in: "request", by: device) { try proxy.sent() }
    #expect(rename.isMove && rename.moved.units <= 120, "\(rename)")
  }

  @Test("files that exchange their names, and a file that becomes a folder, arrive", arguments: servers)
  func exchanged(kind: TestServer.Kind) async throws {
    guard let setup = try await Setup(kind, NameExchange.before) else { return }
    defer { setup.server.stop() }
    try await setup.device.rename(NameExchange.names)
    try await setup.expect(NameExchange.after)
  }

  @Test("an edit on the server's disk is not moved with the file, but follows it", arguments: servers)
  func edited(kind: TestServer.Kind) async throws {
    guard let setup = try await Setup(kind, ["a.org": "* a\n* b\n"]) else { return }
    defer { setup.server.stop() }
    try await setup.device.rename(["a.org": "b.org"])
    try await setup.proxy.spoil(
      "edited", methods: ["MOVE"], ending: "/b.org", file: setup.folder.path + "/a.org", text: "* b\n* c\n")
    _ = await setup.device.sync()
    #expect(try await setup.proxy.count().spoiled == 1)
    try await setup.proxy.spoil(nil)
    try await setup.expect(["b.org": "* b\n* c\n"])
  }

  @Test("a file that another one has put under the new name stays", arguments: servers)
  func taken(kind: TestServer.Kind) async throws {
    guard let setup = try await Setup(kind, ["a.org": "* a\n"]) else { return }
    defer { setup.server.stop() }
    try await setup.device.rename(["a.org": "b.org"])
    try await setup.proxy.spoil(
      "edited", methods: ["MOVE"], ending: "/b.org", file: setup.folder.path + "/b.org", text: "* other\n")
    _ = await setup.device.sync()
    #expect(try await setup.proxy.count().spoiled == 1)
    try await setup.proxy.spoil(nil)
    for _ in 0..<3 { _ = await setup.device.sync() }
    let text = try await setup.device.texts().values.joined()
    #expect(text.contains("* a\n") && text.contains("* other\n"))
  }

  @Test("a move whose answer is lost or wrong is made once", arguments: servers, ["lost", "late-500", "late-404"])
  func lost(kind: TestServer.Kind, how: String) async throws {
    guard let setup = try await Setup(kind, ["a.org": "* a\n", "d.org": "* d\n"]) else { return }
    defer { setup.server.stop() }
    try await setup.device.rename(["a.org": "b.org"])
    try await setup.proxy.spoil(how, methods: ["MOVE"], ending: "/b.org")
    _ = await setup.device.sync()
    #expect(try await setup.proxy.count().spoiled == 1)
    try await setup.proxy.spoil(nil)
    try await setup.expect(["b.org": "* a\n", "d.org": "* d\n"])
  }

  @Test("a move to the name of a folder moves nothing into it", arguments: servers)
  func folder(kind: TestServer.Kind) async throws {
    guard let setup = try await Setup(kind, ["a.org": "* a\n", "d.org": "* d\n"]) else { return }
    defer { setup.server.stop() }
    let folder = setup.folder.path + "/b.org"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try "* inside\n".write(toFile: folder + "/c.org", atomically: false, encoding: .utf8)
    try await setup.device.rename(["a.org": "b.org"])
    for _ in 0..<3 { _ = await setup.device.sync() }
    let texts = try await setup.device.texts()
    #expect(texts["b.org/c.org"] == "* inside\n" && texts["b.org/a.org"] == nil)
    #expect(texts.values.sorted() == ["* a\n", "* d\n", "* inside\n"])
  }
}
