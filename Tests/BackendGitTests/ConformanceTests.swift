import ProgramTesting
import SyncKit
import SyncKitTesting
import Synchronization
import Testing

@testable import BackendGit

@Suite("A branch as a replica") final class ConformanceTests: Sendable {
  private let devices = Mutex<[TestDevice]>([])

  @Test("a branch passes the replica checks", arguments: ReplicaCheck.all)
  func replica(check: ReplicaCheck) async throws {
    try await run(check, on: .file)
  }

  /// Most checks do not depend on the transport; a few show whether it works.
  @Test(
    "a branch over a network passes the replica checks", arguments: [TestServer.Kind.ssh, .library, .https],
    overTheNetwork)
  func network(kind: TestServer.Kind, check: ReplicaCheck) async throws {
    try await run(check, on: kind)
  }

  private static let overTheNetwork = ReplicaCheck.all.filter { check in
    isSoak || [.swap, .largeFile, .claim].contains(check.id)
  }

  private func run(_ check: ReplicaCheck, on kind: TestServer.Kind) async throws {
    guard let server = TestServer.shared(kind) else { return }
    try await check.run(on: {
      let repository = try server.repository()
      let (one, other) = (try TestDevice("one", on: repository), try TestDevice("other", on: repository))
      self.devices.withLock { $0 += [one, other] }
      return (try await one.replica(), try await other.replica())
    })
  }
}
