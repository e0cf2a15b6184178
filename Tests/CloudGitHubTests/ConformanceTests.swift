import Foundation
import GitHubEmulator
import GitObjects
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudGitHub

@Suite("A branch on GitHub or Forgejo")
struct ConformanceTests {
  @Test("a branch passes the storage checks", arguments: StorageCheck.all, Emulator.Kind.allCases)
  func storage(check: StorageCheck, kind: Emulator.Kind) async throws {
    let github = try await TestGitHub.shared(kind)
    try await check.run(
      on: {
        let repository = try await github.repository()
        return (try await github.storage(repository), try await github.storage(repository))
      },
      unreachable: { try await github.storage("owner/notes", by: "http://127.0.0.1:1") }, secrets: [TestGitHub.token])
  }

  @Test("a branch passes the replica checks", arguments: ReplicaCheck.all, Emulator.Kind.allCases)
  func replica(check: ReplicaCheck, kind: Emulator.Kind) async throws {
    let github = try await TestGitHub.shared(kind)
    try await check.run(on: {
      let repository = try await github.repository()
      return (
        try await Self.replica("one", at: repository, of: github),
        try await Self.replica("other", at: repository, of: github)
      )
    })
  }

  private static func replica(
    _ device: String, at repository: String, of github: TestGitHub
  ) async throws -> any Replica {
    let journal = TestJournal()
    let storage = try await github.storage(repository, journal: journal)
    return StorageReplica(
      storage,
      RemoteParts(
        name: "test", storage: storage, device: Device(id: device, name: "test"), runtime: .hurried,
        contents: MemoryContents(), journal: journal))
  }
}

@Suite("GitHub's formats")
struct WireTests {
  @Test(
    "objects have the ids that git gives them",
    arguments: [
      ([UInt8](), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"),
      (Array("test content\n".utf8), "d670460b4b4aece5915caf5c68d12f560a9fe3e4"),
    ])
  func ids(bytes: [UInt8], id: String) { #expect(ObjectID(of: "blob", bytes).description == id) }

  @Test("the empty tree has its id")
  func emptyTree() { #expect(GitTree().id.description == "4b825dc642cb6eb9a060e54bf8d69288fbee4904") }

  @Test(
    "a repository or an address of another form is refused",
    arguments: ["", "notes", "a/b/c", "/notes", "ann/", "ann/..", "ann/no tes", "https://github.com/ann/notes"])
  func places(repository: String) {
    var settings = GitHub.Settings()
    settings.repository = repository
    #expect(Place(settings) == nil)
    #expect(!settings.contradictions.isEmpty)
  }

  @Test("messages name the host as people know it")
  func hosts() throws {
    var settings = GitHub.Settings()
    settings.repository = "ann/notes"
    #expect(Place(settings)?.address == "github.com/ann/notes")
    settings.apiUrl = URLText("https://git.example.org/api/v3/")
    settings.branch = "org"
    #expect(Place(settings)?.address == "git.example.org/ann/notes#org")
    #expect(Place(settings)?.api == "https://git.example.org/api/v3")
  }

  @Test(
    "kind = forgejo requires the address of a server, with the folder of its API",
    arguments: [nil, "https://code.example.org", "https://code.example.org/api/v3", "https://code.example.org/api/v1/"])
  func forgejo(url: String?) {
    var settings = GitHub.Settings()
    settings.repository = "ann/notes"
    settings.kind = .forgejo
    settings.apiUrl = url.flatMap { URLText($0) }
    let isValid = url?.hasSuffix("/api/v1/") == true
    #expect((Place(settings)?.address == "code.example.org/ann/notes") == isValid)
    #expect(settings.contradictions.isEmpty == isValid)
    settings.clientId = "app"
    #expect(settings.contradictions.last?.contains("client-id") == true)
  }

  @Test("only text that JSON carries unaltered is sent with the tree")
  func inline() {
    #expect(TreeUpload.inline(Array("ä\n".utf8)) == "ä\n")
    #expect(TreeUpload.inline([0xFF]) == nil)
    #expect(TreeUpload.inline([0x61, 0]) == nil)
    #expect(TreeUpload.inline(Array(repeating: 0x61, count: 600_000)) == nil)
  }
}
