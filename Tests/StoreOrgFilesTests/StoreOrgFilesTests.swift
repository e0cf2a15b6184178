import Foundation
import ProgramTesting
import StoreOrgFiles
import SyncKit
import SyncKitTesting
import Testing

@Suite("A folder of Org files as the store")
struct StoreOrgFilesTests {
  let scratch = ScratchFolder()

  private func store(_ name: String) async throws -> any Replica {
    var settings = OrgFiles.Settings()
    settings.path = SettingPath(stringLiteral: scratch.path + "/" + name)
    let context = PluginContext(table: "store", environment: SettingsEnvironment(folder: scratch.path))
    var parts = RemoteParts.inMemory(name: "store")
    parts.runtime = .real
    return try await OrgFiles(settings, context).open(parts)
  }

  private func write(_ text: String, to name: String) throws {
    let path = scratch.path + "/" + name
    let folder = (path as NSString).deletingLastPathComponent
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(filePath: path))
  }

  @Test("a missing folder is an error, and a claim creates it")
  func claim() async throws {
    let store = try await store("new")
    try await store.recover()
    do throws(SyncError) {
      _ = try await store.list(since: Known())
      Issue.record("a missing folder was listed")
    } catch { #expect(error.code == .notFound) }
    let identity = try await store.claim()
    #expect(identity.id != nil && identity.address == scratch.path + "/new")
    let after = try await store.list(since: Known())
    #expect(after.root == identity && after.isComplete)
  }

  @Test("a claim creates only the last folder of its path")
  func parents() async throws {
    let store = try await store("new/deeper")
    await #expect(throws: SyncError.self) { _ = try await store.claim() }
    #expect(!FileManager.default.fileExists(atPath: scratch.path + "/new"))
  }

  @Test(
    "a pass waits while a git operation is in progress, and names it",
    arguments: [
      ("MERGE_HEAD", "a merge"), ("rebase-merge/head", "a rebase"), ("rebase-apply/applying", "git am"),
      ("CHERRY_PICK_HEAD", "a cherry-pick"), ("REVERT_HEAD", "a revert"), ("BISECT_LOG", "a bisect"),
      ("index.lock", "a git command"),
    ])
  func operation(file: String, name: String) async throws {
    try write("ref: refs/heads/main\n", to: "org/.git/HEAD")
    try write("* a\n", to: "org/a.org")
    let store = try await store("org")
    #expect(try await store.list(since: Known()).count == 1)
    try write("x\n", to: "org/.git/" + file)
    do throws(SyncError) {
      _ = try await store.list(since: Known())
      Issue.record("the store was listed during \(name)")
    } catch { #expect(error.code == .unavailable && error.message.contains(name), "\(error)") }
    let path = try #require(SyncPath("b.org"))
    let change = Change(path: path, content: Content(Array("* b\n".utf8)), condition: .absent)
    guard case .postponed(let reason)? = try await store.commit([change]).first, reason.contains(name) else {
      Issue.record("a file was written during \(name)")
      return
    }
    #expect(!FileManager.default.fileExists(atPath: scratch.path + "/org/b.org"))
    let findings = try await store.diagnose()
    #expect(findings.contains { $0.level == .problem && $0.text.contains(name) }, "\(findings)")
  }

  @Test("a pass waits while no branch is checked out, except in a Jujutsu repository")
  func detachedHead() async throws {
    try write("0123456789012345678901234567890123456789\n", to: "org/.git/HEAD")
    try write("* a\n", to: "org/a.org")
    let store = try await store("org")
    await #expect(throws: SyncError.self) { _ = try await store.list(since: Known()) }
    try write("", to: "org/.jj/working_copy")
    let filter = PathFilter(ignore: DefaultIgnores.lines)
    #expect(try await store.list(since: Known(filter: filter)).count == 1)
  }

  @Test("the work tree is found from a folder inside it, also if the repository is elsewhere")
  func linkedRepository() async throws {
    try write("gitdir: ../repository\n", to: "tree/.git")
    try write("ref: refs/heads/main\n", to: "repository/HEAD")
    try write("* a\n", to: "tree/org/a.org")
    let store = try await store("tree/org")
    #expect(try await store.list(since: Known()).count == 1)
    try write("x\n", to: "repository/MERGE_HEAD")
    await #expect(throws: SyncError.self) { _ = try await store.list(since: Known()) }
  }
}
