public import SyncKit

/// An archive in memory with the promises of one on disk: everything that a method has reported as durable survives `crash()`.
///
/// It is stricter than necessary: a version whose content is not held cannot be recorded, so that tests detect an engine that
/// does not hold contents first.
public actor MemoryArchive: Archive {
  /// Everything that an archive stores except contents.
  public struct Backup: Sendable {
    fileprivate var memories: [String: RemoteMemory] = [:]
    fileprivate var journals: [String: [String: [UInt8]]] = [:]
    fileprivate var deletions: [Deletions] = []
    fileprivate var batches: [String: [Int: [IntendedChange]]] = [:]
    /// The versions that the store agreed on with another remote after the last agreement with this one.
    fileprivate var later: [String: [SyncPath: Set<Digest>]] = [:]
    /// The versions of each path that were agreed on, in their order.
    fileprivate var agreed: [SyncPath: [Digest]] = [:]
    fileprivate var pass = 0
    /// Every replaced version, in the order of recording.
    public fileprivate(set) var versions: [Version] = []
    /// The actions, in the order of recording.
    public fileprivate(set) var actions: [Action] = []
  }

  fileprivate struct Deletions: Sendable {
    var remote: String
    var time: Timestamp
    var count: Int
  }

  private static let day: Int64 = 86_400

  /// The contents that are held.
  public nonisolated let library = MemoryContents()
  private let now: @Sendable () -> Timestamp
  private var state = Backup()
  private var runHasNumber = false
  private var order = RecordOrder()

  /// An empty archive.
  /// - Parameter now: The clock by which the deletions of a day are counted.
  public init(now: @escaping @Sendable () -> Timestamp = Runtime.real.now) { self.now = now }

  /// The present state; to be inspected, or restored later.
  public var backup: Backup { state }

  /// Restores the state of `backup`. Contents are never dropped.
  public func restore(_ backup: Backup) {
    state = backup
    runHasNumber = false
  }

  /// Begins a new run and loses everything that was not durable.
  public func crash() async {
    runHasNumber = false
    await library.loseFresh()
  }

  /// Approves the held deletions.
  public func allowHeld(of remote: String) {
    guard let hold = state.memories[remote]?.hold else { return }
    state.memories[remote]?.allowed.formUnion(hold.items)
    state.memories[remote]?.hold = nil
  }

  public func memory(of remote: String) -> RemoteMemory {
    var memory = state.memories[remote] ?? RemoteMemory()
    let yesterday = now().seconds - Self.day
    memory.deletedToday = state.deletions.filter { $0.remote == remote && $0.time.seconds > yesterday }
      .reduce(0) { $0 + $1.count }
    let batches = state.batches[remote] ?? [:]
    memory.lastBatch = batches.keys.max() ?? 0
    memory.intended = batches.sorted { $0.key < $1.key }.flatMap(\.value).latestOfEachPath
    memory.recordCount = order.count
    return memory
  }

  public func generation(of remote: String) -> Int { state.memories[remote]?.generation ?? 0 }

  public nonisolated func journal(of remote: String) -> any Journal {
    MemoryJournal(archive: self, remote: remote)
  }

  public func passNumber() -> Int { runHasNumber ? state.pass : state.pass + 1 }

  public func keep(_ versions: [Version]) async throws(SyncError) {
    let missing = Set(versions.map(\.digest)).subtracting(try await held(Set(versions.map(\.digest))))
    guard missing.isEmpty else {
      throw SyncError(.unexpected, "cannot keep versions without their content: \(missing.map(\.short))")
    }
    await library.flush()
    beginWriting()
    state.versions += versions
  }

  public func prepare(_ batch: IntendedBatch) async throws(SyncError) {
    try await keep(batch.displaced)
    if !batch.changes.isEmpty { state.batches[batch.remote, default: [:]][batch.number] = batch.changes }
  }

  public func update(_ batch: IntendedBatch) async throws(SyncError) {
    state.batches[batch.remote, default: [:]][batch.number] = batch.changes
  }

  public func record(_ record: Record) async throws(SyncError) {
    guard !record.isEmpty else { return }
    beginWriting()
    if record.startsAgain { state.batches[record.remote] = nil }
    if let ended = record.ended {
      state.batches[record.remote] = state.batches[record.remote]?.filter { $0.key > ended.last }
      if !ended.open.isEmpty { state.batches[record.remote, default: [:]][ended.last] = ended.open }
    }
    state.actions += record.actions
    if record.deletions > 0 {
      state.deletions.append(Deletions(remote: record.remote, time: now(), count: record.deletions))
    }
    let memory = state.memories[record.remote] ?? RemoteMemory()
    let start = record.startsAgain ? memory.startedAgain : memory
    noteLater(record, after: start.base)
    order.add(record)
    for agreement in record.agreements { state.agreed[agreement.path, default: []].append(agreement.digest) }
    state.memories[record.remote] = start.adding(record)
  }

  private func noteLater(_ record: Record, after base: Base) {
    if record.startsAgain { state.later[record.remote] = nil }
    for path in record.forgotten { state.later[record.remote]?[path] = nil }
    let others = state.memories.filter { $0.key != record.remote }
    for agreement in record.agreements where base[agreement.path] != agreement {
      state.later[record.remote]?[agreement.path] = nil
      for (name, other) in others where other.base[agreement.path].map({ $0.digest != agreement.digest }) ?? false {
        guard order.isBefore(record, name, agreement.path) else { continue }
        state.later[name, default: [:]][agreement.path, default: []].insert(agreement.digest)
      }
    }
  }

  public func held(_ digests: Set<Digest>) async throws(SyncError) -> Set<Digest> {
    var held: Set<Digest> = []
    for digest in digests where await library.holds(digest) { held.insert(digest) }
    return held
  }

  public func intendedPaths() -> Set<SyncPath> {
    Set(state.batches.values.flatMap { $0.values.joined().map(\.path) })
  }

  public func agreedElsewhere(_ contents: [SyncPath: Digest], than remote: String) -> Set<SyncPath> {
    let others = state.memories.filter { $0.key != remote }.values
    return Set(contents.filter { path, digest in others.contains { $0.base[path]?.digest == digest } }.keys)
  }

  public func agreedLater(_ contents: [SyncPath: Digest], than remote: String) -> Set<SyncPath> {
    let later = state.later[remote] ?? [:]
    return Set(contents.filter { path, digest in later[path]?.contains(digest) ?? false }.keys)
  }

  public func agreedVersions(of path: SyncPath, atMost count: Int) -> [Digest] {
    var seen: Set<Digest> = []
    return Array((state.agreed[path] ?? []).reversed().filter { seen.insert($0).inserted }.prefix(count))
  }

  public func wasDisplaced(_ digest: Digest, at path: SyncPath) -> Bool {
    state.versions.contains { $0.path == path && $0.digest == digest }
  }

  public func content(_ digest: Digest) async throws(SyncError) -> Content? { await library.content(digest) }

  public nonisolated func intake(keepingAtMost limit: Int) -> any ContentSink {
    library.intake(keepingAtMost: limit)
  }

  public func flush() async throws(SyncError) { await library.flush() }

  fileprivate func records(of remote: String) -> [String: [UInt8]] { state.journals[remote] ?? [:] }

  fileprivate func write(_ records: [String: [UInt8]?], of remote: String) {
    for (key, value) in records { state.journals[remote, default: [:]][key] = value }
  }

  private func beginWriting() {
    state.pass = passNumber()
    runHasNumber = true
  }
}

