/// The intended changes of one remote, of this pass or a former one, whose results are not recorded.
struct IntendedChanges: Sendable {
  private var open: [SyncPath: IntendedChange] = [:]
  private var lastBatch = 0
  /// True if the archive has any of them.
  private var isRecorded = false

  init() {}

  /// The changes that the archive had at the beginning of the pass, and the number of their last batch.
  init(_ changes: [IntendedChange], _ lastBatch: Int) {
    open = Dictionary(changes.map { ($0.path, $0) }, uniquingKeysWith: { $1 })
    self.lastBatch = lastBatch
    isRecorded = lastBatch > 0
  }

  /// Begins the batch that will make `changes`.
  mutating func begin(_ changes: [IntendedChange], displacing versions: [Version], of remote: String) -> IntendedBatch {
    lastBatch += 1
    isRecorded = true
    for change in changes { open[change.path] = change }
    return IntendedBatch(remote: remote, number: lastBatch, displaced: versions, changes: changes)
  }

  /// Returns the record for the end of the last batch, in which these paths were done; nil if there is nothing to record.
  mutating func end(_ paths: some Sequence<SyncPath>) -> EndedBatches? {
    guard isRecorded else { return nil }
    for path in paths { open[path] = nil }
    isRecorded = !open.isEmpty
    return ended
  }

  /// Returns the record for the end of a pass: changes stay open where the sides still differ or are unknown.
  /// So do those of paths that the filter refuses, unless a replica is another one or was restored, whose version there may be
  /// older than all that a change knows.
  func ended(after plan: Plan, filter: PathFilter, startsAgain: Bool) -> EndedBatches? {
    var remaining = self
    remaining.open = open.filter { path, _ in
      guard filter.accepts(path) else { return !startsAgain }
      if let index = plan.index(of: path) { return plan.decisions[index] != .agree }
      return Side.allCases.contains { plan.scan[$0].isUnknown(path) }
    }
    return remaining.open.count == open.count ? nil : remaining.ended
  }

  private var ended: EndedBatches {
    EndedBatches(last: lastBatch, open: open.values.sorted { $0.path < $1.path })
  }
}
