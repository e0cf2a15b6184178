import Foundation
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudWebDAV

/// A server that behaves differently than when it was probed, as it may behind another proxy.
@Suite("A WebDAV server that changes its behaviour")
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

  @Test("a server that alters files receives no more files, and no file is merged with its own altered copy")
  func alteredSize() async throws {
    try await synced { device, proxy, folder in
      try await proxy.spoil("carriage-returns", times: 10_000, methods: ["PUT"])
      try await device.write("* a\n* b\n* c\n", to: "a.org")
      try await device.write("* new\n* file\n", to: "new.org")
      for _ in 0..<4 {
        let report = await device.sync()
        #expect(report.result == .failed)
        for name in ["a.org", "new.org"] {
          #expect(report.actions.contains { $0.path.description == name && $0.detail.contains("other content") })
        }
      }
      #expect(try await device.texts() == ["a.org": "* a\n* b\n* c\n", "new.org": "* new\n* file\n"])
      #expect(try names(in: folder) == ["a.org"])
      #expect(try String(contentsOfFile: folder + "/a.org", encoding: .utf8) == "* a\n* b\n")
    }
  }

  @Test("altered bytes are detected by reading back, and the stored version is not accepted")
  func alteredBytes() async throws {
    try await synced { device, proxy, folder in
      try await proxy.spoil("other-bytes", times: 10_000, methods: ["PUT"])
      try await device.write("* a\n* b\n* c\n", to: "a.org")
      try await device.write("* new\n* file\n", to: "new.org")
      let careful = TestDevice(
        device.name, store: device.store, archive: device.archive, storage: device.storage.verified())
      for _ in 0..<3 { #expect(await careful.sync().result != .synced) }
      let report = await careful.sync()
      for name in ["a.org", "new.org"] {
        #expect(report.actions.contains { $0.path.description == name && $0.detail.contains("than it was sent") })
      }
      #expect(report.bytes.up == 0)
      #expect(try await device.texts() == ["a.org": "* a\n* b\n* c\n", "new.org": "* new\n* file\n"])
      #expect(try names(in: folder) == ["a.org", "new.org"])
      try await proxy.spoil(nil)
      try await device.write("* a\n* b\n* c\n* d\n", to: "a.org")
      try await device.write("* new\n* file\n* line\n", to: "new.org")
      try await careful.expectHealthyRun("later")
      #expect(try String(contentsOfFile: folder + "/new.org", encoding: .utf8) == "* new\n* file\n* line\n")
    }
  }

  @Test("a server that starts to overwrite on a move is probed again before any write, and no version is lost")
  func overwritingMoves() async throws {
    try await synced { device, proxy, folder in
      try await proxy.spoil("overwriting", times: 1_000_000)
      try await device.write("* a\n* b\n* mine\n", to: "a.org")
      let report = await device.sync()
      #expect(report.failure?.code == .invalidSettings, "\(report.result)")
      let record = try await device.archive.journal(of: "test").records()["webdav.traits"]
      #expect(record.flatMap(Traits.init)?.isSafe == false)
      #expect(try String(contentsOfFile: folder + "/a.org", encoding: .utf8) == "* a\n* b\n")
      #expect(try names(in: folder) == ["a.org"])
    }
  }

  @Test("a server that starts to refuse every tag is probed again and receives the edits in another way")
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
