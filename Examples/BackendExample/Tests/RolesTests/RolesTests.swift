import BackendStaged
import CipherBox
import Foundation
import StoreFolder
import SyncKit
import SyncKitTesting
import Testing

/// The examples of `docs/backends.md`, each with all checks of its role.
@Suite("The examples of each role") final class RolesTests: Sendable {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "roles-\(UUID().uuidString)").path

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private var context: PluginContext {
    PluginContext(table: "test", environment: SettingsEnvironment(folder: NSTemporaryDirectory()))
  }

  @Test("the example of a store passes its checks", arguments: ReplicaCheck.all)
  func store(check: ReplicaCheck) async throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try await check.run(
      on: {
        var settings = FolderStore.Settings()
        settings.path = SettingPath(stringLiteral: "\(self.folder)/\(UUID().uuidString)")
        let store = FolderStore(settings, self.context)
        return (try await store.open(.inMemory(seed: 1)), try await store.open(.inMemory(seed: 2)))
      }, quirks: ServerQuirk.fileTree)
  }

  @Test("the example of a sync backend passes its checks", arguments: ReplicaCheck.all)
  func sync(check: ReplicaCheck) async throws {
    try await check.run(on: {
      let backend = StagedFiles(StagedFiles.Settings(), self.context)
      let memory = MemoryStorage(hasRoot: false)
      return (
        try await backend.open(.inMemory(storage: memory, seed: 1)),
        try await backend.open(.inMemory(storage: memory, seed: 2))
      )
    })
  }

  private static let key = String(repeating: "0f", count: 32)
  private static let otherKey = String(repeating: "f0", count: 32)

  private static func cipher(_ key: String) async throws -> any Cipher {
    var settings = BoxEncryption.Settings()
    settings.key = Secret(key)
    let context = PluginContext(table: "test", environment: SettingsEnvironment(folder: NSTemporaryDirectory()))
    return try await BoxEncryption(settings, context).open(.inMemory())
  }

  @Test("the example of an encryption passes its checks", arguments: CipherCheck.all)
  func encryption(check: CipherCheck) async throws {
    try await check.run(
      on: CheckedCipher(try await Self.cipher(Self.key), stranger: try await Self.cipher(Self.otherKey)))
  }

  @Test("the example of a file encryption passes its checks", arguments: FileSealerCheck.all)
  func sealing(check: FileSealerCheck) async throws {
    var settings = BoxEncryption.Settings()
    settings.key = Secret(Self.key)
    let a = try #require(SyncPath("a.org.box"))
    try await check.run(
      on: CheckedFileSealer(
        BoxEncryption.fileSealer(settings, .seeded(1)),
        sample: { try await Self.cipher(Self.key).encrypt($0, as: a) },
        foreign: { try await Self.cipher(Self.otherKey).encrypt($0, as: a) }))
  }

  @Test(
    "a missing or short key is an error", arguments: [nil, "", "0f", String(repeating: "x", count: 64)])
  func badKey(text: String?) async throws {
    var settings = BoxEncryption.Settings()
    settings.key = text.map { Secret($0) }
    await #expect {
      _ = try await BoxEncryption(settings, self.context).open(.inMemory())
    } throws: { ($0 as? SyncError)?.code == .unauthorized }
  }
}

/// What `docs/backends.md` shows is in this package.
@Suite("docs/backends.md") struct BackendPageTests {
  private static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  @Test("the code in the page matches the files of this package")
  func files() throws {
    let page = try String(
      contentsOf: Self.package.appending(path: "../../docs/backends.md").standardizedFileURL, encoding: .utf8)
    let blocks = page.matches(of: /(?ms)(?:<!-- (file|part of): (\S+) -->\n)?^```swift\n(.*?)^```$/)
    #expect(blocks.count >= 8)
    for block in blocks {
      let name = try #require(block.2, "a block of code has no file: \(block.3.prefix(80))")
      let file = try String(contentsOf: Self.package.appending(path: String(name)), encoding: .utf8)
      #expect(block.1 == "file" ? file == block.3 : file.contains(block.3), "\(name) differs from the page")
    }
  }
}
