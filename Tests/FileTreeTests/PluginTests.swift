import CloudFolder
import SyncKit
import Testing

@testable import FileTree

@Suite struct PluginTests {
  let folder = TestFolder()

  private var context: PluginContext {
    PluginContext(table: "store", environment: SettingsEnvironment(folder: folder.outer))
  }

  private func storage(_ path: String) async throws -> any Storage {
    var settings = CloudFolder.Folder.Settings()
    settings.path = SettingPath(stringLiteral: path)
    return try await CloudFolder.Folder(settings, context).open(folder.tree().parts)
  }

  @Test func `a storage writes, reads, looks up and removes files under conditions`() async throws {
    let storage = try await storage(folder.path)
    #expect(try await storage.capabilities().replacement == .moves)
    let entry = try #require(try await storage.write(Content("1"), to: a, if: .absent).entry)
    #expect(try await storage.write(Content("2"), to: a, if: .absent).isRefused)
    #expect(try await storage.write(Content("2"), to: a, if: .unchanged(Revision("x"))).isRefused)
    let next = try #require(try await storage.write(Content("2"), to: a, if: .unchanged(entry.revision)).entry)
    guard case .read(let read) = try await storage.read(file: a, into: Collector()), read.revision == next.revision
    else {
      Issue.record("a stale revision was read")
      return
    }
    guard case .read = try await storage.read(file: a, into: Collector()) else {
      Issue.record("the fresh revision was not read")
      return
    }
    #expect(try await storage.remove(a, if: .unchanged(entry.revision)).isRefused)
    #expect(try await storage.remove(a, if: .unchanged(next.revision)).isDone)
    guard case .absent = try await storage.confirm(file: a) else {
      Issue.record("still there")
      return
    }
  }
}