private struct MemoryJournal: Journal {
  let archive: MemoryArchive
  let remote: String

  func records() async -> [String: [UInt8]] { await archive.records(of: remote) }

  func write(_ records: [String: [UInt8]?]) async { await archive.write(records, of: remote) }
}

extension RemoteMemory {
  /// The state after `record` is written.
  fileprivate func adding(_ record: Record) -> RemoteMemory {
    var memory = self
    memory.base = base.adding(record.agreements, removing: record.forgotten)
    let isNews = record.agreements.contains { base[$0.path]?.digest != $0.digest } || !record.forgotten.isEmpty
    if isNews || record.startsAgain { memory.generation += 1 }
    memory.conflicts.removeAll { conflict in
      record.resolved.contains { $0.path == conflict.path && $0.copy == conflict.copy }
    }
    memory.conflicts += record.opened
    memory.allowed.subtract(record.used)
    if let hold = record.hold { memory.hold = hold.items.isEmpty ? nil : hold }
    if let roots = record.roots { (memory.localRoot, memory.remoteRoot) = roots }
    if let stamped = record.stamped { memory.remoteRoot?.generation = stamped }
    if let cursors = record.cursors { (memory.localCursor, memory.remoteCursor) = cursors }
    return memory
  }
}

extension Base {
  fileprivate func adding(_ agreements: [Agreement], removing forgotten: [SyncPath]) -> Base {
    guard !agreements.isEmpty || !forgotten.isEmpty else { return self }
    var byPath = Dictionary(uniqueKeysWithValues: (0..<count).map { (self[$0].path, self[$0]) })
    for path in forgotten { byPath[path] = nil }
    for agreement in agreements { byPath[agreement.path] = agreement }
    return Base(byPath.values)
  }
}
