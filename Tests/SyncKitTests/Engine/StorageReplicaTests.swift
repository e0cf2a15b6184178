import SyncKitTesting
import Synchronization
import Testing

@testable import SyncKit

@Suite("A storage as a replica")
struct StorageReplicaTests {
  @Test("a marker is written once and identifies the replica")
  func marksOnce() async throws {
    let storage = MemoryStorage(hasRoot: false)
    let (one, two) = (replica(of: storage, device: "one"), replica(of: storage, device: "two"))
    #expect(try await one.snapshot(since: Known()).root.id == nil)
    let root = try await one.claim()
    #expect(root.id?.count == 26)
    #expect(try await one.claim() == root)
    #expect(try await two.claim() == root)
    #expect(try await two.snapshot(since: Known()).root == root)
    #expect(await storage.contents.keys.map(\.description) == [ReservedName.marker])
    #expect(try await one.snapshot(since: Known()).count == 0)
  }

  @Test("two devices that race to write the marker agree on one")
  func race() async throws {
    let storage = MemoryStorage()
    let claims = try await withThrowingTaskGroup(of: RootIdentity.self) { group in
      for number in 0..<8 {
        group.addTask { try await replica(of: storage, device: "device\(number)").claim() }
      }
      return try await group.reduce(into: Set<RootIdentity>()) { $0.insert($1) }
    }
    #expect(claims.count == 1)
  }

  @Test("another device's marker is used if writing the own one is refused or uncertain")
  func slower() async throws {
    for result in [WriteResult.refused(nil), .unknown(SyncError(.unavailable, "the line broke"))] {
      let storage = MemoryStorage()
      let racing = Hooked(storage: storage) { path, _ in
        await storage.put(Content(RootMarker(id: "theirs").bytes), at: path)
        return result
      }
      #expect(try await replica(of: racing).claim().id == "theirs")
    }
  }

  @Test("a foreign file in the marker's place is refused", arguments: ["", "hello\n", "\0\0"])
  func foreign(text: String) async throws {
    let storage = MemoryStorage()
    await storage.put(Content(Array(text.utf8)), at: RootMarker.path)
    for attempt in [0, 1] {
      let error = await #expect(throws: SyncError.self) {
        if attempt == 0 { _ = try await replica(of: storage).claim() }
        if attempt == 1 { _ = try await replica(of: storage).snapshot(since: Known()) }
      }
      #expect(error?.code == .wrongReplica)
    }
  }

  @Test("the marker records the generation of each device's archive")
  func generations() async throws {
    let storage = MemoryStorage()
    let (one, two) = (replica(of: storage, device: "one"), replica(of: storage, device: "two"))
    _ = try await one.claim()
    try await one.stamp(generation: 3)
    try await two.stamp(generation: 9)
    try await one.stamp(generation: 4)
    #expect(try await one.snapshot(since: Known()).root.generation == 4)
    #expect(try await two.snapshot(since: Known()).root.generation == 9)
    #expect(try await replica(of: storage, device: "three").snapshot(since: Known()).root.generation == nil)
    let revision = try await revision(of: storage)
    try await one.stamp(generation: 4)
    #expect(try await self.revision(of: storage) == revision)
  }

  @Test("the marker has the name of each device, and names that another program wrote are cleaned")
  func devices() async throws {
    let storage = MemoryStorage()
    let (one, two) = (replica(of: storage, device: "one"), replica(of: storage, device: "two"))
    _ = try await one.claim()
    try await one.stamp(generation: 1)
    try await two.stamp(generation: 1)
    #expect(try await one.snapshot(since: Known()).devices == ["one": "one", "two": "two"])
    let text =
      "id x1\ndevice one \u{1B}[31mred\ndevice two ..\ndevice th/ree name\ndevice four \(String(repeating: "n", count: 99))\n"
    await storage.put(Content(Array(text.utf8)), at: RootMarker.path)
    #expect(
      try await one.snapshot(since: Known()).devices == ["one": "31mred", "four": String(repeating: "n", count: 32)])
  }

  @Test("two devices stamp the marker at the same time without losing a stamp")
  func stampRace() async throws {
    let storage = MemoryStorage()
    _ = try await replica(of: storage).claim()
    let isFirst = Mutex(true)
    let racing = Hooked(storage: storage) { _, _ in
      guard
        isFirst.withLock({ first in
          defer { first = false }
          return first
        })
      else { return nil }
      _ = try? await replica(of: storage, device: "two").stamp(generation: 5)
      return nil
    }
    try await replica(of: racing, device: "one").stamp(generation: 7)
    #expect(try await replica(of: storage, device: "one").snapshot(since: Known()).root.generation == 7)
    #expect(try await replica(of: storage, device: "two").snapshot(since: Known()).root.generation == 5)
  }

  @Test("a replica without its marker is the wrong one after the first meeting, and nothing is deleted")
  func missingMarker() async throws {
    let storage = MemoryStorage()
    let store = MemoryReplica(address: "store", identity: "disk")
    let archive = MemoryArchive()
    for text in ["a", "b"] { await store.put(Content(Array(text.utf8)), at: path(text)) }
    func pass() async -> PassReport {
      await SyncPass(
        PassParts(
          name: "home", local: store, remote: replica(of: storage), archive: archive, merger: AppendMerger(),
          device: Device(id: "one", name: "one"))
      ).run()
    }
    #expect(await pass().result == .synced)
    #expect(await storage.contents.count == 3)
    let marker = try #require(await storage.contents[RootMarker.path])
    for name in ["a", "b", ReservedName.marker] { await storage.take(path(name)) }
    #expect(await pass().failure?.code == .wrongReplica)
    #expect(await store.contents.count == 2)
    await storage.put(Content(RootMarker(id: "another").bytes), at: RootMarker.path)
    #expect(await pass().failure?.code == .wrongReplica)
    await storage.put(marker, at: RootMarker.path)
    #expect(await pass().result == .held)
    #expect(await store.contents.count == 2)
  }

  @Test("a root that disappears during a listing is an error, not an empty replica")
  func rootGoesAway() async throws {
    let storage = MemoryStorage()
    _ = try await replica(of: storage).claim()
    let forgetful = Hooked(storage: storage, capabilitiesFail: true) { _, _ in nil }
    #expect(try await replica(of: forgetful).snapshot(since: Known()).root.id == nil)
  }

  @Test("a listing proves no absence if the storage's does not")
  func provesNothing() async throws {
    let storage = MemoryStorage(capabilities: Capabilities(replacement: .conditional, provesAbsence: false))
    _ = try await replica(of: storage).claim()
    #expect(try await replica(of: storage).snapshot(since: Known()).isUnknown(path("a")))
  }

  private func revision(of storage: MemoryStorage) async throws -> Revision? {
    guard case .present(let entry) = try await storage.confirm(file: RootMarker.path) else { return nil }
    return entry.revision
  }
}

