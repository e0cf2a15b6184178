import SyncKit
import SyncKitTesting
import Testing

/// A small flaw of a replica, in addition to the flaws of storages.
struct ReplicaSabotage: Sendable, CustomTestStringConvertible {
  let testDescription: String
  private let spoil: @Sendable (inout BrokenReplica) -> Void

  init(_ name: String, _ spoil: @escaping @Sendable (inout BrokenReplica) -> Void) {
    testDescription = name
    self.spoil = spoil
  }

  /// Two handles for a fresh replica with this flaw.
  func replicas() -> ReplicaCheck.Handles {
    var replica = BrokenReplica()
    spoil(&replica)
    return (replica, replica)
  }

  static let all = [
    ReplicaSabotage("a claim returns no identity") {
      $0.onClaim = { _ in RootIdentity(address: "memory:", id: nil) }
    },
    ReplicaSabotage("each claim returns another identity") {
      let count = Counter()
      $0.onClaim = { memory in
        _ = await memory.claim()
        return RootIdentity(address: "memory:", id: "\(await count.next())")
      }
    },
    ReplicaSabotage("an agreement is written into the files") {
      $0.onRecorded = { memory, agreements in
        for agreement in agreements { await memory.put(Content([]), at: agreement.path) }
      }
    },
    ReplicaSabotage("a stamp is listed as a file") {
      $0.onStamp = { memory, generation in
        if let path = SyncPath("generation") { await memory.put(Content(Array("\(generation)".utf8)), at: path) }
        return true
      }
    },
    ReplicaSabotage("later stamps are ignored") {
      let count = Counter()
      $0.onStamp = { memory, generation in
        if await count.next() == 1 { await memory.stamp(generation: generation) }
        return true
      }
    },
    ReplicaSabotage("a batch writes each content once") {
      $0.onCommit = { memory, changes in
        let contents = changes.compactMap(\.content?.digest)
        let known = changes.filter { change in change.replaced.map { !contents.contains($0.digest) } ?? true }
        let results = try await memory.commit(known)
        return changes.map { change in
          known.firstIndex { $0.path == change.path }.map { results[$0] } ?? .cannot("it was there already")
        }
      }
    },
    ReplicaSabotage("one refused change refuses the whole batch") {
      $0.onCommit = { memory, changes in
        for change in changes {
          let there =
            if case .present(let entry) = try await memory.confirm(file: change.path) { entry } else { nil as Entry? }
          let condition: Condition = there.map { .unchanged($0.revision) } ?? .absent
          if condition != change.condition { return changes.map { _ in .refused(there) } }
        }
        return try await memory.commit(changes)
      }
    },
  ]
}

/// A replica in memory whose methods can be replaced one by one.
struct BrokenReplica: Replica, StorageDefaults {
  let memory = MemoryReplica()
  var onClaim: @Sendable (MemoryReplica) async -> RootIdentity = { await $0.claim() }
  var onRecorded: @Sendable (MemoryReplica, [Agreement]) async -> Void = { _, _ in }
  var onStamp: @Sendable (MemoryReplica, Int) async -> Bool = { await $0.stamp(generation: $1) }
  var onCommit: @Sendable (MemoryReplica, [Change]) async throws -> [WriteResult] = { try await $0.commit($1) }

  func claim() async -> RootIdentity { await onClaim(memory) }

  func recorded(_ agreements: [Agreement]) async { await onRecorded(memory, agreements) }

  func stamp(generation: Int) async -> Bool { await onStamp(memory, generation) }

  var address: String { memory.address }

  func capabilities() async -> Capabilities { await memory.capabilities() }

  func list(since known: Known) async -> Snapshot { await memory.list(since: known) }

  func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    try await memory.read(paths, into: sink)
  }

  func confirm(_ paths: [SyncPath]) async -> [Presence] { await memory.confirm(paths) }

  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    do { return try await onCommit(memory, changes) } catch let error as SyncError { throw error } catch {
      throw SyncError(.unexpected, "\(error)")
    }
  }
}
