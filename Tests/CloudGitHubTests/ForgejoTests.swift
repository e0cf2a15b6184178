import Foundation
import GitHubEmulator
import GitObjects
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudGitHub

/// What is different with Forgejo and Gitea: pages of a listing, and one request for a commit with a condition for each file.
@Suite("A branch on Forgejo")
struct ForgejoTests {
  private static let files = ["a.org": "* a\n", "d/b.org": "* b\n", "d/e/c.org": "* c\n", "z.org": "* z\n"]

  private func change(_ path: String, _ text: String?, _ condition: Condition) throws -> Change {
    Change(path: try syncPath(path), content: text.map { Content(Array($0.utf8)) }, condition: condition)
  }

  private func revisions(_ storage: any Storage) async throws -> [String: Revision] {
    let entries = try await storage.list(since: Known()).entries
    return Dictionary(uniqueKeysWithValues: entries.map { ($0.path.description, $0.revision) })
  }

  // MARK: Listings

  @Test("a listing of several pages is one listing")
  func pages() async throws {
    let forgejo = try await TestGitHub(.forgejo)
    let name = try await forgejo.repository(Self.files)
    try await forgejo.control(#"{"op": "truncate", "entries": 2}"#)
    let storage = try await forgejo.storage(name)
    #expect(try await storage.names() == Self.files.keys.sorted())
    #expect(await forgejo.calls()["GET /git/trees/:sha"] == 3)
  }

  @Test("a repository whose last file was removed is empty, and takes files again")
  func nothingLeft() async throws {
    let forgejo = try await TestGitHub(.forgejo)
    let name = try await forgejo.repository(["a.org": "* a\n"])
    let storage = try await forgejo.storage(name)
    let revisions = try await revisions(storage)
    let removal = try change("a.org", nil, .unchanged(try #require(revisions["a.org"])))
    #expect(try await storage.commit([removal]).allSatisfy { $0.isDone })
    let other = try await forgejo.storage(name)
    #expect(try await other.names() == [])
    #expect(try await other.put("* b\n", at: "b.org").isDone)
    #expect(try await forgejo.emulator.texts(of: name) == ["b.org": "* b\n"])
    try await forgejo.expectSound(name)
  }

  private static let id = "1111111111111111111111111111111111111111"

  @Test(
    "a page that is not the one that was asked for, does not end or is damaged proves nothing",
    arguments: [
      // The same page forever.
      #"{"sha": "TREE", "tree": [FILE], "truncated": true, "page": 1}"#,
      #"{"sha": "TREE", "tree": [], "truncated": true, "page": 1}"#,
      #"{"sha": "TREE", "tree": null, "truncated": false, "page": 1}"#,
      #"{"sha": "TREE", "tree": [FILE], "truncated": false, "page": 2}"#,
      #"{"sha": "TREE", "tree": [FILE], "truncated": false}"#, #"{"sha": "TREE", "tree": [FILE], "page": 1}"#,
      #"{"sha": "ID", "tree": [FILE], "truncated": false, "page": 1}"#,
      #"{"sha": "TREE", "tree": [FILE, FILE], "truncated": false, "page": 1}"#,
      #"{"sha": "TREE", "tree": [{"path": "../x", "mode": "100644", "sha": "ID"}], "truncated": false, "page": 1}"#,
      #"{"sha": "TREE", "tree": [{"path": ".git", "mode": "040000", "sha": "ID"}], "truncated": false, "page": 1}"#,
      #"{"sha": "TREE", "tree": [{"path": "", "mode": "100644", "sha": "ID"}], "truncated": false, "page": 1}"#,
      #"{"sha": "TREE", "tree": [{"path": "a", "mode": "x", "sha": "ID"}], "truncated": false, "page": 1}"#,
      #"{"sha": "TREE", "tree": [{"path": "a", "mode": "100644", "sha": "12"}], "truncated": false, "page": 1}"#,
      "<html>Sign in to the hotel</html>", "[]", "null", "",
    ])
  func hostile(page: String) async throws {
    let forgejo = try await TestGitHub(.forgejo)
    let name = try await forgejo.repository(Self.files)
    let one = try await forgejo.device("one", at: name)
    try await one.requireHealthyRun("calm")
    try await forgejo.emulator.push(["a.org": "* changed\n"], to: name)
    let tree = try await forgejo.git(["-C", forgejo.folder(of: name), "rev-parse", "main^{tree}"]).text
      .trimmingCharacters(in: .newlines)
    let body = page.replacing("FILE", with: #"{"path": "a.org", "mode": "100644", "sha": "ID", "size": 1}"#)
      .replacing("TREE", with: tree).replacing("ID", with: Self.id)
    let text = String(decoding: try JSONEncoder().encode(body), as: UTF8.self)
    try await forgejo.control(
      #"{"op": "fail", "route": "GET /git/trees/:sha", "count": 1000, "status": 200, "body": \#(text)}"#)
    let report = await one.sync()
    #expect(report.failure?.code == .unavailable, "\(report)")
    #expect(try await one.texts() == Self.files)
    try await forgejo.control(#"{"op": "calm"}"#)
    try await one.requireHealthyRun("calm again")
    #expect(try await one.texts()["a.org"] == "* changed\n")
  }

  // MARK: Contents

  @Test("an answer about another file, without its content or with another one is not accepted")
  func blobs() async throws {
    let forgejo = try await TestGitHub(.forgejo)
    let name = try await forgejo.repository(Self.files)
    let file = ObjectID(of: "blob", Array("* a\n".utf8)).description
    for body in [
      #"{"sha": "\#(Self.id)", "size": 4, "encoding": "base64", "content": "KiBhCg=="}"#,
      #"{"sha": "\#(file)", "size": 4, "encoding": "base64", "content": "KiBiCg=="}"#,
      #"{"sha": "\#(file)", "size": 4, "encoding": "base64", "content": "%%%"}"#,
      #"{"sha": "\#(file)", "size": 4, "content": null}"#, #"{"sha": "\#(file)", "size": -1, "content": ""}"#,
    ] {
      let storage = try await forgejo.storage(name)
      _ = try await storage.names()
      let text = String(decoding: try JSONEncoder().encode(body), as: UTF8.self)
      try await forgejo.control(
        #"{"op": "fail", "route": "GET /git/blobs/:sha", "count": 100, "status": 200, "body": \#(text)}"#)
      await #expect(throws: SyncError.self, "\(body)") { _ = try await storage.text(of: "a.org") }
      try await forgejo.control(#"{"op": "calm"}"#)
      #expect(try await storage.text(of: "a.org") == "* a\n")
    }
  }

  @Test("a file above the limit of the server is ignored on both sides, and the message names the limit")
  func large() async throws {
    let forgejo = try await TestGitHub(.forgejo)
    let large = String(repeating: "0123456789abcde\n", count: 700_000)
    let name = try await forgejo.repository(["large.org": large])
    let storage = try await forgejo.storage(name)
    let read = await #expect(throws: SyncError.self) { _ = try await storage.text(of: "large.org") }
    guard case .failed(let written) = try await storage.put(large, at: "new.org") else {
      Issue.record("a file above the limit was written")
      return
    }
    for message in [read?.message ?? "", written.message] {
      #expect(message.contains("Forgejo returns (10MiB)"), "\(message)")
    }
  }

  // MARK: Commits

  @Test("a commit of others to other files does not delay ours, and is kept")
  func beside() async throws {
    let forgejo = try await TestGitHub(.forgejo)
    let name = try await forgejo.repository(Self.files)
    let storage = try await forgejo.storage(name)
    let revisions = try await revisions(storage)
    await forgejo.emulator.before("POST /contents") { emulator in try emulator.push(["z.org": "* theirs\n"], to: name) }
    let results = try await storage.commit([
      change("a.org", "* ours\n", .unchanged(try #require(revisions["a.org"]))), change("n.org", "* n\n", .absent),
      change("d/b.org", nil, .unchanged(try #require(revisions["d/b.org"]))),
    ])
    #expect(results.allSatisfy { $0.isDone }, "\(results)")
    #expect(await forgejo.calls()["POST /contents"] == 1)
    #expect(
      try await forgejo.emulator.texts(of: name) == [
        "a.org": "* ours\n", "n.org": "* n\n", "d/e/c.org": "* c\n", "z.org": "* theirs\n",
      ])
    #expect(try await storage.names() == ["a.org", "d/e/c.org", "n.org", "z.org"])
    try await forgejo.expectSound(name)
  }

  @Test("a commit that was made although its answer was lost is made once, also if others continue from it")
  func lostBeforeOthers() async throws {
    let forgejo = try await TestGitHub(.forgejo)
    let name = try await forgejo.repository(Self.files)
    let storage = try await forgejo.storage(name)
    let revisions = try await revisions(storage)
    try await forgejo.control(#"{"op": "fail", "route": "POST /contents", "drop": "after"}"#)
    await forgejo.emulator.before("GET /branches/:branch") { emulator in
      // The first question is before the commit, the second one after it.
      emulator.before("GET /branches/:branch") { emulator in try emulator.push(["z.org": "* theirs\n"], to: name) }
    }
    let results = try await storage.commit([
      change("a.org", "* ours\n", .unchanged(try #require(revisions["a.org"]))),
      change("d/b.org", nil, .unchanged(try #require(revisions["d/b.org"]))),
    ])
    #expect(results.allSatisfy { $0.isDone }, "\(results)")
    #expect(await forgejo.calls()["POST /contents"] == 1)
    let log = try await forgejo.git(["-C", forgejo.folder(of: name), "log", "--format=%s", "main"])
    #expect(log.text == "others\nChange 1 file, remove 1 file\nfirst\n")
  }

  @Test(
    "a push that was faster is looked up, whatever the status, and the files that others did not change arrive",
    arguments: [409, 422, 500, 404])
  func faster(status: Int) async throws {
    let forgejo = try await TestGitHub(.forgejo)
    let name = try await forgejo.repository(Self.files)
    let storage = try await forgejo.storage(name)
    let revisions = try await revisions(storage)
    try await forgejo.control(#"{"op": "fail", "route": "POST /contents", "status": \#(status)}"#)
    await forgejo.emulator.before("GET /branches/:branch") { emulator in
      emulator.before("GET /branches/:branch") { emulator in try emulator.push(["a.org": "* theirs\n"], to: name) }
    }
    let results = try await storage.commit([
      change("a.org", "* ours\n", .unchanged(try #require(revisions["a.org"]))),
      change("z.org", "* ours\n", .unchanged(try #require(revisions["z.org"]))),
    ])
    guard case .refused(let there?) = results[0] else {
      Issue.record("\(results)")
      return
    }
    #expect(there.path.description == "a.org" && results[1].isDone, "\(results)")
    let texts = try await forgejo.emulator.texts(of: name)
    #expect(texts["a.org"] == "* theirs\n" && texts["z.org"] == "* ours\n")
  }

  @Test(
    "a refusal of an unchanged branch names the status, and is not repeated",
    arguments: [(413, "too large"), (404, "Gitea has since 1.20"), (423, "HTTP 423")])
  func refused(status: Int, text: String) async throws {
    let forgejo = try await TestGitHub(.forgejo)
    let name = try await forgejo.repository(Self.files)
    let storage = try await forgejo.storage(name)
    try await forgejo.control(#"{"op": "fail", "route": "POST /contents", "count": 9, "status": \#(status)}"#)
    guard case .failed(let error) = try await storage.put("* n\n", at: "n.org") else {
      Issue.record("a refused file counts as written")
      return
    }
    #expect(error.message.contains(text), "\(error.message)")
    #expect(await forgejo.calls()["POST /contents"] == 1)
  }

  @Test("a file that a rule protects does not hold up the others")
  func protectedFile() async throws {
    let forgejo = try await TestGitHub(.forgejo)
    let name = try await forgejo.repository(Self.files)
    try await forgejo.emulator.protect("n5.org", in: name)
    let storage = try await forgejo.storage(name)
    let changes = try (0..<40).map { try change("n\($0).org", "* \($0)\n", .absent) }
    let results = try await storage.commit(changes)
    #expect(results.indices.filter { !results[$0].isDone } == [5], "\(results)")
    guard case .failed(let error) = results[5] else { return }
    #expect(error.message.contains("n5.org"), "\(error.message)")
    #expect(try await forgejo.emulator.texts(of: name).count == 4 + 39)
    #expect(await forgejo.calls()["POST /contents"] ?? 0 < 16)
  }

  @Test("a branch that takes nothing is asked a limited number of times")
  func protectedBranch() async throws {
    let forgejo = try await TestGitHub(.forgejo)
    let storage = try await forgejo.storage("owner/notes") { $0.branch = "protected" }
    let results = try await storage.commit((0..<200).map { try change("n\($0).org", "* \($0)\n", .absent) })
    #expect(results.allSatisfy { !$0.isDone })
    #expect(await forgejo.calls()["POST /contents"] ?? 0 < 50)
  }

  @Test("a commit on top of a rewritten history stops the sync, and what was removed does not come back")
  func rewound() async throws {
    let forgejo = try await TestGitHub(.forgejo)
    let name = try await forgejo.repository(["a.org": "* a\n"])
    let first = try #require(try await forgejo.emulator.tip(of: name))
    try await forgejo.emulator.push(["secret.org": "* removed on purpose\n"], to: name)
    let storage = try await forgejo.storage(name)
    _ = try await storage.names()
    await forgejo.emulator.before("POST /contents") { emulator in try emulator.reset(name, to: first) }
    let error = await #expect(throws: SyncError.self) { _ = try await storage.put("* b\n", at: "b.org") }
    #expect(error?.code == .wrongReplica)
    #expect(try await forgejo.emulator.texts(of: name) == ["a.org": "* a\n", "b.org": "* b\n"])
    let later = await #expect(throws: SyncError.self) { _ = try await storage.list(since: Known()) }
    #expect(later?.code == .wrongReplica)
  }

  @Test("an executable file keeps its mode when it is changed, and when it gets another name")
  func programs() async throws {
    let forgejo = try await TestGitHub(.forgejo)
    let name = try await forgejo.repository(["a.org": "* a\n"])
    for file in ["run.sh", "old.sh"] {
      try await forgejo.emulator.push("#!/bin/sh\n: \(file)\n", mode: "100755", at: file, to: name)
    }
    let storage = try await forgejo.storage(name)
    let revisions = try await revisions(storage)
    let results = try await storage.commit([
      change("run.sh", "#!/bin/sh\necho\n", .unchanged(try #require(revisions["run.sh"]))),
      change("new.sh", "#!/bin/sh\n: old.sh\n", .absent),
      change("old.sh", nil, .unchanged(try #require(revisions["old.sh"]))),
    ])
    #expect(results.allSatisfy { $0.isDone }, "\(results)")
    let modes = try await forgejo.git([
      "-C", forgejo.folder(of: name), "ls-tree", "-r", "--format=%(objectmode) %(path)", "main",
    ])
    #expect(modes.text == "100644 a.org\n100755 new.sh\n100755 run.sh\n")
    #expect(await forgejo.calls()["POST /contents"] == 1)
  }

  @Test("a path that the request cannot have is refused before it fails the others")
  func longPath() async throws {
    let forgejo = try await TestGitHub(.forgejo)
    let name = try await forgejo.repository(Self.files)
    let storage = try await forgejo.storage(name)
    let long = Array(repeating: String(repeating: "x", count: 100), count: 5).joined(separator: "/")
    let results = try await storage.commit([change(long, "* l\n", .absent), change("n.org", "* n\n", .absent)])
    #expect(!results[0].isDone && results[1].isDone, "\(results)")
  }

  @Test("a repository with SHA-256 is refused with a sentence")
  func otherHash() async throws {
    let forgejo = try await TestGitHub(.forgejo)
    let storage = try await forgejo.storage("owner/notes")
    let body = #"{\"full_name\": \"owner/notes\", \"default_branch\": \"main\", \"object_format_name\": \"sha256\"}"#
    try await forgejo.control(#"{"op": "fail", "route": "GET ", "status": 200, "body": "\#(body)"}"#)
    let error = await #expect(throws: SyncError.self) { _ = try await storage.list(since: Known()) }
    #expect(error?.message.contains("sha256") == true, "\(error?.message ?? "")")
  }

  @Test("syncd login does not support Forgejo and names the page that creates tokens")
  func signIn() async throws {
    let forgejo = try await TestGitHub(.forgejo)
    let plugin = forgejo.plugin("owner/notes") { $0.tokenCommand = ["keep"] }
    let error = await #expect(throws: SyncError.self) { _ = try await plugin.signIn(Silence(), .hurried) }
    #expect(error?.code == .invalidSettings && error?.message.contains("Applications") == true)
  }
}

/// A user who sees no message.
private struct Silence: Conversation {
  func tell(_ text: String) { Issue.record("\(text)") }
  func ask(_ question: String) throws(SyncError) -> String { throw SyncError(.unauthorized, "no terminal") }
}

/// The plan of a request, without a server.
@Suite("Operations of a commit on Forgejo")
struct FileOperationTests {
  private func file(
    _ index: Int, _ path: String, old: String? = nil, new: String? = nil, mode: GitTree.Mode = .file
  ) throws -> BatchFile {
    let entry = { (text: String) in GitTree.Entry(mode: mode, name: Array(path.utf8), id: self.id(text)) }
    return BatchFile(index: index, path: try syncPath(path), old: old.map(entry), new: new.map(entry))
  }

  private func id(_ text: String) -> ObjectID { ObjectID(of: "blob", Array(text.utf8)) }

  @Test("each replaced and removed file has the version that it must be")
  func conditions() throws {
    let plan = try FileOperation.plan([
      file(0, "new", new: "1"), file(1, "changed", old: "2", new: "3"), file(2, "gone", old: "4"),
    ])
    let expected = try [
      FileOperation(verb: .create, path: syncPath("new"), content: id("1")),
      FileOperation(verb: .update, path: syncPath("changed"), old: id("2"), content: id("3")),
      FileOperation(verb: .delete, path: syncPath("gone"), old: id("4")),
    ]
    #expect(plan == expected)
  }

  @Test("an executable file is moved, each source once; another file is created")
  func moves() throws {
    let plan = try FileOperation.plan([
      file(0, "b", new: "1", mode: .program), file(1, "c", new: "1", mode: .program),
      file(2, "a", old: "1", mode: .program), file(3, "x", old: "2"), file(4, "y", new: "2"),
    ])
    let expected = try [
      FileOperation(
        verb: .update, path: syncPath("b"), former: syncPath("a"), old: id("1"), content: id("1")),
      FileOperation(verb: .create, path: syncPath("c"), content: id("1")),
      FileOperation(verb: .create, path: syncPath("y"), content: id("2")),
      FileOperation(verb: .delete, path: syncPath("x"), old: id("2")),
    ]
    #expect(plan == expected)
  }
}
