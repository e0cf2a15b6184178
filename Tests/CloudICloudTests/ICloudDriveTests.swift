import Foundation
import SyncKit
import SyncKitTesting
import Synchronization
import Testing

@testable import CloudICloud

@Suite("A folder of iCloud Drive as a cloud storage")
final class ICloudDriveTests: Sendable {
  private let folders = Mutex<[TestICloud]>([])

  @Test("iCloud Drive passes the storage checks", arguments: StorageCheck.all)
  func storage(check: StorageCheck) async throws {
    try await check.run(
      on: {
        let icloud = try TestICloud()
        self.folders.withLock { $0.append(icloud) }
        try FileManager.default.removeItem(atPath: icloud.path)
        var settings = ICloudDrive.Settings()
        (settings.path, settings.create) = ("org", true)
        let plugin = ICloudDrive(settings, icloud.service)
        return (try await plugin.open(.inMemory(seed: 1)), try await plugin.open(.inMemory(seed: 2)))
      }, quirks: ServerQuirk.fileTree)
  }

  @Test("a Mac that is signed out is unavailable, and nothing counts as deleted")
  func signedOut() async throws {
    let icloud = try TestICloud()
    let storage = try await icloud.storage()
    icloud.isSignedIn = false
    do throws(SyncError) {
      _ = try await storage.list(since: Known())
      Issue.record("a folder without an account was listed")
    } catch { #expect(error.code == .unavailable && error.message.contains("not signed in to iCloud")) }
  }

  @Test("a missing folder is not created unless the settings say so")
  func missing() async throws {
    let icloud = try TestICloud()
    try FileManager.default.removeItem(atPath: icloud.path)
    do throws(SyncError) {
      try await icloud.storage().createRoot()
      Issue.record("a missing folder was created")
    } catch { #expect(error.code == .unavailable) }
    try await icloud.storage(creates: true).createRoot()
    #expect(FileManager.default.fileExists(atPath: icloud.path))
  }

  #if !os(macOS)
    @Test("other systems refuse the setting, and say why")
    func otherSystems() async throws {
      var settings = ICloudDrive.Settings()
      settings.path = "org"
      let context = PluginContext(table: "test", environment: SettingsEnvironment(folder: "/"))
      do throws(SyncError) {
        _ = try await ICloudDrive(settings, context).open(.inMemory())
        Issue.record("iCloud Drive was opened without macOS")
      } catch { #expect(error.code == .invalidSettings && error.message.contains("which only a Mac can reach")) }
    }
  #endif

  @Test(
    "only a folder in iCloud Drive or an absolute path is accepted",
    arguments: [
      ("org", true), ("Notes/org", true), ("/tmp/org", true), ("", false), ("../org", false), ("a//b", false),
    ])
  func paths(path: String, isAccepted: Bool) {
    var settings = ICloudDrive.Settings()
    settings.path = path
    #expect(settings.contradictions.isEmpty == isAccepted)
  }
}
