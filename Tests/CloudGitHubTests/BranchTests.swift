import Foundation
import GitHubEmulator
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudGitHub

/// What others do to the branch while syncd writes to it.
@Suite("A branch that others change")
struct BranchTests {
  @Test("a commit whose answer was lost is detected as done, and is made once", arguments: Emulator.Kind.allCases)
  func lostAnswer(kind: Emulator.Kind) async throws {
    let github = try await TestGitHub(kind)
    let name = try await github.repository(["a.org": "* a\n"])
    let storage = try await github.storage(name)
    try await github.emulator.control(#"{"op": "fail", "route": "\#(kind.writing)", "drop": "after"}"#)
    #expect(try await storage.put("* b\n", at: "b.org").isDone)
    try await github.emulator.control(#"{"op": "fail", "route": "\#(kind.writing)", "drop": "before"}"#)
    let result = try await storage.put("* c\n", at: "c.org")
    guard case .unknown = result else {
      Issue.record("\(result)")
      return
    }
    let log = try await github.git(["-C", github.folder(of: name), "log", "--format=%s", "main"])
    #expect(log.text == "Add b.org\nfirst\n")
  }

  @Test(
    "a commit of another writer in between is kept, and a version that was not seen is not replaced",
    arguments: Emulator.Kind.allCases)
  func overtaken(kind: Emulator.Kind) async throws {
    let github = try await TestGitHub(kind)
    let name = try await github.repository(["a.org": "* a\n", "b.org": "* b\n"])
    let storage = try await github.storage(name)
    let entries = try await storage.list(since: Known()).entries
    await github.emulator.before(kind.writing) { emulator in
      try emulator.push(["b.org": "* theirs\n"], to: name)
    }
    let changes = entries.map {
      Change(path: $0.path, content: Content(Array("* ours\n".utf8)), condition: .unchanged($0.revision))
    }
    let results = try await storage.commit(changes)
    #expect(results[0].isDone, "\(results)")
    guard case .refused(let there?) = results[1] else {
      Issue.record("\(results)")
      return
    }
    #expect(there.path.description == "b.org")
    #expect(try await github.emulator.texts(of: name) == ["a.org": "* ours\n", "b.org": "* theirs\n"])
  }

  @Test("if others are faster each time, the change is postponed and nothing is written")
  func postponed() async throws {
    let github = try await TestGitHub()
    let name = try await github.repository(["a.org": "* a\n"])
    let storage = try await github.storage(name)
    try await github.emulator.control(
      #"{"op": "fail", "route": "PATCH /git/refs/:ref", "count": 5, "status": 422, "message": "Update is not a fast forward"}"#
    )
    let result = try await storage.put("* b\n", at: "b.org")
    guard case .postponed = result else {
      Issue.record("\(result)")
      return
    }
    #expect(try await github.emulator.texts(of: name) == ["a.org": "* a\n"])
    #expect(try await storage.put("* b\n", at: "b.org").isDone)
  }

  @Test("commits that a forced push has removed while ours was made do not come back with it")
  func rewound() async throws {
    let github = try await TestGitHub()
    let name = try await github.repository(["a.org": "* a\n"])
    let first = try #require(try await github.emulator.tip(of: name))
    try await github.emulator.push(["secret.org": "* removed on purpose\n"], to: name)
    let storage = try await github.storage(name)
    _ = try await storage.names()
    await github.emulator.before("POST /git/commits") { emulator in try emulator.reset(name, to: first) }
    let error = await #expect(throws: SyncError.self) { _ = try await storage.put("* b\n", at: "b.org") }
    #expect(error?.code == .wrongReplica)
    #expect(try await github.emulator.tip(of: name) == first)
    // Nor in a later pass, until a person accepts it.
    let later = await #expect(throws: SyncError.self) { _ = try await storage.put("* b\n", at: "b.org") }
    #expect(later?.code == .wrongReplica)
    #expect(try await github.emulator.texts(of: name) == ["a.org": "* a\n"])
  }

  @Test(
    "after a forced push nothing is synced until it is accepted, and then nothing is deleted",
    arguments: Emulator.Kind.allCases)
  func rewritten(kind: Emulator.Kind) async throws {
    let github = try await TestGitHub(kind)
    let name = try await github.repository(["a.org": "* a\n"])
    let first = try #require(try await github.emulator.tip(of: name))
    let one = try await github.device("one", at: name)
    try await one.write("* b\n", to: "b.org")
    for _ in 0..<2 { try await one.requireHealthyRun("first") }
    let forced = try await github.emulator.push(["c.org": "* c\n"], to: name, parent: first)
    let report = await one.sync()
    #expect(report.failure?.code == .wrongReplica, "\(report)")
    #expect(report.failure?.message.contains("accept = \"\(forced.prefix(10))\"") == true)
    #expect(try await one.texts() == ["a.org": "* a\n", "b.org": "* b\n"])
    // Another writer continues before it is accepted.
    try await github.emulator.push(["d.org": "* d\n"], to: name)
    let storage = try await github.storage(name, journal: one.archive.journal(of: "test")) {
      $0.accept = String(forced.prefix(10))
    }
    let accepting = TestDevice("one", store: one.store, archive: one.archive, storage: storage)
    for _ in 0..<2 { try await accepting.requireHealthyRun("accepted") }
    let all = ["a.org": "* a\n", "b.org": "* b\n", "c.org": "* c\n", "d.org": "* d\n"]
    #expect(try await accepting.texts() == all)
    #expect(try await github.emulator.texts(of: name).filter { $0.key != ReservedName.marker } == all)
  }

  @Test("a read that lags behind our own commit is not mistaken for a rewritten history")
  func lag() async throws {
    let github = try await TestGitHub()
    let name = try await github.repository(["a.org": "* a\n"])
    let storage = try await github.storage(name)
    try await github.emulator.control(#"{"op": "lag", "count": 0}"#)
    #expect(try await storage.put("* b\n", at: "b.org").isDone)
    try await github.emulator.control(#"{"op": "lag", "count": 3}"#)
    #expect(try await storage.names() == ["a.org", "b.org"])
  }

  @Test("a renamed default branch and a renamed repository are followed", arguments: Emulator.Kind.allCases)
  func renamed(kind: Emulator.Kind) async throws {
    let github = try await TestGitHub(kind)
    let name = try await github.repository(["a.org": "* a\n"])
    let one = try await github.device("one", at: name)
    try await one.requireHealthyRun("first")
    try await github.emulator.control(
      #"{"op": "rename_branch", "repository": "\#(name)", "name": "trunk"}"#)
    try await one.write("* b\n", to: "b.org")
    try await one.requireHealthyRun("after the branch was renamed")
    #expect(try await github.emulator.texts(of: name)["b.org"] == "* b\n")
    try await github.emulator.control(
      #"{"op": "rename", "repository": "\#(name)", "name": "owner/moved-\#(name.suffix(12))"}"#)
    let storage = try await github.storage(name, journal: one.archive.journal(of: "test"))
    let again = TestDevice("one", store: one.store, archive: one.archive, storage: storage)
    try await again.write("* c\n", to: "c.org")
    try await again.requireHealthyRun("after the repository was renamed")
    #expect(try await again.texts().count == 3)
    #expect(try await github.emulator.texts(of: "owner/moved-\(name.suffix(12))")["c.org"] == "* c\n")
  }

  @Test("a protected branch is read, and each change says why it was not made", arguments: Emulator.Kind.allCases)
  func protected(kind: Emulator.Kind) async throws {
    let github = try await TestGitHub(kind)
    let storage = try await github.storage("owner/notes") { $0.branch = "protected" }
    #expect(try await storage.names() == ["README.org"])
    guard case .failed(let error) = try await storage.put("* a\n", at: "a.org") else {
      Issue.record("a protected branch was changed")
      return
    }
    let reason = kind == .github ? "Protected branch update failed" : "branch is protected"
    #expect(error.message.contains(reason), "\(error.message)")
    #expect(await github.emulator.calls()[kind.writing] == 1)
    #expect(try await storage.diagnose().contains { $0.level == .problem && $0.text.contains("protected") })
  }

  @Test("a missing branch is created only with create-branch", arguments: Emulator.Kind.allCases)
  func missing(kind: Emulator.Kind) async throws {
    let github = try await TestGitHub(kind)
    let name = try await github.repository(["a.org": "* a\n"])
    let careful = try await github.storage(name) { $0.branch = "org" }
    let absent = await #expect(throws: SyncError.self) { _ = try await careful.list(since: Known()) }
    #expect(absent?.code == .notFound)
    let refusal = await #expect(throws: SyncError.self) { try await careful.createRoot() }
    #expect(refusal?.code == .invalidSettings)
    let storage = try await github.storage(name) {
      $0.branch = "org"
      $0.createBranch = true
    }
    try await storage.createRoot()
    #expect(try await storage.put("* b\n", at: "b.org").isDone)
    #expect(try await github.emulator.texts(of: name) == ["a.org": "* a\n"])
    #expect(try await storage.names() == ["a.org", "b.org"])
  }

  @Test("a branch that vanishes deletes nothing", arguments: Emulator.Kind.allCases)
  func vanished(kind: Emulator.Kind) async throws {
    let github = try await TestGitHub(kind)
    let name = try await github.repository(["a.org": "* a\n"])
    let one = try await github.device("one", at: name)
    try await one.requireHealthyRun("first")
    try await github.git(["-C", github.folder(of: name), "branch", "-m", "main", "elsewhere"])
    let report = await one.sync()
    #expect(report.failure?.code == .wrongReplica, "\(report)")
    #expect(try await one.texts() == ["a.org": "* a\n"])
  }

  @Test("a first commit between two looks at an empty repository is seen", arguments: Emulator.Kind.allCases, [1, 2])
  func firstCommit(kind: Emulator.Kind, look: Int) async throws {
    let github = try await TestGitHub(kind)
    let name = try await github.repository()
    let storage = try await github.storage(name)
    // Before the repository is asked for the first or the second time, after the branch was not found.
    let asking = kind == .forgejo ? "GET " : "GET /git/ref/:ref"
    await github.emulator.before(asking) { emulator in
      if look == 1 {
        try emulator.push(["z.org": "* theirs\n"], to: name)
      } else {
        emulator.before(asking) { emulator in try emulator.push(["z.org": "* theirs\n"], to: name) }
      }
    }
    #expect(try await storage.put("* ours\n", at: "a.org").isDone)
    #expect(try await github.emulator.texts(of: name) == ["a.org": "* ours\n", "z.org": "* theirs\n"])
    #expect(try await storage.list(since: Known()).entries.count == 2)
  }

  @Test("two devices that begin in an empty repository at once both arrive", arguments: Emulator.Kind.allCases)
  func empty(kind: Emulator.Kind) async throws {
    let github = try await TestGitHub(kind)
    let name = try await github.repository()
    let (one, two) = (try await github.device("one", at: name), try await github.device("two", at: name))
    try await one.write("* one\n", to: "one.org")
    try await two.write("* two\n", to: "two.org")
    async let first = one.sync()
    async let second = two.sync()
    _ = await (first, second)
    for device in [one, two, one, two] { try await device.requireHealthyRun("later") }
    #expect(try await one.texts() == ["one.org": "* one\n", "two.org": "* two\n"])
    #expect(try await two.texts() == one.texts())
    try await github.expectSound(name)
  }
}
