public import SyncKit

/// One thing that every replica has to get right, and a way to see whether it does.
///
/// A replica is a storage with an identity, so most checks are those for storages. Like those, a check gets two handles on
/// one place, as two devices have them.
public struct ReplicaCheck: Sendable {
  /// Two handles on one place, which share nothing in memory.
  public typealias Handles = (one: any Replica, other: any Replica)

  private let check: StorageCheck

  /// The stable identifier, by which exceptions and reports name the check.
  public var id: CheckID { check.id }

  /// What has to hold, as a claim.
  public var name: String { check.name }

  /// All checks.
  public static let all: [ReplicaCheck] = StorageCheck.ofFiles.map(ReplicaCheck.init) + ofReplicas

  /// Runs the check; throws a `CheckFailure` if the claim does not hold. Returns `.notAsked` with the reason, and prints it,
  /// if the claim was not tried.
  /// - Parameters:
  ///   - fresh: Returns two handles on a place that is empty and that nothing else uses.
  ///   - quirks: The checks that this replica cannot pass, each with the reason.
  ///   - timeLimit: A check that takes longer has failed: something hangs.
  @discardableResult
  public func run(
    on fresh: @escaping @Sendable () async throws -> Handles, quirks: [ServerQuirk] = [],
    timeLimit: Duration = .seconds(600)
  ) async throws -> CheckOutcome {
    try await check.run(on: Self.presented(fresh), quirks: quirks, timeLimit: timeLimit)
  }

  /// Runs all checks, one after the other, and returns what they found. The parameters are those of `run`.
  public static func report(
    on fresh: @escaping @Sendable () async throws -> Handles, quirks: [ServerQuirk] = [],
    timeLimit: Duration = .seconds(600)
  ) async -> CheckReport {
    await StorageCheck.report(all.map(\.check), on: presented(fresh), quirks: quirks, timeLimit: timeLimit)
  }

  /// A check with one replica that was claimed, seen as a storage too.
  init(
    _ id: CheckID, _ name: String, _ body: @escaping @Sendable (any Replica, CheckedStorage) async throws -> Void
  ) {
    check = StorageCheck(id, name) { checked in
      guard let replica = PresentedReplica.behind(checked.storage) else { throw CheckFailure("there is no replica") }
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
