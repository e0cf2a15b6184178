import BoxEmulator
import Foundation
import HTTPStorage
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudBox

@Suite("A folder in Box")
struct ConformanceTests {
  @Test("a folder in Box passes the storage checks", arguments: StorageCheck.all)
  func storage(check: StorageCheck) async throws {
    let box = try await TestBox.shared.value
    try await check.run(
      on: {
        let path = "/\(UUID().uuidString)"
        return (try await box.storage(path), try await box.storage(path))
      },
      unreachable: { try await box.storage(by: "http://127.0.0.1:1") }, secrets: ["test-secret", "access-"])
  }

  @Test("a folder in Box passes the replica checks", arguments: ReplicaCheck.all)
  func replica(check: ReplicaCheck) async throws {
    let box = try await TestBox.shared.value
    try await check.run(on: {
      let path = "/\(UUID().uuidString)"
      return (try await Self.replica("one", at: path, of: box), try await Self.replica("other", at: path, of: box))
    })
  }

  private static func replica(_ device: String, at path: String, of box: TestBox) async throws -> any Replica {
    let journal = TestJournal()
    let storage = try await box.storage(path, journal: journal)
    return StorageReplica(
      storage,
      RemoteParts(
        name: "test", storage: storage, device: Device(id: device, name: "test"), runtime: .hurried,
        contents: MemoryContents(), journal: journal))
  }
}

@Suite("Box's formats")
struct WireTests {
  private func answer(_ text: String, status: Int = 200) -> Answer {
    Answer(status: status, headers: [], body: Array(text.utf8))
  }

  @Test(
    "a position keeps all of its digits, as a number and as a text",
    arguments: ["9007199254740993", "18446744073709551615", "\"9007199254740993000\""])
  func positions(text: String) throws {
    let page = try #require(
      answer(#"{"entries": [], "next_stream_position": \#(text)}"#).value(EventPage.self))
    #expect(page.nextStreamPosition.text == text.filter { $0 != "\"" })
  }

  @Test(
    "an item that no listing can have is refused",
    arguments: [
      #""id": "x", "name": "a.org""#, #""id": 5, "name": "a.org""#, #""id": "5", "name": "..""#,
      #""id": "5", "name": "a.org", "parent": {"id": "x"}"#, #""id": "5", "name": "a/b""#, #""id": "5", "name": """#,
      #""id": "5""#,
    ])
  func items(members: String) {
    let hash = String(repeating: "0", count: 40)
    let file = #"{"type": "file", "etag": "0", "sha1": "\#(hash)", "size": 1, "file_version": {"id": "1"}, "#
    #expect(answer(file + members + "}").value(Item.self) == nil)
    #expect(answer(file + #""id": "5", "name": "a.org"}"#).value(Item.self) != nil)
  }

  @Test("a conflict is read as an object and as an array")
  func conflicts() {
    let conflict = #"{"type": "file", "id": "5", "name": "a.org", "sha1": "ab"}"#
    for form in [conflict, "[\(conflict)]"] {
      let text = #"{"type": "error", "code": "item_name_in_use", "context_info": {"conflicts": \#(form)}}"#
      #expect(answer(text, status: 409).refusal?.conflict?.id == "5")
    }
    #expect(answer("<html>", status: 409).refusal == nil)
  }

  @Test(
    "a folder that is neither absolute and normalized nor an id is refused",
    arguments: ["/../x", "x", "//", "/a//b", "id:", "id:x", "id:-1"])
  func folders(text: String) { #expect(BoxFolder(text) == nil) }

  @Test("folders are named by path or id")
  func addresses() {
    #expect(BoxFolder("")?.address == "box:/")
    #expect(BoxFolder("/Notes/")?.address == "box:/Notes")
    #expect(BoxFolder("id:12345")?.address == "box:id:12345")
  }

  @Test("a name that Box refuses is declined with the reason", arguments: ["a ", "a\\b", "a\tb", "x /a.org"])
  func names(name: String) throws { #expect(BoxFolder.violation(by: try syncPath(name)) != nil) }

  @Test("a token goes to no other host, and requests without one only where they are protected")
  func hosts() throws {
    var settings = Box.Settings()
    let real = try #require(Hosts(settings))
    #expect(real.mayName("https://dl.boxcloud.com/d/1") && !real.mayName("http://dl.boxcloud.com/d/1"))
    #expect(real.session("1", "https://upload.box.com/api/2.0/x") == "https://upload.box.com/api/2.0/x")
    for foreign in ["https://evil.example.org/api", "https://upload.box.com.evil.example.org/api"] {
      let url = real.session("1/..", foreign, "/commit")
      #expect(url == "https://upload.box.com/api/2.0/files/upload_sessions/1%2F../commit")
    }
    settings.apiUrl = URLText("http://127.0.0.1:4711/")
    let test = try #require(Hosts(settings))
    #expect(test.mayName("http://127.0.0.1:4711/dl/1") && !test.mayName("http://127.0.0.1:4712/dl/1"))
    #expect(test.upload == "http://127.0.0.1:4711/api")
  }

  @Test("a revision has the etag and the hash, and one from elsewhere has none")
  func revisions() {
    let version = Item.Version(etag: "3", sha1: String(repeating: "a", count: 40), size: 1, id: "9")
    #expect(version.revision.boxVersion?.etag == "3")
    #expect(version.revision.boxVersion?.sha1 == version.sha1)
    #expect(Revision("3 short").boxVersion == nil)
    #expect(Revision("").boxVersion == nil)
  }

  @Test("events name folders to list, and everything is listed if they cannot")
  func hints() throws {
    let item = #"{"type": "folder", "id": "7", "name": "d"}"#
    var tree = RemoteTree(root: "1")
    _ = tree.apply([try #require(answer(item).value(Item.self))], in: "1")
    func hints(_ type: String, _ source: String) throws -> EventHints {
      let event = try #require(answer(#"{"event_type": "\#(type)", "source": \#(source)}"#).value(Event.self))
      var hints = EventHints()
      hints.add(event, to: tree, chain: ["0", "1"])
      return hints
    }
    let file = #"{"type": "file", "id": "9", "parent": {"id": "7"}}"#
    #expect(try hints("ITEM_UPLOAD", file).folders == ["7"])
    #expect(try hints("SOMETHING_NEW", file).folders == ["7"])
    #expect(try hints("ITEM_DOWNLOAD", file).folders.isEmpty)
    #expect(try hints("ITEM_UPLOAD", #"{"type": "file", "id": "9", "parent": {"id": "99"}}"#).folders.isEmpty)
    let moved = try hints("ITEM_MOVE", #"{"type": "folder", "id": "7", "parent": {"id": "99"}}"#)
    #expect(moved.folders == ["1"] && moved.wholeFolders == ["7"])
    #expect(try hints("ITEM_UPLOAD", "null").isUnclear)
    #expect(try hints("COLLAB_ADD_COLLABORATOR", file).isUnclear)
    #expect(try hints("ITEM_MOVE", #"{"type": "folder", "id": "1"}"#).isUnclear)
  }
}
