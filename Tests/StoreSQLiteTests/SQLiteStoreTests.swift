import Foundation
import GRDB
import ProgramTesting
import SyncKit
import SyncKitTesting
import Synchronization
import Testing

@testable import StoreSQLite

@Suite("A store in one file")
struct SQLiteStoreTests {
  let box = StoreBox()

  private func error(_ body: () async throws -> Void) async -> SyncError? {
    do { try await body() } catch { return error as? SyncError }
    return nil
  }

  @Test("a missing or empty file is an error that names the file, and a claim creates it")
  func claim() async throws {
    for isEmpty in [false, true] {
      let box = StoreBox()
      if isEmpty { try Data().write(to: URL(filePath: box.path)) }
      let store = try await box.open()
      try await store.recover()
      let failure = await error { _ = try await store.list(since: Known()) }
      #expect(failure?.code == .notFound && failure?.message.contains("the file \(box.path) does not exist") == true)
      #expect(failure?.message.contains("folder") == false)
      let identity = try await store.claim()
      #expect(identity.address == box.path && identity.id?.isEmpty == false)
      #expect(try await store.list(since: Known()).root == identity)
    }
  }

  @Test("a file in a missing folder is not created: its disk may not be mounted")
  func missingFolder() async throws {
    let path = box.scratch.path + "/disk/org.sqlite"
    let store = try await SQLiteStore(path: path).open(.inMemory(name: "store"))
    let failure = await error { _ = try await store.claim() }
    #expect(failure?.code == .unavailable && failure?.message.contains("Mount its disk") == true)
    #expect(!FileManager.default.fileExists(atPath: box.scratch.path + "/disk"))
  }

  @Test("another database, another file and a newer format are refused and stay unchanged")
  func foreign() async throws {
    _ = try await box.made(["a.org": "* A\n"])
    for (spoiling, code) in [
      ("PRAGMA application_id = 7", SyncError.Code.wrongReplica), ("PRAGMA user_version = 2", .otherVersion),
    ] {
      let box = StoreBox()
      _ = try await box.made(["a.org": "* A\n"])
      try box.execute(spoiling)
      let before = try Data(contentsOf: URL(filePath: box.path))
      let store = try await box.open()
      #expect(await error { _ = try await store.list(since: Known()) }?.code == code)
      #expect(await error { try await store.recover() }?.code == code)
      #expect(await error { _ = try await store.claim() }?.code == code)
      #expect(try Data(contentsOf: URL(filePath: box.path)) == before)
    }
    let other = StoreBox()
    try Data("* An Org file, not a store\n".utf8).write(to: URL(filePath: other.path))
    let store = try await other.open()
    #expect(await error { _ = try await store.claim() }?.code == .wrongReplica)
    #expect(try Data(contentsOf: URL(filePath: other.path)) == Data("* An Org file, not a store\n".utf8))
  }

  @Test("a file of several parts is written and read whole, and replaced without a rest")
  func large() async throws {
    let store = try await box.made([:])
    let size = 3 * PartTable.size + 17
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    let path = try SyncPath(named: "photo.jpg")
    guard case .done(let entry?) = try await store.write(Content(bytes), to: path, if: .absent) else {
      Issue.record("the file was not written")
      return
    }
    let sink = MemorySink(limit: .max)
    guard case .read(let read) = try await store.read(file: path, into: sink) else {
      Issue.record("the file was not read")
      return
    }
    #expect(sink.bytes == bytes && read.size == size && read.revision == entry.revision)
    guard case .done = try await store.write(Content([1]), to: path, if: .unchanged(entry.revision)) else {
      Issue.record("the file was not replaced")
      return
    }
    let parts = try await StoreDatabase(at: box.path).turn(.reading) { db in
      try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM part")
    }
    #expect(parts == 1)
  }

  @Test("the time of a file is kept to the nanosecond, and a move keeps it")
  func times() async throws {
    let store = try await box.made([:])
    for nanoseconds in [0, -1, 1_700_000_000_123_456_789, Int64.max] {
      try await store.put("x", "a.org", modified: Timestamp(nanoseconds: nanoseconds))
      let entry = try await store.list(since: Known()).entries.first
      #expect(entry?.modified?.nanoseconds == nanoseconds)
    }
  }

  @Test("a listing and a read leave neither a change nor another file")
  func traces() async throws {
    _ = try await box.made(["a.org": "* A\n"])
    try box.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    let before = box.scratch.files
    #expect(before.keys.sorted() == ["org.sqlite"])
    do {
      let store = try await box.open()
      #expect(try await store.names == ["a.org"])
      #expect(try await store.text("a.org") == "* A\n")
    }
    #expect(box.scratch.files == before)
  }

