import SyncKit
import SyncKitTesting
import Testing

/// One small thing that a storage can get wrong, which at least one check has to notice.
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

  /// Two handles on a fresh storage that gets this one thing wrong.
  func storages() -> (one: BrokenStorage, other: BrokenStorage) {
    var one = BrokenStorage(naming: naming)
    var other = one
    spoil(&one)
    spoil(&other)
    return (one, other)
  }

  /// The same, but it cannot be reached; it gets that right unless the sabotage is about it.
  func unreachable() -> any Storage {
    testDescription == Self.silence ? LyingWhenUnreachable() : FaultyStorage(storages().one, plan: .every(.unreachable))
  }
}

extension MemoryStorage {
  /// The condition that holds for whatever is there.
  func currentCondition(at path: SyncPath) async throws -> Condition {
    guard case .present(let entry) = try await confirm(file: path) else { return .absent }
    return .unchanged(entry.revision)
  }

  /// A listing with a change.
  func list(since known: Known, _ alter: ([Entry]) -> [Entry]) throws -> Snapshot {
    let snapshot = try list(since: Known())
    return Self.snapshot(of: alter(snapshot.entries), since: known, root: snapshot.root)
  }

  /// A listing that shows just these entries, reserved names included.
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

/// Numbers in the order in which they are asked for.
actor Counter {
  private var count = 0

  func next() -> Int {
    count += 1
    return count
  }
}
