import SyncKitTesting
import Testing

@testable import SyncKit

/// A storage that changes the case of what it stores, and whose reads are counted.
private actor AlteringStorage: StorageLayer {
  nonisolated let storage: any Storage
  private(set) var reads = 0
  private var alters: Bool
  private var overtakes = false

  init(_ memory: MemoryStorage, alters: Bool) {
    storage = memory
    self.alters = alters
  }

  func set(alters: Bool) { self.alters = alters }

  func set(overtakes: Bool) { self.overtakes = overtakes }

  nonisolated func around<Value: Sendable>(
    _ call: StorageCall, _ work: @Sendable () async throws(SyncError) -> Value
  ) async throws(SyncError) -> Value { try await work() }

  func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    reads += paths.count
    return try await storage.read(paths, into: sink)
  }

  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    var sent = changes
    for index in sent.indices where alters && !ReservedName.isReserved(sent[index].path.name) {
      guard let content = sent[index].content else { continue }
      sent[index].content = Content(try await content.bytes().map { (0x61...0x7A).contains($0) ? $0 - 0x20 : $0 })
    }
    let results = try await storage.commit(sent)
    if overtakes, let memory = storage as? MemoryStorage {
      for change in changes { await memory.put(Content([0x21]), at: change.path) }
    }
    return results
  }
}

@Suite("Verified uploads")
struct VerifiedStorageTests {
  private func changes(_ count: Int) -> [Change] {
    (0..<count).map { number in
      Change(path: path("\(number).org"), content: Content(Array("text \(number)".utf8)), condition: .absent)
    }
  }

  private func altering(
    _ check: Capabilities.UploadCheck, alters: Bool
  ) -> (AlteringStorage, MemoryStorage) {
    let memory = MemoryStorage(capabilities: Capabilities(replacement: .conditional, uploadCheck: check))
    return (AlteringStorage(memory, alters: alters), memory)
  }

  @Test(
    "uploads are read back as the storage declares",
    arguments: [
      (.confirmed, 5, 0), (.sampled, 5, 2), (.sampled, 1, 1), (.sampled, 0, 0), (.each, 5, 5),
    ] as [(Capabilities.UploadCheck, Int, Int)])
  func honest(check: Capabilities.UploadCheck, count: Int, expected: Int) async throws {
    let (storage, _) = altering(check, alters: false)
    let results = try await VerifiedStorage(storage: storage).commit(changes(count))
    #expect(results.allSatisfy { if case .done(_?) = $0 { true } else { false } } && results.count == count)
    #expect(await storage.reads == expected)
  }

  @Test("after one altered upload, all are read back, and no altered one is reported as done")
  func altered() async throws {
    let (storage, _) = altering(.sampled, alters: true)
    let verified = VerifiedStorage(storage: storage)
    for result in try await verified.commit(changes(5)) {
      guard case .unknown(let error) = result, error.found != nil else {
        Issue.record("an altered upload is \(result)")
        continue
      }
    }
    #expect(await storage.reads == 5)
  }

  @Test("an upload that another writer has replaced does not count as altered")
  func overtaken() async throws {
    let (storage, _) = altering(.each, alters: false)
    await storage.set(overtakes: true)
    let results = try await VerifiedStorage(storage: storage).commit(changes(2))
    #expect(results.allSatisfy { if case .done(_?) = $0 { true } else { false } })
  }

  @Test("an altered file stays as it is on both sides, until one side changes")
  func passes() async throws {
    let (storage, memory) = altering(.sampled, alters: true)
    let (store, archive) = (MemoryReplica(address: "store", identity: "disk"), MemoryArchive())
    let device = Device(id: "laptop", name: "laptop")
    func run() async -> PassReport {
      let verified = VerifiedStorage(storage: storage)
      let parts = RemoteParts(
        name: "home", storage: verified, device: device, runtime: .real, contents: archive,
        journal: archive.journal(of: "home"))
      let pass = PassParts(
        name: "home", local: store, remote: StorageReplica(verified, parts), archive: archive, merger: LineMerger(),
        device: device)
      return await SyncRun([pass]).run()[0]
    }
    func texts() async -> [[String: String]] {
      [await store.texts(), await memory.texts().filter { !$0.key.hasPrefix(".syncd-") }]
    }
    await store.put(Content(Array("text\n".utf8)), at: path("a.org"))
    for _ in 0..<3 {
      let report = await run()
      #expect(report.result != .synced && !report.needsSecondCheck)
      #expect(await texts() == [["a.org": "text\n"], ["a.org": "TEXT\n"]])
    }
    await storage.set(alters: false)
    await store.put(Content(Array("text\nmore\n".utf8)), at: path("a.org"))
    #expect(await run().result == .synced)
    #expect(await texts() == [["a.org": "text\nmore\n"], ["a.org": "text\nmore\n"]])
    #expect(await run().result == .synced)
  }
}

extension MemoryStorage {
  fileprivate func texts() async -> [String: String] {
    var texts: [String: String] = [:]
    for (path, content) in contents {
      texts[path.description] = String(decoding: (try? await content.bytes()) ?? [], as: UTF8.self)
    }
    return texts
  }
}
