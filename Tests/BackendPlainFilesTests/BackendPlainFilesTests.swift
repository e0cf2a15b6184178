import BackendPlainFiles
import SyncKit
import SyncKitTesting
import Testing

@Suite("Plain files in a cloud storage")
struct BackendPlainFilesTests {
  private func open(_ storage: (any Storage)?) async throws(SyncError) -> any Replica {
    let context = PluginContext(table: "remotes.test", environment: SettingsEnvironment(folder: "/"))
    return try await PlainFiles(PlainFiles.Settings(), context).open(.inMemory(storage: storage))
  }

  @Test("plain-files requires a cloud storage, and the error names the setting")
  func missingStorage() async throws {
    do throws(SyncError) {
      _ = try await open(nil)
      Issue.record("a remote without a cloud storage was opened")
    } catch { #expect(error.code == .invalidSettings && error.message.contains("`cloud"), "\(error)") }
  }

  @Test("files have the same paths and bytes in the storage as in the store")
  func samePaths() async throws {
    let storage = MemoryStorage(hasRoot: false)
    let replica = try await open(storage)
    let identity = try await replica.claim()
    #expect(identity.id != nil)
    let path = try #require(SyncPath("folder/a.org"))
    let content = Content(Array("* a\n".utf8))
    guard case .done? = try await replica.commit([Change(path: path, content: content, condition: .absent)]).first
    else {
      Issue.record("the file was not written")
      return
    }
    let listed = try await storage.list(since: Known())
    #expect(listed.entries.contains { $0.path == path && $0.size == 4 })
    guard case .read(let entry)? = try await storage.read([path], into: DigestSink()).first else {
      Issue.record("the file was not read")
      return
    }
    #expect(entry.digest == content.digest)
  }

  @Test("a second handle sees the identity that the first one claimed")
  func identity() async throws {
    let storage = MemoryStorage(hasRoot: false)
    let first = try await open(storage).claim()
    let second = try await open(storage)
    #expect(try await second.list(since: Known()).root == first)
    #expect(try await second.claim() == first)
  }
}
