import SyncKit
import SyncKitTesting
import Testing

@Suite("Conformance checks for storages")
struct StorageCheckTests {
  @Test("a storage in memory passes", arguments: StorageCheck.all)
  func healthy(check: StorageCheck) async throws {
    try await check.run(
      on: {
        let memory = MemoryStorage(hasRoot: false)
        return (memory, FaultyStorage(memory))
      },
      unreachable: { FaultyStorage(MemoryStorage(), plan: .every(.unreachable)) }, secrets: [Sabotage.secret])
  }

  @Test("a storage that declares folded names passes", arguments: StorageCheck.all)
  func folding(check: StorageCheck) async throws {
    let naming = NamingRules(foldsCase: true, foldsUnicode: true, requiresUTF8: true, forbiddenBytes: [0x0A, 0x5C])
    let capabilities = Capabilities(replacement: .conditional, naming: naming)
    try await check.run(on: {
      let memory = MemoryStorage(capabilities: capabilities, isFirm: false)
      return (memory, FaultyStorage(memory))
    })
  }

  @Test("each check fails on a storage that is broken on purpose", arguments: StorageCheck.all)
  func canFail(check: StorageCheck) async throws {
    for sabotage in Sabotage.all where await !check.passes(under: sabotage) { return }
    Issue.record("no sabotage makes this check fail")
  }

  @Test("some check detects each defect", arguments: Sabotage.all)
  func notice(sabotage: Sabotage) async throws {
    for check in StorageCheck.all where await !check.passes(under: sabotage) { return }
    Issue.record("no check detects this sabotage")
  }
}

extension StorageCheck {
  fileprivate func passes(under sabotage: Sabotage) async -> Bool {
    do {
      try await run(
        on: { sabotage.storages() }, unreachable: { sabotage.unreachable() }, secrets: [Sabotage.secret])
      return true
    } catch {
      return false
    }
  }
}
