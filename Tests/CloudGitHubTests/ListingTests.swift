import Foundation
import GitHubEmulator
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudGitHub

@Suite("Listings of a branch on GitHub or Forgejo")
struct ListingTests {
  private static let files = ["a.org": "* a\n", "d/b.org": "* b\n", "d/e/c.org": "* c\n", "z.org": "* z\n"]

  @Test(
    "a truncated listing is completed folder by folder or page by page, and only a file that is gone counts as gone",
    arguments: Emulator.Kind.allCases)
  func truncated(kind: Emulator.Kind) async throws {
    let github = try await TestGitHub(kind)
    let name = try await github.repository(Self.files)
    let one = try await github.device("one", at: name)
    try await one.requireHealthyRun("whole")
    try await github.emulator.control(#"{"op": "truncate", "entries": 1}"#)
    try await github.emulator.push(["d/b.org": nil], to: name)
    for _ in 0..<2 { try await one.requireHealthyRun("truncated") }
    #expect(try await one.texts().keys.sorted() == ["a.org", "d/e/c.org", "z.org"])
    let new = try await github.device("new", at: name)
    try await new.requireHealthyRun("truncated from the start")
    #expect(try await new.texts() == one.texts())
  }

  @Test("a listing that lacks a file does not have its hash, so nothing counts as deleted")
  func lying() async throws {
    let github = try await TestGitHub()
    let name = try await github.repository(Self.files)
    let storage = try await github.storage(name)
    let commit = try #require(try await github.emulator.tip(of: name))
    let tree = try await github.git(["-C", github.folder(of: name), "rev-parse", "\(commit)^{tree}"]).text
      .trimmingCharacters(in: .newlines)
    let lie =
      #"{\"sha\": \"\#(tree)\", \"tree\": [{\"path\": \"a.org\", \"mode\": \"100644\", \"type\": \"blob\", \"sha\": \"\#(tree)\"}], \"truncated\": false}"#
    try await github.emulator.control(
      #"{"op": "fail", "route": "GET /git/trees/:sha", "count": 100, "body": "\#(lie)"}"#)
    let error = await #expect(throws: SyncError.self) { _ = try await storage.list(since: Known()) }
    #expect(error?.code == .unavailable)
    try await github.emulator.control(#"{"op": "calm"}"#)
    #expect(try await storage.names().count == 4)
  }

  @Test("a content with one wrong bit is not accepted, and is read again", arguments: Emulator.Kind.allCases)
  func spoiled(kind: Emulator.Kind) async throws {
    let github = try await TestGitHub(kind)
    let name = try await github.repository(Self.files)
    let storage = try await github.storage(name)
    try await github.emulator.control(#"{"op": "fail", "route": "GET /git/blobs/:sha", "spoil": true}"#)
    #expect(try await storage.text(of: "a.org") == "* a\n")
    try await github.emulator.control(
      #"{"op": "fail", "route": "GET /git/blobs/:sha", "spoil": true, "count": 100}"#)
    await #expect(throws: SyncError.self) { _ = try await storage.text(of: "z.org") }
  }

  @Test(
    "links, submodules, LFS pointers and filtered files stay as they are, and an executable stays one",
    arguments: Emulator.Kind.allCases)
  func foreign(kind: Emulator.Kind) async throws {
    let github = try await TestGitHub(kind)
    let name = try await github.repository([
      "a.org": "* a\n", ".gitattributes": "*.bin filter=lfs\n", "b.bin": "content\n",
      "pointer.org": "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n",
    ])
    try await github.emulator.push("a.org", mode: "120000", at: "link.org", to: name)
    try await github.emulator.push(
      "1111111111111111111111111111111111111111", mode: "160000", at: "module", to: name)
    try await github.emulator.push("#!/bin/sh\n", mode: "100755", at: "run.sh", to: name)
    let before = try await github.git(["-C", github.folder(of: name), "ls-tree", "-r", "main"]).text
    let one = try await github.device("one", at: name)
    for _ in 0..<2 { _ = await one.sync() }
    #expect(try await one.texts().keys.sorted() == [".gitattributes", "a.org", "run.sh"])
    try await one.write("#!/bin/sh\necho\n", to: "run.sh")
    try await one.write("* new\n", to: "new.org")
    try await one.write("x", to: "c.bin")
    try await one.write("x", to: "module/inside.org")
    _ = await one.sync()
    let after = try await github.git(["-C", github.folder(of: name), "ls-tree", "-r", "main"]).text
    for line in before.split(separator: "\n") where !line.hasSuffix("run.sh") { #expect(after.contains(line)) }
    #expect(after.contains("100755 blob") && after.contains("new.org"))
    #expect(!after.contains("c.bin") && !after.contains("inside"))
    #expect(try await github.emulator.texts(of: name)["run.sh"] == "#!/bin/sh\necho\n")
  }

  @Test(
    "files that are not text, large files, and a file in the place of a folder arrive",
    arguments: Emulator.Kind.allCases)
  func contents(kind: Emulator.Kind) async throws {
    let github = try await TestGitHub(kind)
    let name = try await github.repository(["d/x.org": "* x\n", "f": "* f\n"])
    let storage = try await github.storage(name)
    let entries = try await storage.list(since: Known()).entries
    let revisions = Dictionary(uniqueKeysWithValues: entries.map { ($0.path.description, $0.revision) })
    let binary = Content([0, 0xFF, 0x80, 0x0A])
    let large = Content(Array(String(repeating: "0123456789abcde\n", count: 50_000).utf8))
    let changes = [
      Change(path: try syncPath("binary"), content: binary, condition: .absent),
      Change(path: try syncPath("large.org"), content: large, condition: .absent),
      Change(path: try syncPath("d/x.org"), content: nil, condition: .unchanged(try #require(revisions["d/x.org"]))),
      Change(path: try syncPath("d"), content: Content(Array("* d\n".utf8)), condition: .absent),
      Change(path: try syncPath("f"), content: nil, condition: .unchanged(try #require(revisions["f"]))),
      Change(path: try syncPath("f/y.org"), content: Content(Array("* y\n".utf8)), condition: .absent),
    ]
    let results = try await storage.commit(changes)
    #expect(results.allSatisfy { $0.isDone }, "\(results)")
    let calls = await github.emulator.calls()
    switch kind {
    case .github: #expect(calls["POST /git/blobs"] == 2)
    // Forgejo does not put a file in the place of one that the same commit removes.
    case .forgejo: #expect(calls["POST /contents"] == 2)
    }
    let other = try await github.storage(name)
    #expect(try await other.names() == ["binary", "d", "f/y.org", "large.org"])
    for (path, content) in [("binary", binary), ("large.org", large)] {
      guard case .read(let entry) = try await other.read(file: try syncPath(path), into: DigestSink()) else {
        Issue.record("\(path) cannot be read")
        continue
      }
      #expect(entry.digest == content.digest)
    }
    try await github.expectSound(name)
  }

  @Test(
    "a listing of more than `max-files` is refused, whole or in parts", arguments: [false, true],
    Emulator.Kind.allCases)
  func tooMany(isTruncated: Bool, kind: Emulator.Kind) async throws {
    let github = try await TestGitHub(kind)
    let name = try await github.repository(Self.files)
    if isTruncated { try await github.emulator.control(#"{"op": "truncate", "entries": 1}"#) }
    let storage = try await github.storage(name) { $0.maxFiles = 3 }
    let error = await #expect(throws: SyncError.self) { _ = try await storage.list(since: Known()) }
    #expect(error?.message.contains("`max-files` allows (3)") == true)
  }

  @Test("a file above the limit is ignored on both sides", arguments: Emulator.Kind.allCases)
  func limit(kind: Emulator.Kind) async throws {
    let github = try await TestGitHub(kind)
    let name = try await github.repository(["large.org": String(repeating: "x", count: 5_000)])
    let storage = try await github.storage(name) { $0.maxFileSize = ByteSize(bytes: 4_000) }
    await #expect(throws: SyncError.self) { _ = try await storage.text(of: "large.org") }
    guard case .failed(let error) = try await storage.put(String(repeating: "y", count: 5_000), at: "new.org") else {
      Issue.record("a file above the limit was written")
      return
    }
    #expect(error.message.contains("max-file-size"))
  }
}
