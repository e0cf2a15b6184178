import Foundation
import ProgramTesting
import StoreOrgFiles
import SyncKit
import SyncKitTesting
import Testing

@testable import BackendGit

@Suite("A git work tree as the store") struct WorkTreeTests {
  /// A device whose store is the clone, or a folder in it.
  private func sync(_ clone: Clone, folder: String = "", with repo: Repo, _ archive: MemoryArchive) async throws
    -> PassReport
  {
    var settings = OrgFiles.Settings()
    settings.path = SettingPath(stringLiteral: clone.folder + folder)
    let context = PluginContext(table: "test", environment: SettingsEnvironment(folder: "/", variables: plainVariables))
    let store = try await OrgFiles(settings, context).open(
      RemoteParts(
        name: "store", device: Device(id: "one", name: "one"), runtime: .real, contents: archive,
        journal: archive.journal(of: "store")))
    var parts = RemoteParts.inMemory(archive: archive)
    parts.runtime = .real
    let remote = try await Git(repo.server.settings(repo.address), context).open(parts)
    let pass = PassParts(
      name: "test", local: store, remote: remote, archive: archive, merger: LineMerger(),
      device: Device(id: "one", name: "one"))
    return await SyncRun([pass]).run()[0]
  }

  /// A clone with two branches that do not merge.
  private func divided() throws -> (Repo, Clone) {
    let repo = try TestServer.shared(.file).orThrow("no folder").repository()
    let clone = try repo.clone()
    try clone.write("* a\nbase\n", to: "a.org")
    try clone.push()
    try clone.git("checkout", "-q", "-b", "side")
    try clone.write("* a\nside\n", to: "a.org")
    try clone.git("commit", "-q", "-am", "side")
    try clone.git("checkout", "-q", "main")
    try clone.write("* a\nmain\n", to: "a.org")
    try clone.git("commit", "-q", "-am", "main")
    try clone.git("push", "-q", "origin", "main")
    return (repo, clone)
  }

  private static let states: [(start: [String], end: [String], word: String)] = [
    (["merge", "side"], ["merge", "--abort"], "a merge"),
    (["rebase", "side"], ["rebase", "--abort"], "a rebase"),
    (["rebase", "--apply", "side"], ["rebase", "--abort"], "a rebase"),
    (["cherry-pick", "side"], ["cherry-pick", "--abort"], "a cherry-pick"),
    (["revert", "--no-commit", "HEAD~1"], ["revert", "--abort"], "a revert"),
    (["bisect", "start"], ["bisect", "reset"], "a bisect"),
    (["am", "side.patch"], ["am", "--abort"], "git am"),
    (["checkout", "-q", "--detach"], ["checkout", "-q", "main"], "no branch"),
  ]

  @Test(
    "a pass waits while a git operation is in progress, and the message names the operation", arguments: states.indices)
  func operations(index: Int) async throws {
    let operation = Self.states[index]
    let (repo, clone) = try divided()
    let archive = MemoryArchive()
    #expect(try await sync(clone, with: repo, archive).result == .synced)
    let patch = try clone.git("format-patch", "--stdout", "side~1..side")
    try clone.write(patch, to: ".git/side.patch")
    _ = try clone.git(operation.start.map { $0 == "side.patch" ? ".git/side.patch" : $0 }, mayFail: true)
    let (files, status) = (clone.read("a.org"), try clone.git("status", "--porcelain"))
    let remote = try repo.texts()
    let report = try await sync(clone, with: repo, archive)
    #expect(report.failure?.message.contains(operation.word) == true, "\(report.failure?.message ?? "it was synced")")
    #expect(clone.read("a.org") == files)
    #expect(try clone.git("status", "--porcelain") == status)
    #expect(try repo.texts() == remote)
    _ = try clone.git(operation.end)
    let after = try await sync(clone, with: repo, archive)
    #expect(after.result == .synced, "\(after.failure?.message ?? "")")
  }

  @Test("committed and uncommitted files are synced, and the user can run git pull and push at any time")
  func byHand() async throws {
    let repo = try TestServer.shared(.file).orThrow("no folder").repository()
    let (mine, theirs) = (try repo.clone(), try repo.clone())
    let archive = MemoryArchive()
    try mine.write("* a\n", to: "a.org")
    try mine.push()
    try mine.write("* b\n", to: "sub/b.org")
    #expect(try await sync(mine, with: repo, archive).result == .synced)
    let (head, index) = (try mine.git("rev-parse", "HEAD"), try mine.git("ls-files", "--stage"))
    try theirs.git("pull", "-q")
    #expect(theirs.read("sub/b.org") == "* b\n" && theirs.read(".git/config") != nil)
    try theirs.write("* a\ntheirs\n", to: "a.org")
    try theirs.push()
    #expect(try await sync(mine, with: repo, archive).result == .synced)
    #expect(mine.read("a.org") == "* a\ntheirs\n")
    // Branch and index are unchanged, and no file of git itself was pushed.
    #expect(try mine.git("rev-parse", "HEAD") == head && mine.git("ls-files", "--stage") == index)
    #expect(try repo.texts().keys.sorted() == ["a.org", "sub/b.org"])
    try mine.git("add", "-A")
    try mine.git("commit", "-q", "-m", "What came")
    try mine.git("pull", "-q", "--no-rebase", "--no-edit")
    try mine.git("push", "-q", "origin", "HEAD")
    let quiet = try await sync(mine, with: repo, archive)
    #expect(quiet.result == .synced && !quiet.didSomething)
    for clone in [mine, theirs] { try clone.git("fsck", "--strict") }
    try repo.expectSound()
  }

  @Test("the store may be a folder inside a work tree, or a work tree whose repository is elsewhere")
  func elsewhere() async throws {
    let (repo, clone) = try divided()
    let archive = MemoryArchive()
    try clone.write("* in\n", to: "notes/in.org")
    let linked = Clone(folder: clone.folder + "-linked", variables: [:])
    try clone.git("worktree", "add", "-q", "-b", "linked", linked.folder)
    #expect(try await sync(clone, folder: "/notes", with: repo, archive).result == .synced)
    try clone.git("merge", "side", mayFail: true)
    #expect(try await sync(clone, folder: "/notes", with: repo, archive).failure?.message.contains("a merge") == true)
    let other = MemoryArchive()
    #expect(try await sync(linked, with: repo, other).failure == nil)
    try linked.git("merge", "side", mayFail: true)
    #expect(try await sync(linked, with: repo, other).failure?.message.contains("a merge") == true)
  }

  @Test("the repository itself is never synced, whatever the ignore rules say")
  func repositoryStaysHome() throws {
    let filter = PathFilter(ignore: ["!.git", "!.git/**", "!**/.GIT"])
    for path in [".git", "a/.git", ".GIT", "a/b/.Git"] {
      #expect(!filter.accepts(folder: Array(path.utf8)) && !filter.accepts(file: Array(path.utf8)))
    }
    #expect(filter.accepts(file: Array(".gitignore".utf8)) && filter.accepts(file: Array(".gitattributes".utf8)))
  }
}
