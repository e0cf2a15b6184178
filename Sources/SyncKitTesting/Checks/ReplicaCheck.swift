public import SyncKit

/// One thing that every replica has to get right, and a way to see whether it does.
///
/// A replica shows the same files as a storage does, so most checks are those for storages, looked at through a
/// replica's verbs.
public struct ReplicaCheck: Sendable {
  /// What has to hold, as a claim.
  public let name: String
  private let body: @Sendable (@escaping @Sendable () async throws -> any Replica) async throws -> Void

  /// All checks.
  public static let all: [ReplicaCheck] = StorageCheck.ofFiles.map(ReplicaCheck.init) + ofReplicas

  /// Runs the check; throws a `CheckFailure` if the claim does not hold.
  /// - Parameter fresh: Gives a replica that nothing else uses, and that is empty.
  public func run(on fresh: @escaping @Sendable () async throws -> any Replica) async throws {
    try await body(fresh)
  }

  /// A check with one replica that was claimed, seen as a storage too.
  init(_ name: String, _ body: @escaping @Sendable (any Replica, CheckedStorage) async throws -> Void) {
    self.name = name
    self.body = { fresh in
      let replica = try await fresh()
      let bench = StorageBench(fresh: { PresentedReplica(replica) }, unreachable: nil, secrets: [])
      try await body(replica, try await bench.open())
    }
  }

  private init(_ check: StorageCheck) {
    name = check.name
    body = { fresh in try await check.run(on: { PresentedReplica(try await fresh()) }) }
  }
}

extension ReplicaCheck: CustomStringConvertible {
  /// The claim.
  public var description: String { name }
}
