import CurlHTTP
import Foundation
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudWebDAV

/// A device and a server that have drifted apart in every way, and a bad network between them.
struct TroubledPass: Sendable {
  let place: (url: String, path: String)
  let device: TestDevice
  private let before: [String: String]

  private static let base = ["same", "ours", "theirs", "gone here", "gone there", "both"]

  /// - Parameters:
  ///   - url: how the device reaches the server's folder.
  ///   - traits: what is known of the server, so that it is not probed each time.
  init(on server: TestServer, knowing traits: [UInt8], by url: (String) throws -> String) async throws {
    place = try server.folder()
    let reached = try url(place.url)
    device = try TestDevice("one") { archive in
      let journal = archive.journal(of: "test")
      return try server.storage(at: reached, journal: journal, contents: archive.library) {
        $0.stallTimeout = .seconds(3)
      }
    }
    try await device.archive.journal(of: "test").write(["webdav.traits": traits])
    for name in Self.base { try await device.write("* \(name)\n", to: "\(name).org") }
    try await device.expectHealthyRun("before the trouble")
    try await device.write("* ours\nedited here\n", to: "ours.org")
    try await device.write("* both\nadded here\n", to: "both.org")
    try await device.write("* new here\n", to: "new/here.org")
    await device.store.take(try SyncPath("gone here.org").orThrow(""))
    try Data("* theirs\nedited there\n".utf8).write(to: URL(filePath: place.path + "/theirs.org"))
    try Data("* both\nadded there\n".utf8).write(to: URL(filePath: place.path + "/both.org"))
    try Data("* new there\n".utf8).write(to: URL(filePath: place.path + "/new there.org"))
    try FileManager.default.removeItem(atPath: place.path + "/gone there.org")
    before = try await device.texts()
  }

  /// What both sides have to hold in the end.
  static let expected = [
    "same.org": "* same\n", "ours.org": "* ours\nedited here\n", "theirs.org": "* theirs\nedited there\n",
    "both.org": "* both\nadded here\nadded there\n", "new/here.org": "* new here\n", "new there.org": "* new there\n",
  ]

  /// Nothing of the store may be gone or shortened but for what the server really lacks or has changed.
  func expectNothingLost(_ comment: String) async throws {
    let after = try await device.texts()
    for (path, text) in before where path != "gone there.org" {
      let lines = Set((after[path] ?? "").split(separator: "\n"))
      #expect(Set(text.split(separator: "\n")).subtracting(lines) == [], "\(comment): \(path) has lost something")
    }
    for (path, text) in after {
      #expect(Self.expected[path] == text || before[path] == text, "\(comment): \(path) holds \(text)")
    }
  }

  /// Calm runs have to make everything right, at most three of them.
  func expectHealing(_ comment: String) async throws {
    var report = await device.sync()
    for _ in 0..<2 where report.result != .synced { report = await device.sync() }
    #expect(
      report.result == .synced,
      "\(comment): \(report.result) \(report.failure?.message ?? "") \(report.actions.filter { $0.result != .done })")
    #expect(try await device.texts() == Self.expected, "\(comment)")
    #expect(try await filesOnServer() == Self.expected, "\(comment)")
  }

  private func filesOnServer() async throws -> [String: String] {
    var files: [String: String] = [:]
    for case let name as String in FileManager.default.enumerator(atPath: place.path) ?? .init() {
      guard name != ".syncd-root", !name.hasPrefix(".DAV"), !name.contains("/.DAV"),
        let data = FileManager.default.contents(atPath: place.path + "/" + name),
        (try? FileManager.default.contentsOfDirectory(atPath: place.path + "/" + name)) == nil
      else { continue }
      files[name] = String(decoding: data, as: UTF8.self)
    }
    return files
  }
}

extension TestServer {
  /// What is learned by probing this server.
  func probed() async throws -> [UInt8] {
    let journal = TestJournal()
    try await freshStorage(journal: journal).createRoot()
    return try journal.records()["webdav.traits"].orThrow("no traits were kept")
  }
}
