public import SyncKit

/// One thing that every storage has to get right, and a way to see whether it does.
///
/// The whole test of a storage is all checks applied to it, in whatever test framework. A check gets **two handles on one
/// place**, because what one object does by itself says nothing about two devices:
///
/// ```swift
/// @Test(arguments: StorageCheck.all)
/// func folder(check: StorageCheck) async throws {
///   try await check.run(on: {
///     let place = try makeFreshPlace()
///     return (MyStorage(place), MyStorage(place))
///   })
/// }
/// ```
public struct StorageCheck: Sendable {
  /// Two handles on one place. They share nothing in memory, neither locks nor caches nor a journal, as the storages of two
  /// devices share nothing.
  public typealias Handles = (one: any Storage, other: any Storage)

  /// The stable identifier, by which exceptions and reports name the check.
  public let id: CheckID
  /// What has to hold, as a claim.
  public let name: String
  let body: @Sendable (CheckedStorage) async throws -> Void

  init(_ id: CheckID, _ name: String, _ body: @escaping @Sendable (CheckedStorage) async throws -> Void) {
    self.id = id
    self.name = name
    self.body = body
  }

  /// All checks.
  public static let all: [StorageCheck] = ofFiles + ofStorages

  /// What holds wherever files are, in storages and in replicas.
  static let ofFiles =
    listing + writing + removing + reading + revisions + racing + interruptions + sharing + names + roots

  /// What holds of the files that only a storage has.
  static let ofStorages = programFiles + errors

  /// Runs the check; throws a `CheckFailure` if the claim does not hold. Returns `.notAsked` with the reason, and prints it,
  /// if the claim was not tried: nothing is skipped silently.
  /// - Parameters:
  ///   - fresh: Returns two handles on a place that is empty and that nothing else uses: either its root exists, or
  ///     `createRoot` creates it.
  ///   - unreachable: Returns a storage of the same kind that cannot be reached, such as a server that has been shut down.
  ///   - secrets: What the storage was given and must not tell: passwords, tokens.
  ///   - quirks: The checks that this server cannot pass, each with the reason.
  ///   - timeLimit: A check that takes longer has failed: something hangs.
  @discardableResult
  public func run(
    on fresh: @escaping @Sendable () async throws -> Handles,
    unreachable: (@Sendable () async throws -> any Storage)? = nil, secrets: [String] = [],
    quirks: [ServerQuirk] = [], timeLimit: Duration = .seconds(600)
  ) async throws -> CheckOutcome {
    let bench = StorageBench(fresh: fresh, unreachable: unreachable, secrets: secrets, requests: RequestCount())
    return try await run(on: bench, quirks: quirks, timeLimit: timeLimit).announced(for: id)
  }

  /// Runs the check on a bench that is prepared, and prints nothing.
  func run(on bench: StorageBench, quirks: [ServerQuirk], timeLimit: Duration) async throws -> CheckOutcome {
    if let quirk = quirks.first(where: { $0.check == id }) { return .notAsked(quirk.reason) }
    if id == .unreachable, bench.unreachable == nil { return .notAsked("no storage that cannot be reached was given") }
    return try await limited(to: timeLimit) {
      let checked = try await bench.open()
      if Self.idsOfRaces.contains(id), try await !checked.storage.capabilities().isRaceFree {
        return .notAsked("\(checked.storage.address) declares that it is not race-free (Capabilities.isRaceFree)")
      }
      try await body(checked)
      return .passed
    }
  }

  /// What only a storage can promise whose conditions hold until a change takes effect.
  private static let idsOfRaces: Set<CheckID> = [
    .createRace, .writeRace, .removalRace, .overtakenWrite, .overtakenCreation,
  ]
}

extension StorageCheck: CustomStringConvertible {
  /// The claim.
  public var description: String { name }
}

/// Where a check gets its storages from.
struct StorageBench: Sendable {
  let fresh: @Sendable () async throws -> StorageCheck.Handles
  let unreachable: (@Sendable () async throws -> any Storage)?
  let secrets: [String]
  let requests: RequestCount

  /// Two handles on a fresh place whose root exists.
  func open() async throws -> CheckedStorage {
    let (one, other) = try await handles()
    try await one.createRoot()
    try await other.createRoot()
    return CheckedStorage(storage: one, other: other, bench: self)
  }

  /// Two handles on a fresh place, whose requests are counted.
  func handles() async throws -> StorageCheck.Handles {
    let (one, other) = try await fresh()
    if type(of: one) is AnyClass, (one as AnyObject) === (other as AnyObject) {
      throw CheckFailure("the two handles are one object; a second handle is what another device would have")
    }
    return (CountedStorage(storage: one, count: requests), CountedStorage(storage: other, count: requests))
  }
}