private func replica(of storage: any Storage, device: String = "device") -> StorageReplica {
  var parts = RemoteParts.inMemory(storage: storage)
  parts.device = Device(id: device, name: device)
  return StorageReplica(storage, parts)
}

@Suite("The layers around a storage")
struct LayerTests {
  @Test("reads are retried, and writes never", arguments: 1...5)
  func retrying(failures: Int) async throws {
    let counting = Counting(failures: failures)
    let storage = FileServiceStorage(counting)
    let pauses = Mutex<[Duration]>([])
    let runtime = Runtime(
      now: Runtime.real.now, random: { Array(repeating: 128, count: $0) },
      sleep: { pause in pauses.withLock { $0.append(pause) } })
    let retrying = storage.retrying(attempts: 4, runtime: runtime)
    for verb in Counting.reading {
      let isOver = await succeeds { try await Counting.call(verb, on: retrying) }
      #expect(isOver == (failures < 4), "\(verb)")
      #expect(counting.calls(of: verb) == min(failures + 1, 4), "\(verb)")
    }
    #expect(pauses.withLock { $0.count } == Counting.reading.count * min(failures, 3))
    for verb in Counting.writing {
      #expect(!(await succeeds { try await Counting.call(verb, on: retrying) }))
      #expect(counting.calls(of: verb) == 1, "\(verb)")
    }
  }

  @Test("only an unavailable storage causes a retry", arguments: SyncError.Code.allCases)
  func otherReasons(code: SyncError.Code) async throws {
    let counting = Counting(failures: 1, code: code)
    let storage = FileServiceStorage(counting)
    let runtime = Runtime(now: Runtime.real.now, random: { Array(repeating: 0, count: $0) }, sleep: { _ in })
    _ = await succeeds { try await Counting.call("list", on: storage.retrying(attempts: 4, runtime: runtime)) }
    #expect(counting.calls(of: "list") == (code == .unavailable ? 2 : 1))
  }

  @Test("requests run concurrently up to the declared number", arguments: [1, 3])
  func limited(limit: Int) async throws {
    let service = Counting(failures: 0, parallelism: limit)
    let layered = FileServiceStorage(service).retrying(attempts: 1, runtime: .real)
    let paths = (0..<30).map { path("\($0)") }
    _ = try await layered.confirm(paths)
    _ = try await layered.read(paths, into: MemorySink(limit: 10))
    _ = try await layered.commit(paths.map { Change(path: $0, content: Content([]), condition: .absent) })
    #expect(service.mostAtOnce == limit)
    #expect(service.calls(of: "confirm") == 30)
  }

