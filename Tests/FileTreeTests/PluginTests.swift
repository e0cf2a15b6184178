import CloudFolder
import Foundation
import StoreOrgFiles
import SyncKit
import Testing

@testable import FileTree

@Suite struct PluginTests {
  let folder = TestFolder()

  private var context: PluginContext {
    PluginContext(table: "store", environment: SettingsEnvironment(folder: folder.outer))
  }

  private func store(_ path: String) async throws -> any Replica {
    var settings = OrgFiles.Settings()
    settings.path = SettingPath(stringLiteral: path)
    return try await OrgFiles(settings, context).open(folder.tree().parts)
  }

  private func storage(_ path: String) async throws -> any Storage {
    var settings = CloudFolder.Folder.Settings()
    settings.path = SettingPath(stringLiteral: path)
    return try await CloudFolder.Folder(settings, context).open(folder.tree().parts)
  }

  @Test func `a store that is not there is not found, and a claim creates it`() async throws {
    let store = try await store(folder.outer + "/new")
    try await store.recover()
    do throws(SyncError) {
      _ = try await store.list(since: Known())
      Issue.record("a missing folder was listed")
    } catch { #expect(error.code == .notFound) }
    let identity = try await store.claim()
    #expect(identity.id != nil && identity.address == folder.outer + "/new")
    let after = try await store.list(since: Known())
    #expect(after.root == identity && after.isComplete)
  }

  @Test func `only the last part of a root is made`() async throws {
    let store = try await store(folder.outer + "/new/deeper")
    await #expect(throws: SyncError.self) { _ = try await store.claim() }
    #expect(!FileManager.default.fileExists(atPath: folder.outer + "/new"))
  }

  @Test func `a storage writes, reads, looks up and removes under conditions`() async throws {
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

  @Test func `a storage whose folder is missing says so`() async throws {
    let storage = try await storage(folder.outer + "/new")
    do throws(SyncError) {
      _ = try await storage.list(since: Known())
      Issue.record("it was listed")
    } catch { #expect(error.code == .notFound) }
    try await storage.createRoot()
    #expect(try await storage.list(since: Known()).count == 0)
  }
}
