/// The changes of one remote that a pass intends, or that a former one intended, and whose end is not recorded.
struct IntendedChanges: Sendable {
  private var open: [SyncPath: IntendedChange] = [:]
  private var lastBatch = 0
  /// True if the archive has any of them.
  private var isRecorded = false

  init() {}

  /// Those that the archive had when the pass began; `scan` has the ones that are about the present replicas.
  init(_ memory: RemoteMemory, of scan: Scan) {
    open = scan.intended
    lastBatch = memory.lastBatch
    isRecorded = lastBatch > 0
  }

  /// The batch that is about to make `changes`.
  mutating func begin(_ changes: [IntendedChange], displacing versions: [Version], of remote: String) -> IntendedBatch {
    lastBatch += 1
    isRecorded = true
    for change in changes { open[change.path] = change }
    return IntendedBatch(remote: remote, number: lastBatch, displaced: versions, changes: changes)
  }

  /// What the archive has to record when the batch that was begun last has ended, with these paths done; nil if nothing.
  mutating func end(_ paths: some Sequence<SyncPath>) -> EndedBatches? {
    guard isRecorded else { return nil }
    for path in paths { open[path] = nil }
    isRecorded = !open.isEmpty
    return ended
  }

  /// What the archive has to record after a pass: changes stay open where the two sides still differ or are unknown.
  func ended(after plan: Plan) -> EndedBatches? {
    var remaining = self
    remaining.open = open.filter { path, _ in
      if let index = plan.index(of: path) { return plan.decisions[index] != .agree }
      return Side.allCases.contains { plan.scan[$0].isUnknown(path) }
    }
    return remaining.open.count == open.count ? nil : remaining.ended
  }

  private var ended: EndedBatches {
    EndedBatches(last: lastBatch, open: open.values.sorted { $0.path < $1.path })
  }
}
