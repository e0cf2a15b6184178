import HTTPStorage
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudWebDAV

@Suite("WebDAV locks", .serialized)
struct LockTests {
  /// A file on Apache behind a proxy. Files are replaced under a lock where moves overwrite; here they are said to.
  private struct LockedFile {
    let storage: WebDAVStorage
    let proxy: SpoilingProxy
    let path: SyncPath
    let revision: Revision

    init(_ server: TestServer) async throws {
      proxy = try await SpoilingProxy(to: server.url)
      let journal = TestJournal()
      var traits = try Traits(record: await server.probed()).orThrow("no traits")
      traits.movesWithoutOverwriting = false
      journal.write(["webdav.traits": traits.record])
      storage = try server.storage(at: proxy.url(server.folder().url), journal: journal, allowsUnsafeWrites: true)
      path = try SyncPath("a b.org").orThrow("")
      try await storage.createRoot()
      guard case .done(let entry?) = try await storage.write(Content([1, 2]), to: path, if: .absent) else {
        throw Unwritten()
      }
      revision = entry.revision
    }

    func replace() async throws -> WriteResult {
      try await storage.write(Content([3, 4, 5]), to: path, if: .unchanged(revision))
    }
  }

  private struct Unwritten: Error {}

  @Test("after a lost response, the write is detected as done and not sent again")
  func lostAnswer() async throws {
    guard let server = try await TestServer.own(.apache) else { return }
    defer { server.stop() }
    let file = try await LockedFile(server)
    try await file.proxy.spoil("lost", methods: ["PUT"], ending: "a%20b.org")
    guard case .done = try await file.replace() else {
      Issue.record("the write was not detected as done")
      return
    }
    #expect(try await file.proxy.count().seen == 1)
    #expect(try await file.storage.text(of: file.path) == [3, 4, 5])
  }

  @Test("a lock that expires too soon is not used for a write")
  func shortLock() async throws {
    guard let server = try await TestServer.own(.apache) else { return }
    defer { server.stop() }
    let file = try await LockedFile(server)
    try await file.proxy.spoil("short-lock", times: 1_000, methods: ["LOCK", "PUT"])
    let result = try await file.replace()
    guard case .failed(let error) = result else {
      Issue.record("a lock that may have ended led to \(result)")
      return
    }
    #expect(error.message.contains("lock"))
    #expect(try await file.storage.text(of: file.path) == [1, 2])
  }

  @Test("a lock is released even if the server fails for a moment")
  func stubbornUnlock() async throws {
    guard let server = try await TestServer.own(.apache) else { return }
    defer { server.stop() }
    let file = try await LockedFile(server)
    try await file.proxy.spoil("500", times: 2, methods: ["UNLOCK"])
    guard case .done = try await file.replace() else {
      Issue.record("the file was not replaced")
      return
    }
    guard case .there(let observation) = try await file.storage.server.lookUp(file.path, withLocks: true) else {
      Issue.record("the file is not there")
      return
    }
    #expect(observation.facts.locks.isEmpty)
  }

  @Test("a lock response that claims to have created the file does not delete an existing file")
  func falseCreation() async throws {
    guard let server = try await TestServer.own(.apache) else { return }
    defer { server.stop() }
    let file = try await LockedFile(server)
    try await file.proxy.spoil("late-201", times: 1_000, methods: ["LOCK"])
    guard case .done = try await file.replace() else {
      Issue.record("the file was not replaced")
      return
    }
    #expect(try await file.storage.text(of: file.path) == [3, 4, 5])
  }

  @Test("our own lock without a file is released when the name is read")
  func orphan() async throws {
    guard let server = try await TestServer.own(.apache) else { return }
    defer { server.stop() }
    let file = try await LockedFile(server)
    let (storage, path) = (file.storage, try SyncPath("gone.org").orThrow(""))
    let url = storage.server.address.file(path)
    let outcome = try await storage.server.lock(url, as: storage.lockOwner, seconds: 60)
    #expect(outcome.isGood)
    guard
      case .absent = try await storage.read(file: path, into: MemoryContents().intake(keepingAtMost: .max))
    else {
      Issue.record("the name is not absent")
      return
    }
    guard case .absent = try await storage.server.lookUp(path) else {
      Issue.record("the lock is still there")
      return
    }
  }
}
