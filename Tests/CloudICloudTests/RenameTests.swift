import CloudFolder
import Foundation
import OrgMerging
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Synchronization
import Testing

@testable import CloudICloud
@testable import FileTree

/// A renamed file in a folder gets its new name without being written again. In iCloud Drive it is written again.
@Suite("Renamed files in a folder, and in iCloud Drive")
struct RenameTests {
  /// Counts what a file tree does to files and folders.
  private final class Effects: Sendable {
    private let numbers = Mutex<[TreeFailpoint: Int]>([:])

    /// The failpoints after an effect.
    private static let ends: Set<TreeFailpoint> = [
      .temporaryCreated, .temporarySynced, .filePublished, .fileExchanged, .fileExchangedBack, .fileMovedAway,
      .fileMovedBack, .temporaryDiscarded, .folderCreated, .folderRemoved, .folderSynced,
    ]

    func count(in tree: FileTree) -> FileTree {
      var tree = tree
      tree.reach = { failpoint throws(SyncError) in self.numbers.withLock { $0[failpoint, default: 0] += 1 } }
      return tree
    }

    var count: Int { numbers.withLock { $0.filter { Self.ends.contains($0.key) }.values.reduce(0, +) } }
  }

  @Test("a renamed folder costs no content")
  func cost() async throws {
    let (scratch, archive, effects) = (ScratchFolder(), MemoryArchive(), Effects())
    let parts = RemoteParts(
      name: "test", device: Device(id: "one", name: "one"), runtime: .real, contents: archive,
      journal: archive.journal(of: "test"))
    let plugin = CloudFolder.Folder(path: scratch.path + "/folder", create: true)
    let tree = try #require(try await plugin.open(parts) as? FileTree)
    let device = TestDevice("one", archive: archive, storage: effects.count(in: tree))
    let rename = try await FolderRename("folder", in: "effect", by: device) { (effects.count, nil) }
    #expect(rename.isMove && rename.moved.units <= rename.replaced.units, "\(rename)")
  }

  @Test("a renamed folder in iCloud Drive costs as much as new files and removals")
  func costInICloud() async throws {
    let (icloud, archive, effects) = (try TestICloud(), MemoryArchive(), Effects())
    let parts = icloud.parts(archive)
    let tree = FileTree(path: icloud.path, parts: parts, createsRoot: true, keptBy: icloud.service.program(.fetch))
    let storage = ICloudStorage(effects.count(in: tree), icloud.service, OrgMerger(), parts)
    let device = TestDevice("one", archive: archive, storage: storage)
    let rename = try await FolderRename("icloud", in: "effect", by: device) { (effects.count, nil) }
    #expect(rename.moved.content == FolderRename.contentSize, "\(rename)")
    #expect(rename.moved.units == rename.replaced.units, "\(rename)")
  }
}
