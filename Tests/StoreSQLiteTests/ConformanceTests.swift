import StoreSQLite
import SyncKit
import SyncKitTesting
import Synchronization
import Testing

/// The shared checks, without exceptions.
@Suite("A store in one file, by the shared checks") final class ConformanceTests: Sendable {
  private let boxes = Mutex<[StoreBox]>([])

  @Test("a store in one file passes the replica checks", arguments: ReplicaCheck.all)
  func replica(check: ReplicaCheck) async throws {
    let outcome = try await check.run(on: {
      let box = StoreBox()
      self.boxes.withLock { $0.append(box) }
      return (try await box.open(seed: 1), try await box.open(seed: 2))
    })
    // A local file has only one possible location.
    if check.id != .unreachable { #expect(outcome == .passed) }
  }
}
