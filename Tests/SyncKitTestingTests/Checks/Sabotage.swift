import SyncKit
import SyncKitTesting
import Testing

/// A small flaw of a storage, which at least one check must detect.
struct Sabotage: Sendable, CustomTestStringConvertible {
  static let secret = "correct horse battery staple"

  let testDescription: String
  private let naming: NamingRules
  private let spoil: @Sendable (inout BrokenStorage) -> Void

  init(_ name: String, naming: NamingRules = NamingRules(), _ spoil: @escaping @Sendable (inout BrokenStorage) -> Void)
  {
    testDescription = name
    self.naming = naming
    self.spoil = spoil
  }

  static let all = changing + contents + listing + lookingUp + naming + programFiles + sharing + troubles

  /// Two handles for a fresh storage with this flaw.
  func storages() -> (one: BrokenStorage, other: BrokenStorage) {
    var one = BrokenStorage(naming: naming)
    var other = one
    spoil(&one)
    spoil(&other)
    return (one, other)
  }

  /// The same storage, but unreachable; it behaves correctly then unless the sabotage is about that.
  func unreachable() -> any Storage {
    testDescription == Self.silence ? LyingWhenUnreachable() : FaultyStorage(storages().one, plan: .every(.unreachable))
  }
}

extension MemoryStorage {
  /// The condition that the present state satisfies.
  func currentCondition(at path: SyncPath) async throws -> Condition {
    guard case .present(let entry) = try await confirm(file: path) else { return .absent }
    return .unchanged(entry.revision)
  }

  /// A listing that `alter` has changed.
  func list(since known: Known, _ alter: ([Entry]) -> [Entry]) throws -> Snapshot {
    let snapshot = try list(since: Known())
    return Self.snapshot(of: alter(snapshot.entries), since: known, root: snapshot.root)
  }

  /// A listing of exactly these entries, including reserved names.
  static func snapshot(of entries: [Entry], since known: Known, root: RootIdentity) -> Snapshot {
    var builder = SnapshotBuilder(since: known)
    for entry in entries where known.filter.accepts(entry.path) || ReservedName.isReserved(entry.path.name) {
      builder.add(
        path: entry.path.bytes, revision: entry.revision.bytes, isFirm: entry.isFirm, size: entry.size, modified: nil)
    }
    return builder.finish(root: root)
  }
}

extension Condition {
  var isAbsent: Bool { self == .absent }
}

extension Entry {
  func with(revision: String) -> Entry {
    var entry = self
    entry.revision = Revision(revision)
    return entry
  }
}

/// Returns consecutive numbers.
actor Counter {
  private var count = 0

  func next() -> Int {
    count += 1
    return count
  }
}
