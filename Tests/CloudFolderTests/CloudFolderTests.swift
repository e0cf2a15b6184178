import CloudFolder
import Foundation
import ProgramTesting
import SyncKit
import SyncKitTesting
import Testing

@Suite("A folder as a cloud storage")
struct CloudFolderTests {
  let scratch = ScratchFolder()

  private var file: SyncPath {
    get throws { try #require(SyncPath("a.org")) }
  }

  private func storage(_ name: String, create: Bool = true) async throws -> any Storage {
    var settings = Folder.Settings()
    settings.create = create
    settings.path = SettingPath(stringLiteral: scratch.path + "/" + name)
    let context = PluginContext(table: "test", environment: SettingsEnvironment(folder: scratch.path))
    var parts = RemoteParts.inMemory()
    parts.runtime = .real
    return try await Folder(settings, context).open(parts)
  }

  @Test("a missing folder is reported, and created on request")
  func missingFolder() async throws {
    let storage = try await storage("new")
    do throws(SyncError) {
      _ = try await storage.list(since: Known())
      Issue.record("a missing folder was listed")
    } catch { #expect(error.code == .notFound) }
    try await storage.createRoot()
    #expect(try await storage.list(since: Known()).count == 0)
  }

  @Test("a folder that may be on an unmounted disk is not created")
  func missingDisk() async throws {
    let storage = try await storage("new", create: false)
    do throws(SyncError) {
      try await storage.createRoot()
      Issue.record("a missing folder was created")
    } catch { #expect(error.code == .unavailable) }
    #expect(!FileManager.default.fileExists(atPath: scratch.path + "/new"))
  }

  @Test("a write stores the plain bytes under the plain name")
  func plainFiles() async throws {
    let storage = try await storage("plain")
    try await storage.createRoot()
    let change = Change(path: try file, content: Content(Array("* a\n".utf8)), condition: .absent)
    guard case .done? = try await storage.commit([change]).first else {
      Issue.record("the file was not written")
      return
    }
    let bytes = FileManager.default.contents(atPath: scratch.path + "/plain/a.org")
    #expect(bytes == Data("* a\n".utf8))
  }

  @Test("a write whose condition does not hold is refused, and the file is unchanged")
  func conditions() async throws {
    let storage = try await storage("conditions")
    try await storage.createRoot()
    try Data("other\n".utf8).write(to: URL(filePath: scratch.path + "/conditions/a.org"))
    let new = Content(Array("ours\n".utf8))
    for condition in [Condition.absent, .unchanged(Revision("stale"))] {
      let change = Change(path: try file, content: new, condition: condition)
      guard case .refused? = try await storage.commit([change]).first else {
        Issue.record("\(condition) did not protect the file")
        return
      }
    }
    #expect(FileManager.default.contents(atPath: scratch.path + "/conditions/a.org") == Data("other\n".utf8))
  }
}
