import Foundation
import GitObjects
import ProgramTesting
import SyncKit
import Testing

@testable import BackendGit

/// Names that no tree may have, or that git or some file system reserves.
private let hostileNames: [[UInt8]] = [
  ".", "..", ".git", ".GIT", ".Git ", ".git.", ".git::$INDEX_ALLOCATION", "git~1", "GIT~1", ".g\u{200C}it", "x\\.git",
  "a/b",
].map { Array($0.utf8) }

@Suite("Hostile repositories") struct HostileRepositoryTests {
  /// An entry of a tree as bytes: mode, name and object.
  private func entry(_ mode: String, _ name: [UInt8], _ id: String) throws -> [UInt8] {
    Array("\(mode) ".utf8) + name + [0] + (try ObjectID(id).orThrow("\(id) is not an object ID")).bytes
  }

  private func write(_ bytes: [UInt8], _ kind: String, _ repo: Repo) throws -> String {
    let file = NSTemporaryDirectory() + "object-\(UUID().uuidString)"
    guard FileManager.default.createFile(atPath: file, contents: Data(bytes)) else { throw TestFailure("cannot write") }
    defer { try? FileManager.default.removeItem(atPath: file) }
    return try git("hash-object", "-t", kind, "-w", "--literally", file, in: repo.path).trimmingSuffix
  }

  private func commit(_ tree: String, _ repo: Repo) throws {
    let commit = try git("commit-tree", "-m", "harm", tree, in: repo.path).trimmingSuffix
    try git("update-ref", "refs/heads/main", commit, in: repo.path)
  }

  @Test("invalid names are ignored and left unchanged, and everything else arrives")
  func names() async throws {
    let repo = try TestServer.shared(.file).orThrow("no folder").repository()
    let text = try write(Array("* sound\n".utf8), "blob", repo)
    let folder = try write(try entry("100644", Array("hooks".utf8), text), "tree", repo)
    var bytes: [UInt8] = []
    for name in hostileNames {
      bytes += try entry(name.count % 2 == 0 ? "40000" : "100644", name, name.count % 2 == 0 ? folder : text)
    }
    bytes += try entry("100644", Array("sound.org".utf8), text)
    try commit(try write(bytes, "tree", repo), repo)
    let device = try TestDevice("one", on: repo)
    let report = try await device.sync()
    #expect(report.failure == nil, "\(report.failure?.message ?? "")")
    #expect(try await device.texts() == ["sound.org": "* sound\n"])
    #expect(report.notices.count == hostileNames.count, "\(report.notices)")
    // Other files can be changed, and the harmful entries stay unchanged.
    try await device.write("* edited\n", to: "sound.org")
    _ = try await device.sync()
    #expect(try git("cat-file", "blob", "main:sound.org", in: repo.path) == "* edited\n")
    let after = try git("ls-tree", "-z", "main", in: repo.path)
    for name in hostileNames {
      #expect(after.contains("\t\(String(decoding: name, as: UTF8.self))\0"), "\(printable(name))")
    }
  }

  @Test("syncd never commits these names", arguments: hostileNames.dropFirst(2).dropLast())
  func ours(name: [UInt8]) async throws {
    let repo = try TestServer.shared(.file).orThrow("no folder").repository()
    let replica = try await TestDevice("one", on: repo).replica()
    _ = try await replica.claim()
    for path in [name, Array("folder/".utf8) + name, name + Array("/config".utf8)] {
      let change = Change(
        path: try SyncPath(bytes: path).orThrow("not a path"), content: Content([1]), condition: .absent)
      guard case .cannot? = try await replica.commit([change]).first else {
        Issue.record("\(printable(path)) was not declined")
        return
      }
    }
  }

  @Test("a small pack with a huge file takes no memory, and everything else syncs")
  func hugeFile() async throws {
    let repo = try TestServer.shared(.file).orThrow("no folder").repository()
    let hand = try repo.clone()
    try hand.write("* text\n", to: "text.org")
    try run(["truncate", "-s", "40M", hand.folder + "/huge.org"])
    try hand.push()
    let device = try TestDevice("one", on: repo) { $0.maxFileSize = .mebibytes(32) }
    let report = try await device.sync()
    #expect(report.failure == nil, "\(report.failure?.message ?? "")")
    #expect(try await device.texts() == ["text.org": "* text\n"])
    #expect(report.actions.contains { $0.result == .failed && "\($0)".contains("max-file-size") }, "\(report.actions)")
    try await device.write("* edited\n", to: "text.org")
    _ = try await device.sync()
    #expect(try git("cat-file", "blob", "main:text.org", in: repo.path) == "* edited\n")
    #expect(try git("cat-file", "-s", "main:huge.org", in: repo.path).trimmingSuffix == "\(40 << 20)")
    let other = try TestDevice("two", on: repo) { $0.maxFileSize = .mebibytes(41) }
    _ = try await other.sync()
    #expect(try await other.texts()["huge.org"]?.utf8.count == 40 << 20)
  }

  @Test("a fetch of more than the maximum size is aborted, and changes nothing")
  func largeFetch() async throws {
    let repo = try TestServer.shared(.file).orThrow("no folder").repository()
    let hand = try repo.clone()
    try hand.write("* text\n", to: "text.org")
    try run(["sh", "-c", "head -c 1000000 /dev/urandom > \(hand.folder)/noise.bin"])
    try hand.push()
    let device = try TestDevice("one", on: repo) { $0.maxFetch = ByteSize(bytes: 300_000) }
    try await device.write("* ours\n", to: "ours.org")
    let report = try await device.sync()
    #expect(report.failure?.message.contains("`max-fetch`") == true, "\(report)")
    #expect(try await device.texts() == ["ours.org": "* ours\n"])
    #expect(try git("ls-tree", "--name-only", "main", in: repo.path) == "noise.bin\ntext.org\n")
  }

