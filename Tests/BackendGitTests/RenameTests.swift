import Foundation
import ServerTesting
import SyncKit
import Testing

@testable import BackendGit

/// A commit of renamed files names contents that the repository has.
@Suite("Renamed files in git")
struct RenameTests {
  @Test("the push of a renamed folder has two objects, and no file")
  func cost() async throws {
    let repo = try #require(TestServer.shared(.file)).repository()
    // Each push stays one pack (git-config(1)).
    try git("config", "receive.unpackLimit", "1", in: repo.path)
    let rename = try await FolderRename("git", in: "object", by: TestDevice("one", on: repo)) { try repo.packed() }
    // The commit and the folder around the renamed one, which is the same object under both names.
    #expect(rename.moved.units == 2 && rename.moved.bytes < FolderRename.size, "\(rename)")
    #expect(rename.replaced.units == 3 + FolderRename.count, "\(rename)")
    try repo.expectSound()
  }
}

extension TestDevice: MeasuredDevice {
  func pass() async throws -> PassReport { try await sync() }
}

extension Repo {
  /// The number of objects in packs, and of the packs' bytes.
  fileprivate func packed() throws -> (units: Int, bytes: Int?) {
    let folder = URL(filePath: path + "/objects/pack")
    let packs = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "pack" }
    let facts = try git("count-objects", "-v", in: path).split(separator: "\n")
    let line = try facts.first { $0.hasPrefix("in-pack: ") }.orThrow("\(facts)")
    let count = try Int(line.dropFirst("in-pack: ".count)).orThrow("\(line)")
    return (count, try packs.map { try Data(contentsOf: $0).count }.reduce(0, +))
  }
}
