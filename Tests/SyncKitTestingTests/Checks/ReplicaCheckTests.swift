import SyncKit
import SyncKitTesting
import Testing

@Suite("Conformance checks for replicas")
struct ReplicaCheckTests {
  @Test("a replica in memory passes", arguments: ReplicaCheck.all)
  func memory(check: ReplicaCheck) async throws {
    try await check.run(on: {
      let memory = MemoryReplica()
      return (ReplicaHandle(replica: memory), ReplicaHandle(replica: memory))
    })
  }

  @Test("a storage that is used as a replica passes", arguments: ReplicaCheck.all)
  func storage(check: ReplicaCheck) async throws {
    try await check.run(on: {
      let memory = MemoryStorage(hasRoot: false)
      return (replica(of: memory), replica(of: memory))
    })
  }

  @Test("each check fails on a replica that is broken on purpose", arguments: ReplicaCheck.all)
  func canFail(check: ReplicaCheck) async throws {
    for sabotage in ReplicaSabotage.all where await !check.passes(on: sabotage.replicas) { return }
    for sabotage in Sabotage.all where await !check.passes(on: sabotage.replicas) { return }
    Issue.record("no sabotage makes this check fail")
  }

  @Test("some check detects each defect", arguments: ReplicaSabotage.all)
  func notice(sabotage: ReplicaSabotage) async throws {
    for check in ReplicaCheck.all.reversed() where await !check.passes(on: sabotage.replicas) { return }
    Issue.record("no check detects this sabotage")
  }
}

extension Sabotage {
  fileprivate func replicas() -> ReplicaCheck.Handles {
    let (one, other) = storages()
    return (replica(of: one), replica(of: other))
  }
}

/// A handle on a replica.
private struct ReplicaHandle: ReplicaAround {
  let replica: any Replica
}

private func replica(of storage: any Storage) -> any Replica {
  StorageReplica(storage, .inMemory(storage: storage))
}

extension ReplicaCheck {
  fileprivate func passes(on replicas: @escaping @Sendable () -> Handles) async -> Bool {
    do {
      try await run(on: { replicas() })
      return true
    } catch {
      return false
    }
  }
}
