import SyncKit
import SyncKitTesting

@testable import SyncKit

/// A store and a remote in memory, with everything that a pass needs.
actor Pair {
  var store: MemoryReplica
  var remote: MemoryReplica
  let archive: MemoryArchive
  let name: String
  let device: Device
  var options: PassOptions
  private var merger: any ContentMerger = AppendMerger()
  /// Wraps the replicas, to interfere with them.
  var around: [Side: @Sendable (any Replica) -> any Replica] = [:]
  /// Every version that existed when a pass began.
  private var seen: Set<String> = []

  init(
    options: PassOptions = PassOptions(), store: MemoryReplica = MemoryReplica(address: "store", identity: "disk"),
    remote: MemoryReplica = MemoryReplica(address: "remote"), archive: MemoryArchive = MemoryArchive(),
    name: String = "home", device: String = "laptop"
  ) {
    self.options = options
    self.store = store
    self.remote = remote
    self.archive = archive
    self.name = name
    self.device = Device(id: device, name: device)
  }

  /// Writes these files on one side; nil removes one.
  func edit(_ side: Side, _ files: [String: String?]) async {
    for (name, text) in files.sorted(by: { $0.key < $1.key }) {
      if let text {
        await self[side].put(Content(Array(text.utf8)), at: path(name))
      } else {
        await self[side].take(path(name))
      }
    }
  }

  /// Writes these files on both sides and syncs.
  func agree(on files: [String: String?]) async {
    await edit(.local, files)
    await edit(.remote, files)
    _ = await pass()
  }

  func pass() async -> PassReport {
    await look()
    return await SyncPass(parts).run()
  }

  /// Runs passes until nothing is left to do: at most three, and one more that does nothing.
  func passes() async -> (report: PassReport, isQuiet: Bool) {
    await look()
    let report = await SyncRun([parts]).run()[0]
    let (files, generation) = (await everything(), await archive.generation(of: name))
    let last = await pass()
    let isSame = await everything() == files
    let isSameBase = await archive.generation(of: name) == generation
    return (report, isSame && isSameBase && !last.didSomething)
  }

  func set(_ change: @Sendable (inout PassOptions) -> Void) { change(&options) }

  func put(merger: any ContentMerger) { self.merger = merger }

  func put(around side: Side, _ layer: (@Sendable (any Replica) -> any Replica)?) { around[side] = layer }

  func replace(store: MemoryReplica) { self.store = store }

  func replace(remote: MemoryReplica) { self.remote = remote }

  var parts: PassParts {
    let (local, far) = (around[.local] ?? { $0 }, around[.remote] ?? { $0 })
    return PassParts(
      name: name, local: local(store), remote: far(remote), archive: archive, merger: merger, device: device,
      options: options)
  }

  /// The files of one side, as texts by name.
  func texts(_ side: Side) async -> [String: String] {
    await self[side].texts()
  }

  /// The files of both sides if they are equal; nil otherwise.
  func both() async -> [String: String]? {
    let (local, remote) = (await texts(.local), await texts(.remote))
    return local == remote ? local : nil
  }

  /// The versions that are neither live nor in history.
  func lost() async -> [String] {
    let live = Set(await texts(.local).values).union(await texts(.remote).values)
    let kept = Set(await archive.library.all.keys)
    return seen.filter { !live.contains($0) && !kept.contains(digest($0)) }.sorted()
  }

  private func look() async {
    for side in Side.allCases { seen.formUnion(await texts(side).values) }
  }

  private func everything() async -> [[String: String]] { [await texts(.local), await texts(.remote)] }

  private subscript(side: Side) -> MemoryReplica { side == .local ? store : remote }
}

extension MemoryReplica {
  func texts() async -> [String: String] {
    var texts: [String: String] = [:]
    for (path, content) in contents {
      texts[path.description] = String(decoding: (try? await content.bytes()) ?? [], as: UTF8.self)
    }
    return texts
  }
}

