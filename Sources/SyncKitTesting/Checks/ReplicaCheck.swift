public import SyncKit

/// A requirement for every replica, and a test of it.
///
/// A replica is a storage with an identity, so most checks are those for storages. Like those, a check gets two handles for one
/// place, like two devices.
public struct ReplicaCheck: Sendable {
  /// Two handles for one place, which share nothing in memory.
  public typealias Handles = (one: any Replica, other: any Replica)

  private let check: StorageCheck

  /// The stable identifier, which exceptions and reports use.
  public var id: CheckID { check.id }

  /// The requirement, as a claim.
  public var name: String { check.name }

  /// All checks.
  public static let all: [ReplicaCheck] = StorageCheck.ofFiles.map(ReplicaCheck.init) + ofReplicas

  /// Runs the check; throws a `CheckFailure` if the claim does not hold. If the claim was not tested, prints and returns
  /// `.notAsked` with the reason.
  /// - Parameters:
  ///   - fresh: Returns two handles for an empty place that nothing else uses.
  ///   - quirks: The checks that this replica cannot pass, each with the reason.
  ///   - timeLimit: The duration after which a check fails, because something hangs.
  @discardableResult
  public func run(
    on fresh: @escaping @Sendable () async throws -> Handles, quirks: [ServerQuirk] = [],
    timeLimit: Duration = .seconds(600)
  ) async throws -> CheckOutcome {
    try await check.run(on: Self.presented(fresh), quirks: quirks, timeLimit: timeLimit)
  }

  /// Runs all checks, one after the other, and returns their results. The parameters are those of `run`.
  public static func report(
    on fresh: @escaping @Sendable () async throws -> Handles, quirks: [ServerQuirk] = [],
    timeLimit: Duration = .seconds(600)
  ) async -> CheckReport {
    await StorageCheck.report(all.map(\.check), on: presented(fresh), quirks: quirks, timeLimit: timeLimit)
  }

  /// A check with one claimed replica, also presented as a storage.
  init(
    _ id: CheckID, _ name: String, _ body: @escaping @Sendable (any Replica, CheckedStorage) async throws -> Void
  ) {
    check = StorageCheck(id, name) { checked in
      guard let replica = PresentedReplica.behind(checked.storage) else {
        throw CheckFailure("the storage is not behind a replica")
      }
      try await body(replica, checked)
    }
  }

  private init(_ check: StorageCheck) { self.check = check }

  private static func presented(
    _ fresh: @escaping @Sendable () async throws -> Handles
  ) -> @Sendable () async throws -> StorageCheck.Handles {
    {
      let (one, other) = try await fresh()
      return (PresentedReplica(one), PresentedReplica(other))
    }
  }
}

extension ReplicaCheck: CustomStringConvertible {
  /// The claim.
  public var description: String { name }
}
