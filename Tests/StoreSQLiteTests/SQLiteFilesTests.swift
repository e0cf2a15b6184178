import Foundation
import SyncKit
import SyncKitTesting
import Testing

@testable import StoreSQLite

@Suite("What commands about entries read of a store in one file")
struct SQLiteFilesTests {
  let box = StoreBox()

  private func files() -> any LocalFiles { SQLiteStore(path: box.path).files()! }

  @Test("the list has the Org files, without hidden ones and those in folders with a dot")
  func list() async throws {
    _ = try await box.made([
      "a.org": "a", "folder/b.org": "b", ".hidden.org": "x", ".git/c.org": "x", "v1.2/d.org": "x", "photo.jpg": "x",
      "folder/deeper/e.org": "e", "org": "x",
    ])
    let listing = try files().list()
    #expect(listing.stamps.keys.sorted() == ["a.org", "folder/b.org", "folder/deeper/e.org"])
    #expect(listing.areFilesCovered && listing.folders.keys.sorted() == [""])
    #expect(listing.stamps["a.org"]?.size == 1)
    #expect(try files().read("folder/b.org")?.bytes == Array("b".utf8))
    #expect(try files().read("none.org") == nil && files().read("../a.org") == nil)
    let path = try SyncPath(named: "a.org")
    #expect(files().root == box.path && files().editorLock(on: path) == nil)
  }

  @Test("each change gives the store and the changed file other stamps, and the other files keep theirs")
  func stamps() async throws {
    let store = try await box.made(["a.org": "one", "b.org": "two"])
    let files = files()
    func whole() -> FileStamp? { files.look { $0("") } ?? nil }
    let before = try files.list()
    #expect(whole() == before.folders[""])
    // Another text of the same length and time.
    let modified = Timestamp(nanoseconds: before.stamps["a.org"]!.modified)
    try await store.put("eno", "a.org", modified: modified)
    let after = try files.list()
    #expect(after.stamps["a.org"] != before.stamps["a.org"] && after.stamps["b.org"] == before.stamps["b.org"])
    #expect(after.stamps["a.org"]?.modified == modified.nanoseconds && whole() != before.folders[""])
    guard case .present(let entry) = try await store.confirm(file: SyncPath(named: "b.org")) else { return }
    _ = try await store.remove(entry.path, if: .unchanged(entry.revision))
    let last = try files.list().folders[""]
    #expect(whole() != after.folders[""] && whole() == last)
    #expect(SQLiteStore(path: box.path + "-none").files()!.look { _ in 1 } == nil)
    let other = StoreBox()
    _ = try await other.made([:])
    let another = try SQLiteStore(path: other.path).files()!.list().folders[""]
    try box.execute("UPDATE meta SET value = 0 WHERE name = 'counter'")
    #expect(whole() != another)
  }

  @Test("text is appended after the last byte while others append, too")
  func appending() async throws {
    let store = try await box.made(["a.org": "no line break"])
    let path = try SyncPath(named: "a.org")
    await withTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask {
          for number in 0..<25 {
            do throws(SyncError) {
              try SQLiteStore(path: box.path).files()!.append(
                { present in Array(((present.last == UInt8(ascii: "\n") ? "" : "\n") + "\(writer) \(number)\n").utf8) },
                to: path)
            } catch { Issue.record("\(error)") }
          }
        }
      }
    }
    let lines = (try await store.text("a.org") ?? "").split(separator: "\n")
    #expect(lines.count == 101 && lines[0] == "no line break")
    #expect(Set(lines.dropFirst()) == Set((0..<4).flatMap { writer in (0..<25).map { "\(writer) \($0)" } }))
    try files().append({ $0.isEmpty ? Array("new\n".utf8) : [] }, to: try SyncPath(named: "new/b.org"))
    #expect(try await store.text("new/b.org") == "new\n")
    #expect(throws: SyncError.self) { try files().append({ _ in [1] }, to: try SyncPath(named: "a.org/c.org")) }
  }

  @Test("damaged content is neither read nor extended")
  func damage() async throws {
    _ = try await box.made(["a.org": "* A\n"])
    try box.execute("UPDATE part SET bytes = CAST('* X' AS BLOB)")
    #expect(throws: SyncError.self) { try files().read("a.org") }
    #expect(throws: SyncError.self) { try files().append({ _ in [1] }, to: try SyncPath(named: "a.org")) }
  }

  @Test("a change of another process is noticed, and one before the notice was requested is not")
  func notices() async throws {
    var parts = RemoteParts.inMemory(name: "store")
    parts.runtime.sleep = { _ in try await Task.sleep(for: .milliseconds(5)) }
    let store = try await box.made(["a.org": "* A\n"])
    let watched = try await SQLiteStore(path: box.path).open(parts)
    var notices = watched.changes().makeAsyncIterator()
    for number in 0..<3 {
      try await store.put("* \(number)\n", "a.org")
      #expect(await notices.next() != nil)
    }
    // A transaction that changes no file is not a change.
    try box.execute("UPDATE meta SET value = 'x' WHERE name = 'checked'")
    let quiet = Task { [stream = watched.changes()] in
      var iterator = stream.makeAsyncIterator()
      return await iterator.next() != nil
    }
    for _ in 0..<20 { try await Task.sleep(for: .milliseconds(5)) }
    quiet.cancel()
    #expect(await !quiet.value)
  }
}
