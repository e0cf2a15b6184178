import SyncKit
import SyncKitTesting
import Testing

@Suite("A faulty storage")
struct FaultyStorageTests {
  private let memory = MemoryStorage()
  private let a = SyncPath("a.org")!
  private let b = SyncPath("b.org")!
  private let one = Content(Array("one\n".utf8))
  private let sink = MemoryContents().intake(keepingAtMost: .max)

  @Test("a faulty storage without faults passes the storage checks", arguments: StorageCheck.all)
  func healthy(check: StorageCheck) async throws {
    try await check.run(on: {
      let memory = MemoryStorage()
      return (FaultyStorage(memory), FaultyStorage(memory))
    })
  }

  @Test("an unreachable storage does nothing")
  func unreachable() async throws {
    let storage = FaultyStorage(memory, plan: .every(.unreachable))
    await #expect(throws: SyncError.self) { try await storage.write(one, to: a, if: .absent) }
    #expect(await memory.contents.isEmpty)
  }

  @Test("a write whose reply is lost is done")
  func lostReply() async throws {
    let storage = FaultyStorage(memory, plan: .every(.losesReply))
    guard case .unknown = try await storage.write(one, to: a, if: .absent) else {
      Issue.record("the reply was not lost")
      return
    }
    #expect(await memory.contents[a]?.digest == one.digest)
    await #expect(throws: SyncError.self) { try await storage.list(since: Known()) }
  }

  @Test("pretended, refused and failed writes change nothing", arguments: [Fault.pretends, .refuses, .failsPath])
  func noEffect(fault: Fault) async throws {
    let storage = FaultyStorage(memory, plan: .every(fault))
    _ = try await storage.write(one, to: a, if: .absent)
    #expect(await memory.contents.isEmpty)
  }

  @Test("contents are altered and conditions ignored")
  func dishonest() async throws {
    await memory.put(one, at: a)
    await memory.put(one, at: b)
    let storage = FaultyStorage(memory, plan: .nth(1, .altersContent))
    _ = try await storage.write(Content([]), to: SyncPath("c.org")!, if: .absent)
    #expect(await memory.contents[SyncPath("c.org")!]?.size != 0)
    await storage.follow(.every(.ignoresCondition))
    _ = try await storage.remove(a, if: .unchanged(Revision("stale")))
    #expect(await memory.contents[a] == nil)
  }

  @Test("listings are truncated, and entries dropped, altered and repeated")
  func listings() async throws {
    for path in [a, b] { await memory.put(one, at: path) }
    let storage = FaultyStorage(memory, plan: .nth(2, .listsStale))
    #expect(try await storage.list(since: Known()).count == 2)
    await memory.take(b)
    #expect(try await storage.list(since: Known()).count == 2)
    #expect(try await storage.list(since: Known()).count == 1)
    await memory.put(one, at: b)
    await storage.follow(.nth(1, .cutsListing))
    #expect(try await storage.list(since: Known()).isComplete == false)
    await storage.follow(.nth(1, .dropsFromListing))
    let dropped = try await storage.list(since: Known())
    #expect(dropped.isComplete && dropped.count == 1)
    await storage.follow(.nth(1, .altersNames))
    #expect(try await storage.list(since: Known()).entries.map(\.path.description) == ["A.ORG", "B.ORG"])
  }

  @Test("the faults are the same for the same seed")
  func seeds() {
    func faults(_ seed: UInt64) -> [Fault?] { (1...100).map(FaultPlan.random(seed: seed, share: 0.3).fault) }
    #expect(faults(1) == faults(1))
    #expect(faults(1) != faults(2))
    #expect((15...45).contains(faults(1).count { $0 != nil }))
  }
}
