import SyncKit
import SyncKitTesting
import Testing

@Suite("The checks for replicas")
struct ReplicaCheckTests {
  @Test("accept a replica in memory", arguments: ReplicaCheck.all)
  func memory(check: ReplicaCheck) async throws {
    try await check.run(on: { MemoryReplica() })
  }

  @Test("accept a storage that is made a replica", arguments: ReplicaCheck.all)
  func storage(check: ReplicaCheck) async throws {
    try await check.run(on: { replica(of: MemoryStorage(hasRoot: false)) })
  }

  @Test("are each seen to fail on a replica that is broken on purpose", arguments: ReplicaCheck.all)
  func canFail(check: ReplicaCheck) async throws {
    for sabotage in ReplicaSabotage.all where await !check.passes(on: sabotage.replica) { return }
    for sabotage in Sabotage.all where await !check.passes(on: { replica(of: sabotage.storage()) }) { return }
    Issue.record("no sabotage makes this check fail")
  }

  @Test("notice whatever is broken", arguments: ReplicaSabotage.all)
  func notice(sabotage: ReplicaSabotage) async throws {
    for check in ReplicaCheck.all.reversed() where await !check.passes(on: sabotage.replica) { return }
    Issue.record("no check notices this sabotage")
  }
}

private func replica(of storage: any Storage) -> any Replica {
  StorageReplica(storage, .inMemory(storage: storage))
}

extension ReplicaCheck {
  fileprivate func passes(on replica: @escaping @Sendable () -> any Replica) async -> Bool {
    do {
      try await run(on: { replica() })
      return true
    } catch {
      return false
    }
  }
}
