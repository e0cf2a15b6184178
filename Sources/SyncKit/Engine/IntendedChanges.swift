/// The intended changes of one remote, of this pass or a former one, whose results are not recorded.
struct IntendedChanges: Sendable {
  private var open: [SyncPath: IntendedChange] = [:]
  private var lastBatch = 0
  /// The paths of the last batch.
  private var batch: [SyncPath] = []
  /// True if the archive has any of them.
  private var isRecorded = false
  /// True if the archive has others, which this pass has forgotten.
  private var hasForgotten = false

  init() {}

  /// The changes that count in this pass.
  ///
  /// - Parameters:
  ///   - recorded: the number of changes that the archive had at the beginning of the pass.
  ///   - lastBatch: the number of their last batch.
  init(_ changes: [IntendedChange], recorded: Int, lastBatch: Int) {
    open = Dictionary(changes.map { ($0.path, $0) }, uniquingKeysWith: { $1 })
    self.lastBatch = lastBatch
    isRecorded = lastBatch > 0
    hasForgotten = open.count < recorded
  }

  /// Begins the batch that will make `changes`, whose first step writes to the paths of `first` on one side.
  mutating func begin(
    _ changes: [IntendedChange], first: BatchStep?, displacing versions: [Version], of remote: String
  ) -> IntendedBatch {
    lastBatch += 1
    isRecorded = true
    batch = changes.map(\.path)
    for var change in changes {
      change.begun = []
      open[change.path] = change
    }
    if let first { begin(first) }
    return progress(of: remote, displacing: versions)
  }

  /// Records that a step is about to write.
  mutating func begin(_ step: BatchStep) {
    for path in step.paths { open[path]?.begun.insert(step.side) }
  }

  /// Records the results of a step: the paths whose change was made, and those that certainly were not changed.
  mutating func end(_ step: BatchStep, made: Set<SyncPath>, unmade: Set<SyncPath>) {
    for path in made { open[path]?.written.insert(step.side) }
    for path in unmade { open[path]?.begun.remove(step.side) }
  }

  /// The last batch, with what is known about its changes.
  func progress(of remote: String, displacing versions: [Version] = []) -> IntendedBatch {
    IntendedBatch(remote: remote, number: lastBatch, displaced: versions, changes: batch.compactMap { open[$0] })
  }

  /// Adds what a scan shows about the changes of former passes. Returns the record of it; nil if that is nothing new.
  mutating func observe(_ plan: Plan) -> EndedBatches? {
    var isNew = false
    for (path, change) in open {
      guard let index = plan.index(of: path) else { continue }
      let difference = plan.differences[index]
      let observed = change.observed(
        local: plan.scan.state(of: difference, on: .local), remote: plan.scan.state(of: difference, on: .remote),
        written: Set(Side.allCases.filter { plan.scan[$0].written.contains(path) }))
      isNew = isNew || observed != change
      open[path] = observed
    }
    guard isNew || hasForgotten else { return nil }
    hasForgotten = false
    return ended
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

/// A step of a batch: the changes of one side that are made together.
struct BatchStep: Sendable {
  var side: Side
  var paths: [SyncPath]
}