  @Test("releasing a store closes its connection at once, even under load")
  func closing() async throws {
    _ = try await box.made(["a.org": "* A\n"])
    let isDone = Mutex(false)
    defer { isDone.withLock { $0 = true } }
    for _ in 0..<8 { Thread.detachNewThread { while !isDone.withLock({ $0 }) {} } }
    for _ in 0..<300 {
      _ = try await StoreDatabase(at: box.path).turn(.reading) { db in try Int.fetchOne(db, sql: "SELECT 1") }
      #expect(box.scratch.files.keys.sorted() == ["org.sqlite"])
    }
  }

  @Test("a store that another one replaces during a pass is not written to")
  func replacedFile() async throws {
    let store = try await box.made(["a.org": "* A\n"])
    _ = try await store.list(since: Known())
    let other = StoreBox()
    _ = try await other.made(["b.org": "* B\n"])
    try other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for ending in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: box.path + ending) {
      try FileManager.default.removeItem(atPath: box.path + ending)
    }
    try FileManager.default.copyItem(atPath: other.path, toPath: box.path)
    let failures = [
      await error { _ = try await store.write(Content([1]), to: SyncPath(named: "c.org"), if: .absent) },
      await error { _ = try await store.confirm(file: SyncPath(named: "a.org")) },
      await error { _ = try await store.text("a.org") },
    ]
    #expect(failures.map(\.?.code) == [.wrongReplica, .wrongReplica, .wrongReplica])
    #expect(try await store.names == ["b.org"])
  }

  @Test("a store that is older than its last listing tells so, and another one does not")
  func goingBackwards() async throws {
    let store = try await box.made(["a.org": "* A\n"])
    try box.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    let backup = try Data(contentsOf: URL(filePath: box.path))
    try await store.put("* A\nmore\n", "a.org")
    let seen = try await store.list(since: Known())
    let known = Known(Base(), on: .local, cursor: seen.cursor)
    #expect(try await !store.list(since: known).wentBackwards)
    for ending in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: box.path + ending) }
    try backup.write(to: URL(filePath: box.path))
    let restored = try await box.open()
    #expect(try await restored.list(since: known).wentBackwards)
    #expect(try await !restored.list(since: Known()).wentBackwards)
    let other = StoreBox()
    #expect(try await !other.made(["a.org": "* A\n"]).list(since: known).wentBackwards)
  }

  @Test("the revision of a file differs from that of another content under the same number")
  func revisions() async throws {
    let other = StoreBox()
    let stores = [try await box.made(["a.org": "one\n"]), try await other.made(["a.org": "two\n"])]
    var revisions: Set<Revision> = []
    for store in stores {
      guard case .present(let entry) = try await store.confirm(file: SyncPath(named: "a.org")) else { continue }
      revisions.insert(entry.revision)
    }
    #expect(revisions.count == 2)
  }

  @Test("the leftovers of an interrupted large write are removed by the next recovery, and nothing else is")
  func leftovers() async throws {
    let store = try await box.made(["a.org": "* A\n"])
    _ = try await StagedContent(
      Content([UInt8](repeating: 7, count: 2 * PartTable.size)), at: SyncPath(named: "b"),
      in: StoreDatabase(at: box.path))
    func counts() async throws -> [Int] {
      try await StoreDatabase(at: box.path).turn(.reading) { db in
        try ["part", "staged"].map { try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM \($0)") ?? 0 }
      }
    }
    #expect(try await counts() == [3, 1])
    try await store.recover()
    #expect(try await counts() == [1, 0])
    #expect(try await store.text("a.org") == "* A\n")
  }

  @Test("proof of a write stays until no pass waits for it, and survives a later write of another program")
  func evidence() async throws {
    let store = try await box.made(["a.org": "ours\n"])
    let path = try SyncPath(named: "a.org")
    let digest = Digest(of: Array("ours\n".utf8))
    try await store.put("theirs\n", "a.org")
    let awaiting = Known(Base(), on: .local, awaited: [path: digest], pending: [path])
    for _ in 0..<2 {
      try await store.recover()
      #expect(try await store.list(since: awaiting).written == [path])
    }
    let wrong = Known(Base(), on: .local, awaited: [path: Digest(of: [])], pending: [path])
    #expect(try await store.list(since: wrong).written.isEmpty)
    try await store.recover()
    _ = try await store.list(since: Known())
    #expect(try await store.list(since: awaiting).written.isEmpty)
  }
}
