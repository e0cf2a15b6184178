import CurlHTTP
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

  @Test("if the server rejects every lock, nothing is written, and the message says how to repair its lock database")
  func damagedLockDatabase() async throws {
    guard let server = try await TestServer.own(.apache) else { return }
    defer { server.stop() }
    let file = try await LockedFile(server)
    try await file.proxy.spoil("500", times: 1_000, methods: ["LOCK"])
    var message = ""
    do {
      if case .failed(let error) = try await file.replace() { message = error.message }
    } catch let error as SyncError {
      message = error.message
    }
    #expect(message.contains("HTTP 500 to LOCK of a b.org") && message.contains("`DavLockDB`"), "\(message)")
    #expect(try await file.storage.text(of: file.path) == [1, 2])
  }

  @Test("locks that many clients acquire and release at once exclude others")
  func manyLocks() async throws {
    guard let server = try await TestServer.own(.apache) else { return }
    defer { server.stop() }
    let (url, storage) = try (server.folder().url, server.storage(at: server.url))
    let faults = try await withThrowingTaskGroup(of: Int.self) { group in
      for client in 1...8 {
        group.addTask {
          var faults = 0
          for round in 1...20 {
            let file = url + "\(client)-\(round).org"
            let isNew = try await storage.server.put(HTTPBytes([1]), at: file, if: .absent).isGood
            let answer = try await storage.server.lock(file, as: "client \(client)", seconds: 60)
            let isExcluded = try await storage.server.put(HTTPBytes([2]), at: file).status == 423
            guard case .answered(let answer) = answer, let token = Server.token(in: answer) else { return faults + 1 }
            let isReleased = try await storage.server.unlock(file, token).isGood
            if !(isNew && isExcluded && isReleased) { faults += 1 }
          }
          return faults
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(faults == 0)
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