  @Test("an error about one path is the result of that path, and others are thrown")
  func errorsOfAService() async throws {
    let suspect = FileServiceStorage(Counting(failures: 1, code: .suspect, parallelism: 1))
    let results = try await suspect.read([path("a"), path("b")], into: MemorySink(limit: 1))
    #expect(results.count == 2)
    guard case .failed(let error) = results[0], error.code == .suspect, case .absent = results[1] else {
      Issue.record("\(results)")
      return
    }
    let lost = FileServiceStorage(Counting(failures: 1, parallelism: 1))
    await #expect(throws: SyncError.self) { try await lost.confirm([path("a"), path("b")]) }
  }

  @Test("any concurrency limit is accepted")
  func unlimited() async throws {
    #expect(try await mapConcurrently([1, 2, 3], atMost: .max) { $0 * 2 } == [2, 4, 6])
    #expect(try await mapConcurrently([1, 2, 3], atMost: -1) { $0 * 2 } == [2, 4, 6])
    #expect(try await mapConcurrently([Int](), atMost: 0) { $0 }.isEmpty)
  }

  private func succeeds(_ work: () async throws -> Void) async -> Bool {
    do { try await work() } catch { return false }
    return true
  }
}

/// A service that counts its calls, each of which fails a number of times at first.
private final class Counting: FileService {
  static let reading = ["list", "read", "confirm"]
  static let writing = ["write", "remove", "createRoot"]

  private struct State {
    var calls: [String: Int] = [:]
    var running = 0
    var most = 0
  }

  let address = "memory:"
  private let failures: Int
  private let code: SyncError.Code
  private let state = Mutex(State())

  private let parallelism: Int

  init(failures: Int, code: SyncError.Code = .unavailable, parallelism: Int = 16) {
    self.parallelism = parallelism
    self.failures = failures
    self.code = code
  }

  static func call(_ verb: String, on storage: any Storage) async throws(SyncError) {
    switch verb {
    case "list": _ = try await storage.list(since: Known())
    case "read": _ = try await storage.read(file: path("a"), into: MemorySink(limit: 1))
    case "confirm": _ = try await storage.confirm(file: path("a"))
    case "write": _ = try await storage.write(Content([]), to: path("a"), if: .absent)
    case "remove": _ = try await storage.remove(path("a"), if: .absent)
    default: try await storage.createRoot()
    }
  }

  func calls(of verb: String) -> Int { state.withLock { $0.calls[verb] ?? 0 } }

  var mostAtOnce: Int { state.withLock { $0.most } }

  private func count(_ verb: String) async throws(SyncError) {
    let number = state.withLock { state in
      state.calls[verb, default: 0] += 1
      state.running += 1
      state.most = max(state.most, state.running)
      return state.calls[verb] ?? 0
    }
    await Task.yield()
    state.withLock { $0.running -= 1 }
    if number <= failures { throw SyncError(code, "it does not answer") }
  }

  func capabilities() -> Capabilities {
    Capabilities(replacement: .conditional, parallelism: parallelism)
  }

  func list(since known: Known) async throws(SyncError) -> Snapshot {
    try await count("list")
    return SnapshotBuilder(since: known).finish(root: RootIdentity(address: address, id: nil))
  }

  func read(_ path: SyncPath, into sink: any ContentSink) async throws(SyncError) -> ReadResult {
    try await count("read")
    return .absent
  }

  func write(_ content: Content, to path: SyncPath, if condition: Condition) async throws(SyncError) -> WriteResult {
    try await count("write")
    return .refused(nil)
  }

  func remove(_ path: SyncPath, if condition: Condition) async throws(SyncError) -> WriteResult {
    try await count("remove")
    return .refused(nil)
  }

  func confirm(_ path: SyncPath) async throws(SyncError) -> Presence {
    try await count("confirm")
    return .absent
  }

  func createRoot() async throws(SyncError) { try await count("createRoot") }
}

/// A storage that runs an action before each write; the action may also return the result.
private struct Hooked: StorageDefaults {
  let storage: MemoryStorage
  var capabilitiesFail = false
  let beforeWrite: @Sendable (SyncPath, Condition) async -> WriteResult?

  var address: String { storage.address }

  func capabilities() async throws(SyncError) -> Capabilities {
    if capabilitiesFail { throw SyncError(.notFound, "the root is gone") }
    return await storage.capabilities()
  }

  func list(since known: Known) async throws(SyncError) -> Snapshot { try await storage.list(since: known) }

  func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    try await storage.read(paths, into: sink)
  }

  func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence] { try await storage.confirm(paths) }

  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    var results: [WriteResult] = []
    for change in changes {
      let result = change.content == nil ? nil : await beforeWrite(change.path, change.condition)
      if let result { results.append(result) } else { results.append(try await storage.commit(change: change)) }
    }
    return results
  }
}
