public import SyncKit

/// One thing that every storage has to get right, and a way to see whether it does.
///
/// The whole test of a storage is all checks applied to it, in whatever test framework:
///
/// ```swift
/// @Test(arguments: StorageCheck.all)
/// func folder(check: StorageCheck) async throws {
///   try await check.run(on: { try await makeFreshStorage() })
/// }
/// ```
public struct StorageCheck: Sendable {
  /// What has to hold, as a claim.
  public let name: String
  let body: @Sendable (CheckedStorage) async throws -> Void

  init(_ name: String, _ body: @escaping @Sendable (CheckedStorage) async throws -> Void) {
    self.name = name
    self.body = body
  }

  /// All checks.
  public static let all: [StorageCheck] = ofFiles + ofStorages

  /// What holds wherever files are, in storages and in replicas.
  static let ofFiles = listing + writing + removing + reading + revisions + racing + interruptions + names + roots

  /// What holds of the verbs that only a storage has.
  static let ofStorages = programFiles + troubles

  /// Runs the check; throws a `CheckFailure` if the claim does not hold.
  /// - Parameters:
  ///   - fresh: Gives a storage that nothing else uses, and that is empty: either its root is there already, or
  ///     `createRoot` makes it.
  ///   - unreachable: Gives a storage of the same kind that cannot be reached, such as a server that has been shut down.
  ///     Without it, what depends on it is not checked.
  ///   - secrets: What the storage was given and must not tell: passwords, tokens.
  public func run(
    on fresh: @escaping @Sendable () async throws -> any Storage,
    unreachable: (@Sendable () async throws -> any Storage)? = nil, secrets: [String] = []
  ) async throws {
    let bench = StorageBench(fresh: fresh, unreachable: unreachable, secrets: secrets)
    try await body(try await bench.open())
  }
}

extension StorageCheck: CustomStringConvertible {
  /// The claim.
  public var description: String { name }
}

/// Where a check gets its storages from.
struct StorageBench: Sendable {
  let fresh: @Sendable () async throws -> any Storage
  let unreachable: (@Sendable () async throws -> any Storage)?
  let secrets: [String]

  /// A fresh storage whose root is there.
  func open() async throws -> CheckedStorage {
    let storage = try await fresh()
    try await storage.createRoot()
    return CheckedStorage(storage: storage, bench: self)
  }
}