/// Merges what both sides appended; a file whose name contains `marked` is marked as a conflict.
struct AppendMerger: ContentMerger {
  func merges(_ path: SyncPath, size: Int) -> Bool { path.description.hasSuffix(".org") }

  func merge(_ files: [MergeInput], preferring side: Side?) -> [SyncPath: MergeResult] {
    Dictionary(uniqueKeysWithValues: files.map { ($0.path, merge($0)) })
  }

  private func merge(_ file: MergeInput) -> MergeResult {
    guard let base = file.base, let local = file.local, let remote = file.remote else { return .sideBySide() }
    if file.path.description.contains("marked") {
      let sides = [local, remote].sorted { $0.lexicographicallyPrecedes($1) }
      return .marked(Array("<<<".utf8) + sides[0] + Array("===".utf8) + sides[1])
    }
    if local == base || remote == base { return .clean(local == base ? remote : local) }
    guard local.starts(with: base), remote.starts(with: base) else { return .sideBySide() }
    let ends = [local, remote].map { Array($0.dropFirst(base.count)) }.sorted { $0.lexicographicallyPrecedes($1) }
    return .clean(base + ends[0] + ends[1])
  }

  func isMarked(_ text: [UInt8], at path: SyncPath) -> Bool? { text.starts(with: Array("<<<".utf8)) }
}

/// Appends a line to its input, as a merger may that gets one side of a file as missing.
struct EagerMerger: ContentMerger {
  func merges(_ path: SyncPath, size: Int) -> Bool { true }

  func isMarked(_ text: [UInt8], at path: SyncPath) -> Bool? { false }

  func merge(_ files: [MergeInput], preferring side: Side?) -> [SyncPath: MergeResult] {
    Dictionary(
      uniqueKeysWithValues: files.map { file in
        let parts = [file.local, file.remote].compactMap(\.self).sorted { $0.lexicographicallyPrecedes($1) }
        return (file.path, .clean(parts.flatMap(\.self) + Array("merged".utf8)))
      })
  }
}

/// A replica around a replica, with which a test interferes.
struct Interference: ReplicaAround {
  let replica: any Replica
  var beforeCommit: @Sendable ([Change]) async -> Void = { _ in }
  var afterSnapshot: @Sendable () async -> Void = {}
  var afterRead: @Sendable ([SyncPath]) async -> Void = { _ in }
  /// Returns a result instead of making the change.
  var answer: @Sendable (Change) -> WriteResult? = { _ in nil }
  /// Replaces the result after the change was made.
  var reply: @Sendable (Change, WriteResult) -> WriteResult = { $1 }
  var presence: @Sendable (SyncPath) -> Presence? = { _ in nil }
  var reading: @Sendable (SyncPath) -> ReadResult? = { _ in nil }
  /// True to end the pass after a commit, as a kill does.
  var diesAfterCommit = false
  var listing: @Sendable (Snapshot, Known) -> Snapshot = { snapshot, _ in snapshot }

  func list(since known: Known) async throws(SyncError) -> Snapshot {
    let snapshot = try await replica.list(since: known)
    await afterSnapshot()
    return listing(snapshot, known)
  }

  func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    var results: [ReadResult] = []
    for path in paths {
      if let result = reading(path) {
        results.append(result)
      } else {
        results.append(try await replica.read(file: path, into: sink))
      }
    }
    await afterRead(paths)
    return results
  }

  func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence] {
    var answers: [Presence] = []
    for path in paths {
      if let answer = presence(path) {
        answers.append(answer)
      } else {
        answers.append(try await replica.confirm(file: path))
      }
    }
    return answers
  }

  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    await beforeCommit(changes)
    let answers = changes.map(answer)
    let passed = changes.indices.filter { answers[$0] == nil }
    let results = try await replica.commit(passed.map { changes[$0] })
    var all = answers
    for (index, result) in try passed.paired(with: results, from: address) {
      all[index] = reply(changes[index], result)
    }
    if diesAfterCommit { throw SyncError(.unexpected, "the process was killed") }
    return all.complete
  }
}
