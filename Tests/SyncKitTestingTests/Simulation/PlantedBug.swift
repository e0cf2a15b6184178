import SyncKit
import SyncKitTesting
import Testing

/// A small bug of an engine, planted around the real one.
struct PlantedBug: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// True if only commands of people show it.
  let needsCommands: Bool
  private let plant: @Sendable (inout PassParts) -> Void

  init(_ name: String, needsCommands: Bool = false, _ plant: @escaping @Sendable (inout PassParts) -> Void) {
    testDescription = name
    self.needsCommands = needsCommands
    self.plant = plant
  }

  /// Runs the engine with this bug.
  func run(_ parts: PassParts) async -> PassReport {
    var parts = parts
    plant(&parts)
    return await SyncPass(parts).run()
  }

  static let all = [
    PlantedBug("the remote is changed without conditions") { $0.remote = UnconditionalReplica($0.remote) },
    PlantedBug("the store is changed without conditions") { $0.local = UnconditionalReplica($0.local) },
    PlantedBug("every listing of the remote counts as complete") { $0.remote = CredulousReplica($0.remote) },
    PlantedBug("versions are replaced before they are stored durably") { $0.archive = HastyArchive($0.archive) },
    PlantedBug("intended changes are forgotten in a crash") {
      $0.archive = ForgetfulArchive(archive: $0.archive)
    },
    PlantedBug("an unknown result counts as done") { $0.remote = OptimisticReplica($0.remote) },
    PlantedBug("a merge keeps only one side") { $0.merger = OneSidedMerger() },
    PlantedBug("a former version that a person puts back counts as an old one", needsCommands: true) {
      $0.archive = BackwardArchive(archive: $0.archive)
    },
    PlantedBug("a merge repeats lines", needsCommands: true) { $0.merger = RepeatingMerger() },
    PlantedBug("a merge keeps what one side removed", needsCommands: true) { $0.merger = UnitingMerger() },
  ]
}

private struct UnconditionalReplica: ReplicaAround {
  let replica: any Replica

  init(_ replica: any Replica) { self.replica = replica }

  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    var changes = changes
    let presences = try await replica.confirm(changes.map(\.path))
    for (index, presence) in try changes.indices.paired(with: presences, from: address) {
      if case .present(let entry) = presence { changes[index].condition = .unchanged(entry.revision) }
      if case .absent = presence, changes[index].content != nil { changes[index].condition = .absent }
    }
    return try await replica.commit(changes)
  }
}

private struct CredulousReplica: ReplicaAround {
  let replica: any Replica

  init(_ replica: any Replica) { self.replica = replica }

  func list(since known: Known) async throws(SyncError) -> Snapshot {
    let snapshot = try await replica.list(since: known)
    var builder = SnapshotBuilder(since: known)
    for entry in snapshot.entries { builder.add(entry) }
    return builder.finish(root: snapshot.root, naming: snapshot.naming)
  }

  func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence] { paths.map { _ in .absent } }
}

private struct OptimisticReplica: ReplicaAround {
  let replica: any Replica

  init(_ replica: any Replica) { self.replica = replica }

  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    try changes.paired(with: await replica.commit(changes), from: address).map { change, result in
      switch result {
      case .failed, .unknown, .refused:
        .done(change.content.map { Entry(path: change.path, revision: Revision("as sent"), size: $0.size) })
      default: result
      }
    }
  }
}

private struct BackwardArchive: SpoiltArchive {
  let archive: any Archive

  func agreedLater(_ contents: [SyncPath: Digest], than remote: String) async throws(SyncError) -> Set<SyncPath> {
    var later: Set<SyncPath> = []
    for (path, digest) in contents where try await archive.wasDisplaced(digest, at: path) { later.insert(path) }
    return later
  }
}

/// An archive that wraps another one and has some incorrect methods.
private protocol SpoiltArchive: Archive {
  var archive: any Archive { get }
}

private struct HastyArchive: SpoiltArchive {
  let archive: any Archive

  init(_ archive: any Archive) { self.archive = archive }

  func keep(_ versions: [Version]) async throws(SyncError) {}

  func prepare(_ batch: IntendedBatch) async throws(SyncError) {}