  @Test("a file over the maximum size is not sent")
  func large() async throws {
    let repo = try TestServer.shared(.file).orThrow("no folder").repository()
    let device = try TestDevice("one", on: repo) { $0.maxFileSize = ByteSize(bytes: 2 << 20) }
    try await device.write(String(repeating: "x", count: (2 << 20) + 1), to: "large.org")
    try await device.write("* text\n", to: "text.org")
    let report = try await device.sync()
    #expect(try repo.texts() == ["text.org": "* text\n"])
    #expect(report.actions.contains { $0.result == .failed && "\($0)".contains("max-file-size") }, "\(report.actions)")
  }

  @Test("links and submodules are ignored, and nothing is written through or over them")
  func specials() async throws {
    let repo = try TestServer.shared(.file).orThrow("no folder").repository()
    let outside = NSTemporaryDirectory() + "outside-\(UUID().uuidString)"
    let hand = try repo.clone()
    try hand.write("* text\n", to: "text.org")
    try run(["ln", "-s", outside, hand.folder + "/folder"])
    try run(["ln", "-s", "text.org", hand.folder + "/link.org"])
    try run(["sh", "-c", "echo '#!/bin/sh' >tool; chmod +x tool"], in: hand.folder)
    try hand.git("add", "-A")
    let commit = try git("hash-object", "-t", "tree", "/dev/null", in: repo.path).trimmingSuffix
    try hand.git("update-index", "--add", "--cacheinfo", "160000,\(commit),module")
    try hand.git("commit", "-q", "-m", "specials")
    try hand.git("push", "-q", "origin", "HEAD")
    let device = try TestDevice("one", on: repo)
    try await device.write("* through\n", to: "folder/through.org")
    try await device.write("* over\n", to: "link.org")
    try await device.write("* in the module\n", to: "module/in.org")
    try await device.write("* beside\n", to: "beside.org")
    let report = try await device.sync()
    #expect(report.notices.count { $0.contains("symbolic link") } == 2, "\(report.notices)")
    #expect(report.notices.contains { $0.contains("submodule") })
    #expect(!FileManager.default.fileExists(atPath: outside))
    // The other files were synced in both directions, and modes are unchanged.
    #expect(try await device.texts()["text.org"] == "* text\n")
    try await device.write("#!/bin/sh\ntrue\n", to: "tool")
    _ = try await device.sync()
    let modes = try git("ls-tree", "main", in: repo.path).split(separator: "\n").map { $0.split(separator: " ")[0] }
    #expect(modes.sorted() == ["100644", "100644", "100755", "120000", "120000", "160000"])
    #expect(try git("cat-file", "blob", "main:link.org", in: repo.path) == "text.org")
    // A moved program stays executable.
    try await device.remove("tool")
    try await device.write("#!/bin/sh\ntrue\n", to: "bin/tool")
    _ = try await device.sync()
    #expect(try git("ls-tree", "main", "bin/tool", in: repo.path).hasPrefix("100755"))
    try repo.expectSound()
  }

  @Test("a listing stops at the file limit if a repository repeats its trees")
  func bomb() throws {
    // Ten folders that hold ten folders that hold …: a tree of a kilobyte with 10^10 files.
    var trees: [ObjectID: GitTree] = [:]
    var entry = GitTree.Entry(mode: .file, name: [], id: ObjectID(bytes: Array(repeating: 0, count: 20)))
    for level in 1...10 {
      let tree = GitTree(
        entries: "abcdefghij".utf8.map { GitTree.Entry(mode: entry.mode, name: [$0], id: entry.id) })
      entry = GitTree.Entry(mode: .folder, name: [], id: ObjectID(bytes: Array(repeating: UInt8(level), count: 20)))
      trees[entry.id] = tree
    }
    let store = TreeWalk.Store(
      tree: { id throws(SyncError) in trees[id] ?? GitTree() }, file: { _ throws(SyncError) in [] })
    var walk = TreeWalk(store, since: Known(), atMost: 10_000)
    let failure = #expect(throws: SyncError.self) { try walk.run(entry.id) }
    #expect(failure?.code == .wrongReplica && failure?.message.contains("more than") == true)
  }

  @Test("folders that are nested too deep are reported, and everything else is synced")
  func depth() async throws {
    let repo = try TestServer.shared(.file).orThrow("no folder").repository()
    var id = try write(Array("x".utf8), "blob", repo)
    var mode = "100644"
    for _ in 0..<600 { (id, mode) = (try write(try entry(mode, [0x61], id), "tree", repo), "40000") }
    try commit(id, repo)
    let device = try TestDevice("one", on: repo)
    try await device.write("* sound\n", to: "sound.org")
    let report = try await device.sync()
    #expect(report.failure == nil && report.notices.contains { $0.contains("too deep") })
    #expect(try git("cat-file", "blob", "main:sound.org", in: repo.path) == "* sound\n")
  }

  @Test("a name that a tree lists twice is neither read nor rewritten")
  func duplicates() async throws {
    let repo = try TestServer.shared(.file).orThrow("no folder").repository()
    let (one, two) = (try write([1], "blob", repo), try write([2], "blob", repo))
    var bytes: [UInt8] = []
    for id in [one, two] { bytes += try entry("100644", Array("twin".utf8), id) }
    try commit(try write(bytes, "tree", repo), repo)
    let device = try TestDevice("one", on: repo)
    try await device.write("* new\n", to: "new.org")
    let report = try await device.sync()
    #expect(report.counts.failed == 1 && report.failure == nil)
    #expect(try git("ls-tree", "main", in: repo.path).split(separator: "\n").count == 2)
    #expect(try await device.texts() == ["new.org": "* new\n"])
  }
}
