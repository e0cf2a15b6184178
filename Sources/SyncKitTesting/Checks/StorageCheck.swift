public import SyncKit

/// A requirement for every storage, and a test of it.
///
/// A complete test of a storage runs all checks, in any test framework. A check gets **two handles for one place**, because the
/// behaviour of one object proves nothing about two devices:
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
  /// Two handles for one place. They share nothing in memory, neither locks nor caches nor a journal, like the storages of two
  /// devices.
  public typealias Handles = (one: any Storage, other: any Storage)

  /// The stable identifier, which exceptions and reports use.
  public let id: CheckID
  /// The requirement, as a claim.
  public let name: String
  let body: @Sendable (CheckedStorage) async throws -> Void

  init(_ id: CheckID, _ name: String, _ body: @escaping @Sendable (CheckedStorage) async throws -> Void) {
    self.id = id
    self.name = name
    self.body = body
  }

  /// All checks.
  public static let all: [StorageCheck] = ofFiles + ofStorages

  /// The checks of storages and replicas.
  static let ofFiles =
    listing + writing + removing + reading + revisions + racing + interruptions + sharing + names + roots

  /// The checks of storages only.
  static let ofStorages = programFiles + errors

  /// Runs the check; throws a `CheckFailure` if the claim does not hold. If the claim was not tested, prints and returns
  /// `.notAsked` with the reason: nothing is skipped silently.
  /// - Parameters:
  ///   - fresh: Returns two handles for an empty place that nothing else uses: either its root exists, or `createRoot` creates
  ///     it.
  ///   - unreachable: Returns a storage of the same kind that cannot be reached, such as a server that was shut down.
  ///   - secrets: The passwords and tokens that the storage was given and must not reveal.
  ///   - quirks: The checks that this server cannot pass, each with the reason.
  ///   - timeLimit: The duration after which a check fails, because something hangs.
  @discardableResult
  public func run(
    on fresh: @escaping @Sendable () async throws -> Handles,
    unreachable: (@Sendable () async throws -> any Storage)? = nil, secrets: [String] = [],
    quirks: [ServerQuirk] = [], timeLimit: Duration = .seconds(600)
  ) async throws -> CheckOutcome {
    let bench = StorageBench(fresh: fresh, unreachable: unreachable, secrets: secrets, requests: RequestCount())
    return try await run(on: bench, quirks: quirks, timeLimit: timeLimit).announced(for: id)
  }

  /// Runs the check on a prepared bench, and prints nothing.
  func run(on bench: StorageBench, quirks: [ServerQuirk], timeLimit: Duration) async throws -> CheckOutcome {
    if let quirk = quirks.first(where: { $0.check == id }) { return .notAsked(quirk.reason) }
    if id == .unreachable, bench.unreachable == nil { return .notAsked("no unreachable storage was given") }
    return try await limited(to: timeLimit) {
      let checked = try await bench.open()
      if Self.idsOfRaces.contains(id), try await !checked.storage.capabilities().isRaceFree {
        return .notAsked("\(checked.storage.address) declares that it is not race-free (Capabilities.isRaceFree)")
      }
      try await body(checked)
      return .passed
    }
  }

  /// The checks that a storage can pass only if its conditions hold until a change takes effect.
  private static let idsOfRaces: Set<CheckID> = [
    .createRace, .writeRace, .removalRace, .overtakenWrite, .overtakenCreation,
  ]
}

extension StorageCheck: CustomStringConvertible {
  /// The claim.
  public var description: String { name }
}

/// The source of a check's storages.
struct StorageBench: Sendable {
  let fresh: @Sendable () async throws -> StorageCheck.Handles
  let unreachable: (@Sendable () async throws -> any Storage)?
  let secrets: [String]
  let requests: RequestCount

  /// Opens two handles for a fresh place whose root exists.
  func open() async throws -> CheckedStorage {
    let (one, other) = try await handles()
    try await one.createRoot()
    try await other.createRoot()
    return CheckedStorage(storage: one, other: other, bench: self)
  }

  /// Opens two handles for a fresh place, whose requests are counted.
  func handles() async throws -> StorageCheck.Handles {
    let (one, other) = try await fresh()
    if type(of: one) is AnyClass, (one as AnyObject) === (other as AnyObject) {
      throw CheckFailure("the two handles are the same object; pass a second handle, as another device would have")
    }
    return (CountedStorage(storage: one, count: requests), CountedStorage(storage: other, count: requests))
  }
}
