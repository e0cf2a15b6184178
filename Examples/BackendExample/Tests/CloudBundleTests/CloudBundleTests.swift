import CloudBundle
import Foundation
import SyncKit
import SyncKitTesting
import Testing

@Suite("A bundle")
struct CloudBundleTests {
  @Test("a bundle passes the storage checks", arguments: StorageCheck.all)
  func storage(check: StorageCheck) async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    try await check.run(
      on: {
        let path = folder.appending(path: UUID().uuidString).path
        return (BundleStorage(path: path), BundleStorage(path: path))
      },
      unreachable: { BundleStorage(path: folder.appending(path: String(repeating: "x", count: 300)).path) })
  }

  @Test("a bundle is unchanged if writing the next one is interrupted")
  func leftover() async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "bundle")
    let storage = BundleStorage(path: file.path)
    try await storage.createRoot()
    try Data("syncd bundle 1\nhalf".utf8).write(to: URL(filePath: file.path + ".syncd-next.tmp"))
    try await storage.recover()
    #expect(try await storage.list(since: Known()).count == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["bundle"])
  }

  @Test("a damaged bundle is neither read nor replaced")
  func damage() async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "bundle")
    try Data("syncd bundle 1\n0000 5 a.org\nhello\n".utf8).write(to: file)
    let storage = BundleStorage(path: file.path)
    let path = try #require(SyncPath("b.org"))
    await #expect(throws: SyncError.self) { try await storage.list(since: Known()) }
    await #expect(throws: SyncError.self) { try await storage.write(Content([]), to: path, if: .absent) }
    #expect(try String(contentsOf: file, encoding: .utf8).contains("hello"))
  }

  private func temporaryFolder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "bundle-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    return folder
  }
}