  func update(_ batch: IntendedBatch) async throws(SyncError) {}

  func flush() async throws(SyncError) {}
}

private struct ForgetfulArchive: SpoiltArchive {
  let archive: any Archive

  func memory(of remote: String) async throws(SyncError) -> RemoteMemory {
    var memory = try await archive.memory(of: remote)
    memory.intended = []
    return memory
  }
}

extension SpoiltArchive {
  func memory(of remote: String) async throws(SyncError) -> RemoteMemory { try await archive.memory(of: remote) }

  func generation(of remote: String) async throws(SyncError) -> Int { try await archive.generation(of: remote) }

  func journal(of remote: String) -> any Journal { archive.journal(of: remote) }

  func passNumber() async throws(SyncError) -> Int { try await archive.passNumber() }

  func keep(_ versions: [Version]) async throws(SyncError) { try await archive.keep(versions) }

  func prepare(_ batch: IntendedBatch) async throws(SyncError) { try await archive.prepare(batch) }

  func update(_ batch: IntendedBatch) async throws(SyncError) { try await archive.update(batch) }

  func record(_ record: Record) async throws(SyncError) { try await archive.record(record) }

  func held(_ digests: Set<Digest>) async throws(SyncError) -> Set<Digest> { try await archive.held(digests) }

  func intendedPaths() async throws(SyncError) -> Set<SyncPath> { try await archive.intendedPaths() }

  func agreedElsewhere(
    _ contents: [SyncPath: Digest], than remote: String
  ) async throws(SyncError) -> Set<SyncPath> {
    try await archive.agreedElsewhere(contents, than: remote)
  }

  func agreedLater(_ contents: [SyncPath: Digest], than remote: String) async throws(SyncError) -> Set<SyncPath> {
    try await archive.agreedLater(contents, than: remote)
  }

  func wasDisplaced(_ digest: Digest, at path: SyncPath) async throws(SyncError) -> Bool {
    try await archive.wasDisplaced(digest, at: path)
  }

  func content(_ digest: Digest) async throws(SyncError) -> Content? { try await archive.content(digest) }

  func intake(keepingAtMost limit: Int) -> any ContentSink { archive.intake(keepingAtMost: limit) }

  func flush() async throws(SyncError) { try await archive.flush() }
}

private struct OneSidedMerger: ContentMerger {
  func merges(_ path: SyncPath, size: Int) -> Bool { true }

  func isMarked(_ text: [UInt8], at path: SyncPath) -> Bool? { false }

  func merge(_ files: [MergeInput], preferring side: Side?) -> [SyncPath: MergeResult] {
    Dictionary(uniqueKeysWithValues: files.map { ($0.path, .clean($0.local ?? [])) })
  }
}

/// A merger that changes the results of another one.
private protocol SpoiltMerger: ContentMerger {
  func spoilt(_ merged: [UInt8], of file: MergeInput) -> [UInt8]
}

extension SpoiltMerger {
  func merges(_ path: SyncPath, size: Int) -> Bool { LineMerger().merges(path, size: size) }

  func isMarked(_ text: [UInt8], at path: SyncPath) -> Bool? { LineMerger().isMarked(text, at: path) }

  func merge(_ files: [MergeInput], preferring side: Side?) -> [SyncPath: MergeResult] {
    var results = LineMerger().merge(files, preferring: side)
    for file in files {
      if case .clean(let merged)? = results[file.path] { results[file.path] = .clean(spoilt(merged, of: file)) }
    }
    return results
  }
}

private struct RepeatingMerger: SpoiltMerger {
  func spoilt(_ merged: [UInt8], of file: MergeInput) -> [UInt8] {
    merged + (file.remote ?? [])
  }
}

private struct UnitingMerger: SpoiltMerger {
  func spoilt(_ merged: [UInt8], of file: MergeInput) -> [UInt8] {
    Array(
      Set((merged + (file.base ?? [])).split(separator: UInt8(ascii: "\n"))).sorted { $0.lexicographicallyPrecedes($1) }
        .joined(separator: [UInt8(ascii: "\n")])) + [UInt8(ascii: "\n")]
  }
}
