import Foundation
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudWebDAV

/// A server that behaves differently than when it was probed, as it may behind another proxy.
@Suite("A server that changes")
struct ChangedServerTests {
  /// A device that connects through a proxy to a server with conditional uploads, and has a file that is in sync.
  private func synced(
    _ work: (TestDevice, SpoilingProxy, _ folder: String) async throws -> Void
  ) async throws {
    guard let server = try await TestServer.own(.lighttpd) else { return }
    defer { server.stop() }
    let proxy = try await SpoilingProxy(to: server.url)
    let place = try server.folder()
    let device = try server.device("one", at: proxy.url(place.url))
    try await device.archive.journal(of: "test").write(["webdav.traits": server.probed()])
    try await device.write("* a\n* b\n", to: "a.org")
    try await device.expectHealthyRun("first")
    try await work(device, proxy, place.path)
  }

  private func names(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).filter { !$0.hasPrefix(".syncd-") }.sorted()
  }

  @Test("and alters what it stores never gets a file merged with its own altered copy")
  func alteredContent() async throws {
    try await synced { device, proxy, folder in
      try await proxy.spoil("carriage-returns", times: 10_000, methods: ["PUT"], ending: ".org")
      try await device.write("* a\n* b\n* c\n", to: "a.org")
      try await device.write("* new\n* file\n", to: "new.org")
      for _ in 0..<4 {
        let report = await device.sync()
        #expect(report.result != .synced)
      }
      #expect(try await device.texts() == ["a.org": "* a\n* b\n* c\n", "new.org": "* new\n* file\n"])
      #expect(try names(in: folder) == ["a.org", "new.org"])
      let report = await device.sync()
      #expect(report.actions.contains { $0.path.description == "new.org" && $0.detail.contains("other line ends") })
      // The solution: use the remote's form.
      try await device.write("* a\r\n* b\r\n* c\r\n", to: "a.org")
      try await device.write("* new\r\n* file\r\n", to: "new.org")
      try await device.expectHealthyRun("later")
    }
  }

  @Test("and ignores conditions is probed again before anything is written, and loses no one's version")
  func ignoredConditions() async throws {
    try await synced { device, proxy, folder in
      try await proxy.spoil("unconditional", times: 1_000_000)
      // A condition protects what another device writes between the listing and the upload; here the write is already there.
      try await device.write("* a\n* b\n* mine\n", to: "a.org")
      try await device.expectHealthyRun("changed")
      let record = try await device.archive.journal(of: "test").records()["webdav.traits"]
      let traits = try Traits(record: record.orThrow("no traits")).orThrow("no traits")
      #expect(!traits.guardsUpdates && !traits.reliesOnConditions)
      #expect(try String(contentsOfFile: folder + "/a.org", encoding: .utf8) == "* a\n* b\n* mine\n")
      #expect(try names(in: folder) == ["a.org"])
    }
  }

  @Test("and refuses every tag is probed again, and gets the edits by another way")
  func weakTags() async throws {
    try await synced { device, proxy, folder in
      try await proxy.spoil("weak-tags", times: 1_000_000)
      try await device.write("* a\n* b\n* mine\n", to: "a.org")
      for _ in 0..<2 { _ = await device.sync() }
      #expect(try String(contentsOfFile: folder + "/a.org", encoding: .utf8) == "* a\n* b\n* mine\n")
      try await device.expectHealthyRun("later")
    }
  }
}
