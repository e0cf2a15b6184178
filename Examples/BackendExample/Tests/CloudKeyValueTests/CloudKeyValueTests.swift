import CloudKeyValue
import SyncKit
import SyncKitTesting
import Testing

@Suite("A key-value store")
struct CloudKeyValueTests {
  @Test("a key-value store passes the storage checks", arguments: StorageCheck.all)
  func storage(check: StorageCheck) async throws {
    let server = try await TestServer.shared.value
    let outcome = try await check.run(
      on: { server.handles { $0 } },
      unreachable: { fileStorage(of: KeyValueStore(address: "http://127.0.0.1:1/x", token: TestServer.token)) },
      secrets: [TestServer.token])
    #expect(outcome == .passed)
  }

  @Test("the checks detect each broken key-value store", arguments: BrokenStore.all)
  func broken(example: BrokenStore) async throws {
    let server = try await TestServer.shared.value
    let check = try #require(StorageCheck.all.first { $0.id == example.noticed })
    await #expect(throws: (any Error).self) {
      try await check.run(
        on: { server.handles(example.make) },
        unreachable: { fileStorage(of: example.make(KeyValueStore(address: "http://127.0.0.1:1/x", token: ""))) },
        secrets: [TestServer.token])
    }
  }

  @Test("a report lists what the store can do")
  func report() async throws {
    let server = try await TestServer.shared.value
    let checks = StorageCheck.all.filter { [.write, .replacement, .createRace].contains($0.id) }
    let report = await StorageCheck.report(checks, on: { server.handles { $0 } })
    #expect(report.failures.isEmpty && report.held.count == 3 && report.requests > 80)
    #expect(report.capabilities?.replacement == .conditional || report.capabilities?.replacement == .unsafe)
  }

  @Test("a wrong token is refused, and the message does not contain it")
  func wrongToken() async throws {
    let store = fileStorage(of: KeyValueStore(address: try await TestServer.shared.value.place(), token: "guessed"))
    let error = await #expect(throws: SyncError.self) { try await store.list(since: Known()) }
    #expect(error?.code == .unauthorized && error?.message.contains("guessed") == false)
  }
}
