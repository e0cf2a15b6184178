import SyncKit
import SyncKitTesting
import Synchronization
import Testing

@Suite("Object stores as storages")
struct ObjectFilesTests {
  private let a = SyncPath("a.org")!
  private let one = Content(Array("one\n".utf8))
  private let two = Content(Array("two\n".utf8))
  private let sink = MemoryContents().intake(keepingAtMost: .max)

  private func storage(_ store: MemoryObjects, seed: UInt64 = 1) -> FileServiceStorage<ObjectFiles<MemoryObjects>> {
    FileServiceStorage(ObjectFiles(store, .inMemory(seed: seed)))
  }

  @Test("an object store passes the storage checks", arguments: StorageCheck.all)
  func checks(check: StorageCheck) async throws {
    try await check.run(on: {
      let store = MemoryObjects(pageSize: 7)
      return (storage(store, seed: 1), storage(store, seed: 2))
    })
  }

  @Test("objects of all pages are listed", arguments: [0, 1, 3, 4, 6, 7])
  func pages(count: Int) async throws {
    let store = MemoryObjects()
    let storage = storage(store)
    for number in 0..<count { _ = try await storage.write(one, to: #require(SyncPath("\(number)")), if: .absent) }
    let before = store.calls("list")
    #expect(try await storage.list(since: Known()).count == count)
    #expect(store.calls("list") - before == max(1, (count + 2) / 3))
  }

  @Test("a listing that repeats its pages is an error")
  func circle() async throws {
    var store = MemoryObjects()
    store.nextPage = "0"
    let storage = storage(store)
    await #expect { try await storage.list(since: Known()) } throws: { ($0 as? SyncError)?.code == .unexpected }
  }

  @Test("a listing with endless empty pages is an error")
  func endless() async throws {
    let storage = FileServiceStorage(ObjectFiles(EndlessObjects(), .inMemory()))
    await #expect { try await storage.list(since: Known()) } throws: { ($0 as? SyncError)?.code == .unexpected }
  }

  @Test("objects whose names are not paths are ignored, and one without an ETag is an error")
  func names() async throws {
    var store = MemoryObjects()
    store.extra = ["../up", "/root", "a//b", "", "a/./b", "a\0b"].map {
      (name: Array($0.utf8), version: ObjectVersion(etag: "\"1\"", size: 1))
    }
    #expect(try await storage(store).list(since: Known()).count == 0)
    store.extra = [(name: a.bytes, version: ObjectVersion(etag: "", size: 1))]
    let storage = storage(store)
    await #expect { try await storage.list(since: Known()) } throws: { ($0 as? SyncError)?.code == .unexpected }
  }

  @Test("an object that is listed twice is one file")
  func twice() async throws {
    var store = MemoryObjects()
    store.extra = [1, 1].map { (name: a.bytes, version: ObjectVersion(etag: "\"\($0)\"", size: 1)) }
    #expect(try await storage(store).list(since: Known()).count == 1)
  }

  @Test("a write is done if its condition holds, and is otherwise refused with the current object")
  func conditions() async throws {
    let storage = storage(MemoryObjects())
    guard case .done(let entry?) = try await storage.write(one, to: a, if: .absent) else {
      throw CheckError("a creation was not done")
    }
    guard case .refused(let found) = try await storage.write(two, to: a, if: .absent) else {
      throw CheckError("a second creation was not refused")
    }
    #expect(found?.revision == entry.revision)
    guard case .done(let second?) = try await storage.write(two, to: a, if: .unchanged(entry.revision)) else {
      throw CheckError("a replacement was not done")
    }
    guard case .refused(let current) = try await storage.remove(a, if: .unchanged(entry.revision)) else {
      throw CheckError("a stale removal was not refused")
    }
    #expect(current?.revision == second.revision)
    guard case .done(nil) = try await storage.remove(a, if: .unchanged(second.revision)) else {
      throw CheckError("a removal was not done")
    }
    #expect(try await storage.list(since: Known()).count == 0)
  }

  @Test("nothing is written to a store that ignores conditions")
  func unconditional() async throws {
    var store = MemoryObjects()
    store.keepsConditions = false
    let storage = storage(store)
    #expect(try await storage.capabilities().replacement == .unsafe)
    await #expect {
      try await storage.write(one, to: a, if: .absent)
    } throws: { ($0 as? SyncError)?.code == .invalidSettings }
    #expect(store.bucket.state.withLock { $0.objects[a] == nil })
  }

  @Test("conditions are probed once, before the first change")
  func proof() async throws {
    let store = MemoryObjects()
    let storage = storage(store)
    #expect(try await storage.capabilities().replacement == .unsafe)
    for name in ["a", "b", "c"] { _ = try await storage.write(one, to: #require(SyncPath(name)), if: .absent) }
    #expect(try await storage.capabilities().replacement == .conditional)
    #expect(store.calls("put") == 4 + 3 && store.calls("delete") == 2)
  }

  @Test("an object that arrives incomplete is postponed")
  func short() async throws {
    var store = MemoryObjects()
    store.served = { Array($0.dropLast()) }
    let storage = storage(store)
    store.bucket.state.withLock { $0.objects[a] = ("\"1\"", Array("one\n".utf8)) }
    guard case .postponed = try await storage.read(file: a, into: sink) else {
      throw CheckError("half a file was read")
    }
  }

  @Test("a write without a response is looked up", arguments: [true, false])
  func lostAnswer(isMade: Bool) async throws {
    var store = MemoryObjects()
    store.lost = (SyncError(.unavailable, "the connection broke"), isMade)
    let result = try await storage(store).write(one, to: a, if: .absent)
    switch result {
    case .done(let entry?) where isMade: #expect(entry.digest == one.digest)
    case .unknown where !isMade: break
    default: Issue.record("a lost response returned \(result)")
    }
    #expect(store.bucket.state.withLock { $0.objects[a] != nil } == isMade)
  }

  @Test("a removal without a response is looked up", arguments: [true, false])
  func lostRemoval(isMade: Bool) async throws {
    var store = MemoryObjects()
    store.bucket.state.withLock { $0.objects[a] = ("\"1\"", Array("one\n".utf8)) }
    store.lost = (SyncError(.timedOut, "no answer"), isMade)
    let result = try await storage(store).remove(a, if: .unchanged(Revision("\"1\"")))
    switch result {
    case .done(nil) where isMade: break
    case .unknown where !isMade: break
    default: Issue.record("a lost response returned \(result)")
    }
  }

  @Test("a written object is read back if the store returns no ETag")
  func silentStore() async throws {
    var store = MemoryObjects()
    store.tellsVersions = false
    guard case .done(let entry?) = try await storage(store).write(one, to: a, if: .absent) else {
      throw CheckError("a creation was not done")
    }
    #expect(
      entry.digest == one.digest && store.bucket.state.withLock { $0.objects[a]?.etag } == entry.revision.description)
  }

  @Test("concurrent requests stay below the declared limit", arguments: [1, 4])
  func parallelism(limit: Int) async throws {
    var store = MemoryObjects()
    store.parallelism = limit
    let paths = try (0..<40).map { try #require(SyncPath("\($0)")) }
    let storage = storage(store)
    let results = try await storage.commit(paths.map { Change(path: $0, content: one, condition: .absent) })
    let read = try await storage.read(paths, into: sink)
    #expect(results.allSatisfy { if case .done = $0 { true } else { false } } && read.count == 40)
    #expect(store.bucket.state.withLock { $0.mostRunning } <= limit)
  }

  @Test("an error about one object fails only that object")
  func onePath() async throws {
    var store = MemoryObjects()
    store.lost = (SyncError(.pathFailed, "the name is reserved"), false)
    let results = try await storage(store).commit([
      Change(path: a, content: one, condition: .absent),
      Change(path: #require(SyncPath("b")), content: nil, condition: .absent),
    ])
    guard case .failed(let error) = results[0], case .done(nil) = results[1] else {
      throw CheckError("the results are \(results)")
    }
    #expect(error.code == .pathFailed)
  }
}

/// A store whose listing never ends.
private struct EndlessObjects: ObjectStore {
  let address = "endless:"

  func list(page token: String?) -> ObjectPage { ObjectPage([], next: "\((token.flatMap { Int($0) } ?? 0) + 1)") }

  func get(_ path: SyncPath, into intake: any ContentIntake) -> ObjectVersion? { nil }

  func put(_ content: Content, at path: SyncPath, if condition: Condition) -> ObjectChange { .refused }

  func delete(_ path: SyncPath, if etag: Revision) -> ObjectChange { .refused }
}

private struct CheckError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
