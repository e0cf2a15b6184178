import DropboxEmulator
import Foundation
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudDropbox

@Suite("A Dropbox folder")
struct ConformanceTests {
  @Test("a Dropbox folder passes the storage checks", arguments: StorageCheck.all)
  func storage(check: StorageCheck) async throws {
    let dropbox = try await TestDropbox.shared.value
    try await check.run(
      on: {
        let path = "/\(UUID().uuidString)"
        return (try await dropbox.storage(path), try await dropbox.storage(path))
      },
      unreachable: { try await dropbox.storage(by: "http://127.0.0.1:1") }, secrets: ["test-refresh", "sl."])
  }

  @Test("a Dropbox folder passes the replica checks", arguments: ReplicaCheck.all)
  func replica(check: ReplicaCheck) async throws {
    let dropbox = try await TestDropbox.shared.value
    try await check.run(on: {
      let path = "/\(UUID().uuidString)"
      return (
        try await Self.replica("one", at: path, of: dropbox), try await Self.replica("other", at: path, of: dropbox)
      )
    })
  }

  private static func replica(
    _ device: String, at path: String, of dropbox: TestDropbox
  ) async throws -> any Replica {
    let journal = TestJournal()
    let storage = try await dropbox.storage(path, journal: journal)
    return StorageReplica(
      storage,
      RemoteParts(
        name: "test", storage: storage, device: Device(id: device, name: "test"), runtime: .hurried,
        contents: MemoryContents(), journal: journal))
  }
}

@Suite("Dropbox's formats")
struct WireTests {
  @Test(
    "the content hash matches the documented one",
    arguments: [
      ([UInt8](), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      (Array("a".utf8), "bf5d3affb73efd2ec6c36ad3112dd933efed63c4e1cbffcfa88e2759c144f2d8"),
      (Array("* TODO one\n".utf8), "6fcb3435215694b30ae9b201ec7632cf970c1b464193fcdbc098c36eb26fe210"),
      ([UInt8](repeating: 0, count: 4 << 20), "c7e946d101855255d919ef0c70718633adf77d3dfb3adeeecf5d0cb4e951be58"),
      (
        [UInt8](repeating: 0, count: (4 << 20) + 1), "14a4d47f23a30177885d9820122f17d2d3a55fe63f7f5c27b95f689e0b2accd6"
      ),
      ([UInt8](repeating: 0x78, count: 10_000_000), "fdf46a9024d34e423b45b32e759ae11084343310fb202287f994ea0fb3193291"),
    ])
  func contentHash(bytes: [UInt8], hash: String) {
    #expect(ContentHasher.hash(of: bytes) == hash)
    var hasher = ContentHasher()
    for start in stride(from: 0, to: bytes.count, by: 1_000_003) {
      hasher.update(Array(bytes[start..<min(start + 1_000_003, bytes.count)]))
    }
    #expect(hasher.finish() == hash)
  }

  @Test("an argument in a header is ASCII")
  func headerText() {
    let argument: JSON = ["path": "/\u{FC}\u{1F600}\u{7F}.org"]
    #expect(argument.headerText == #"{"path": "/\u00fc\ud83d\ude00\u007f.org"}"#)
  }

  @Test(
    "the tags of an error summary are parsed, with any number of trailing dots",
    arguments: ["path/conflict/file/", "path/conflict/file/...", "path/conflict/file/."])
  func refusal(summary: String) {
    #expect(Refusal(summary: summary).tags == ["path", "conflict", "file"])
  }

  @Test(
    "a name that Dropbox would refuse or alter is declined with the reason",
    arguments: ["a.", "a ", "x/.DS_Store", "desktop.ini", "Icon\r", "a\\b", "e\u{301}.org", "\u{212B}", "dir./a.org"])
  func names(name: String) throws { #expect(DropboxFolder.violation(by: try syncPath(name)) != nil) }

  @Test(
    "a folder path that is not absolute and normalized is refused", arguments: ["/../x", "x", "//", "/a//b", "/a/./b"])
  func places(path: String) { #expect(DropboxFolder(path) == nil) }
}
