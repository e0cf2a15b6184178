import SyncKit
import SyncKitTesting
import Synchronization
import Testing

@Suite("Sync sessions")
struct SyncSessionTests {
  private let store = MemoryReplica(address: "store", identity: "disk")
  private let one = MemoryReplica(address: "one")
  private let two = MemoryReplica(address: "two")
  private let archive = MemoryArchive()

  private func session(
    _ options: SyncSession.Options = SyncSession.Options(), store: SyncSession.Opening? = nil,
    one: SyncSession.Opening? = nil
  ) -> SyncSession {
    SyncSession(
      archive: archive, merger: LineMerger(), device: Device(id: "device", name: "laptop"), options: options,
      store: store ?? { _ in self.store },
      remotes: [.init("one", open: one ?? { _ in self.one }), .init("two") { _ in self.two }])
  }

  private func put(_ text: String, at name: String, in replica: MemoryReplica) async throws {
    await replica.put(Content(Array(text.utf8)), at: try #require(SyncPath(name)))
  }

  @Test func `a session copies each file to every replica, and reports in the order of the remotes`() async throws {
    try await put("1", at: "a.org", in: one)
    try await put("2", at: "b.org", in: store)
    let reports = await session().run()
    #expect(reports.map(\.remote) == ["one", "two"])
    #expect(reports.allSatisfy { $0.result == .synced })
    for replica in [store, one, two] { #expect(await replica.texts() == ["a.org": "1", "b.org": "2"]) }
  }

  @Test func `a session syncs the other remotes if one cannot be opened`() async throws {
    try await put("1", at: "a.org", in: store)
    let reports = await session(one: { _ throws(SyncError) in throw SyncError(.unavailable, "no route") }).run()
    #expect(reports.map(\.remote) == ["one", "two"])
    #expect(reports.map(\.result) == [.unreachable, .synced])
    #expect(await two.texts() == ["a.org": "1"])
  }

  @Test func `a session reports for each remote that the store cannot be opened`() async {
    let reports = await session(store: { _ throws(SyncError) in throw SyncError(.wrongReplica, "no disk") }).run()
    #expect(reports.map(\.remote) == ["one", "two"])
    #expect(reports.allSatisfy { $0.failure?.code == .wrongReplica })
  }

  @Test func `a session opens each remote with its own parts`() async {
    let names = Mutex<[String]>([])
    let note: SyncSession.Opening = { parts in
      names.withLock { $0.append(parts.name) }
      return parts.name == "store" ? self.store : self.one
    }
    _ = await session(store: note, one: note).run()
    #expect(names.withLock { $0 } == ["store", "one"])
  }

  @Test func `a session syncs with each remote what its own patterns and mode let pass`() async throws {
    for name in ["a.org", "b.org", "c.txt"] { try await put(name, at: name, in: store) }
    try await put("2", at: "new.org", in: two)
    var (first, second) = (
      SyncSession.Remote("one") { _ in self.one }, SyncSession.Remote("two", mode: .send) { _ in self.two }
    )
    (first.include, first.exclude, second.exclude) = (["*.org"], ["b.org"], ["c.txt"])
    let session = SyncSession(
      archive: archive, merger: LineMerger(), device: Device(id: "device", name: "laptop"), store: { _ in self.store },
      remotes: [first, second])
    #expect(await session.run().map(\.counts.ignored) == [0, 1])
    #expect(await one.texts() == ["a.org": "a.org"])
    #expect(await two.texts() == ["a.org": "a.org", "b.org": "b.org", "new.org": "2"])
    #expect(await store.texts().count == 3)
  }

  @Test func `a session ignores what its options and the store's ignore file exclude`() async throws {
    try await put("*.tmp\n", at: PathFilter.ignoreFile, in: store)
    for name in ["a.org", "b.pdf", "c.tmp"] { try await put(name, at: name, in: store) }
    var options = SyncSession.Options()
    options.exclude = ["*.pdf"]
    _ = await session(options).run()
    #expect(await one.texts().keys.sorted() == ["a.org"])
  }

  @Test func `a session changes nothing in a dry run`() async throws {
    try await put("1", at: "a.org", in: store)
    var options = SyncSession.Options()
    options.isDryRun = true
    let reports = await session(options).run()
    #expect(reports.map(\.counts.waiting) == [1, 1])
    #expect(await one.texts().isEmpty)
  }

  @Test func `a session reports each stage with files, bytes and paths, and the end of each pass`() async throws {
    try await put("four", at: "a.org", in: store)
    let told = Mutex<[Progress]>([])
    _ = await session().run { progress in told.withLock { $0.append(progress) } }
    let passes = told.withLock { $0 }.filter { $0.remote == "one" }
    #expect(passes.first == Progress(remote: "one", stage: .scanning))
    let read = Progress(remote: "one", stage: .reading, done: 1, total: 1, bytes: 4, path: SyncPath("a.org"))
    #expect(passes.contains(read))
    let written = Progress(remote: "one", stage: .writing, done: 1, total: 1, bytes: 4, path: SyncPath("a.org"))
    #expect(passes.contains(written))
    #expect(passes.last == Progress(remote: "one", stage: .ended, bytes: 4))
  }

  @Test func `a session reports the end of a failed pass`() async throws {
    let told = Mutex<[Progress.Stage]>([])
    let broken = FaultyStorage(MemoryStorage(), plan: .every(.unreachable))
    _ = await session(one: { parts in StorageReplica(broken, parts) }).run { progress in
      if progress.remote == "one" { told.withLock { $0.append(progress.stage) } }
    }
    #expect(told.withLock { $0 } == [.scanning, .ended])
  }

  @Test func `a session stops when its task is cancelled, and the next run continues`() async throws {
    for number in 0..<5 { try await put("\(number)", at: "\(number).org", in: store) }
    let session = session()
    let reports = await Task {
      await session.run { progress in
        guard progress.stage == .scanning else { return }
        unsafe withUnsafeCurrentTask { task in unsafe task?.cancel() }
      }
    }.value
    #expect(reports.map(\.result) == [.timedOut, .timedOut])
    #expect(await store.texts().count == 5)
    #expect(await session.run().allSatisfy { $0.result == .synced })
    for replica in [one, two] { #expect(await replica.texts().count == 5) }
  }
}
