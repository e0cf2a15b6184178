import CloudFolder
import StoreOrgFiles
import SyncKit
import SyncKitTesting
import Synchronization
import Testing

@testable import FileTree

/// The shared checks, applied to the folder and to the store as every author of a backend does.
@Suite final class ConformanceTests: Sendable {
  private let folders = Mutex<[TestFolder]>([])

  private func fresh() -> TestFolder {
    let folder = TestFolder()
    folders.withLock { $0.append(folder) }
    return folder
  }

  private func context(_ folder: TestFolder) -> PluginContext {
    PluginContext(table: "test", environment: SettingsEnvironment(folder: folder.outer))
  }

  @Test("a folder passes the storage checks", arguments: StorageCheck.all)
  func storage(check: StorageCheck) async throws {
    try await check.run(
      on: {
        let folder = self.fresh()
        var settings = CloudFolder.Folder.Settings()
        settings.path = SettingPath(stringLiteral: folder.outer + "/mirror")
        settings.create = true
        let plugin = CloudFolder.Folder(settings, self.context(folder))
        return (try await plugin.open(.inMemory(seed: 1)), try await plugin.open(.inMemory(seed: 2)))
      }, quirks: ServerQuirk.fileTree)
  }

  @Test("a folder of Org files passes the replica checks", arguments: ReplicaCheck.all)
  func replica(check: ReplicaCheck) async throws {
    try await check.run(
      on: {
        let folder = self.fresh()
        var settings = OrgFiles.Settings()
        settings.path = SettingPath(stringLiteral: folder.outer + "/org")
        let plugin = OrgFiles(settings, self.context(folder))
        return (try await plugin.open(.inMemory(seed: 1)), try await plugin.open(.inMemory(seed: 2)))
      }, quirks: ServerQuirk.fileTree)
  }
}
