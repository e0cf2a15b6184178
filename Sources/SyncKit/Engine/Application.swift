/// Carries out a plan in batches: stores contents and replaced versions in the archive, makes the changes under their
/// conditions, then records what both sides have. That record is written while the next batch is applied.
struct Application {
  let parts: PassParts
  let list: ChangeList
  private(set) var intended: IntendedChanges
  private(set) var report: PassReport
  /// The denied deletions that were undone.
  private(set) var undone: [HeldItem] = []
  /// What the remote made of contents that it was sent.
  private(set) var altered: [AlteredUpload] = []
  /// The `recordCount` of the memory with which the pass began.
  private let recordCount: Int

  init(
    _ list: ChangeList, _ parts: PassParts, intended: IntendedChanges, report: PassReport, recordCount: Int
  ) {
    self.list = list
    self.parts = parts
    self.intended = intended
    self.report = report
    self.recordCount = recordCount
  }

  /// Carries out the plan. If it throws, everything that was recorded stays, and the next pass continues.
  mutating func run() async throws(SyncError) {
    var batch: [PathChange] = []
    var bytes = 0
    var record: Record?
    let total = list.plan.indices.count
    let limit = try await parts.remote.capabilities().commitLimit
    for index in list.plan.indices {
      for change in list.changes(for: index) {
        batch.append(change)
        bytes += change.changedSides.isEmpty ? 0 : change.target?.size ?? 0
      }
      guard batch.count >= limit.count || bytes >= limit.bytes else { continue }
      record = try await carryOut(batch, recording: record)
      tell(index + 1, of: total, batch.last)
      (batch, bytes) = ([], 0)
    }
    if !batch.isEmpty {
      record = try await carryOut(batch, recording: record)
      tell(total, of: total, batch.last)
    }
    try await write(record)
  }

  private func tell(_ done: Int, of total: Int, _ last: PathChange?) {
    parts.progress(
      Progress(
        remote: parts.name, stage: .writing, done: done, total: total, bytes: report.bytes.up + report.bytes.down,
        path: last?.path))
  }

  /// Carries out a batch while the record of the previous one is written; returns its own record.
  private mutating func carryOut(_ batch: [PathChange], recording former: Record?) async throws(SyncError) -> Record {
    let ready: Ready
    do throws(SyncError) { ready = try await prepare(batch) } catch {
      try await write(former)
      throw error
    }
    async let archived = Self.archive(former, in: parts.archive)
    let outcomes: Result<[PathOutcome], SyncError>
    do throws(SyncError) { outcomes = .success(try await apply(ready)) } catch { outcomes = .failure(error) }
    try await archived.get()
    try await announce(former)
    return record(of: ready.batch, try outcomes.get())
  }

  private mutating func apply(_ ready: Ready) async throws(SyncError) -> [PathOutcome] {
    let batch = ready.batch
    var outcomes: [PathOutcome] = batch.map { PathOutcome(of: $0) }
    var isFirst = true
    for wave in Self.waves(of: batch) where !wave.isEmpty {
      for side in Self.order {
        let owners = Self.owners(wave, of: batch, on: side).filter { outcomes[$0].problem == nil }
        if !owners.isEmpty {
          let step = BatchStep(side: side, paths: owners.map { batch[$0].path })
          // The archive knows the first step from the start of the batch.
          if !isFirst { try await begin(step) }
          isFirst = false
          try await apply(owners, of: ready, step, into: &outcomes)
        }
        try (side == .remote ? PassFailpoint.remoteApplied : .localApplied).reach()
      }
      stopFollowers(of: wave, in: batch, &outcomes)
    }
    return outcomes
  }

  /// The order in which the sides are changed.
  private static let order = [Side.remote, .local]

  /// The changes on which others depend, and then the others.
  private static func waves(of batch: [PathChange]) -> [[Int]] {
    let first = Set(batch.compactMap(\.after))
    return [
      batch.indices.filter { first.contains(batch[$0].path) }, batch.indices.filter { !first.contains(batch[$0].path) },
    ]
  }

  /// The changes of a wave that have something to do on a side, in folder order.
  private static func owners(_ wave: [Int], of batch: [PathChange], on side: Side) -> [Int] {
    wave.filter { batch[$0].hasSomethingToDo(on: side) }.sorted { batch[$0].path < batch[$1].path }
  }

  private static func firstStep(of batch: [PathChange]) -> BatchStep? {
    for wave in waves(of: batch) {
      for side in order {
        let owners = owners(wave, of: batch, on: side)
        if !owners.isEmpty { return BatchStep(side: side, paths: owners.map { batch[$0].path }) }
      }
    }
    return nil
  }

  /// Records what the former steps of the batch have written, and that another one begins.
  private mutating func begin(_ step: BatchStep) async throws(SyncError) {
    intended.begin(step)
    try await parts.archive.update(intended.progress(of: parts.name))
  }

  /// Skips changes that depend on one that failed.
  private func stopFollowers(of wave: [Int], in batch: [PathChange], _ outcomes: inout [PathOutcome]) {
    let failed = Set(wave.filter { outcomes[$0].problem != nil }.map { batch[$0].path })
    guard !failed.isEmpty else { return }
    for index in batch.indices {
      guard let after = batch[index].after, failed.contains(after) else { continue }
      outcomes[index].problem = (.waiting, "it waits until \(after) is written")
    }
  }

  // MARK: Before the changes

  /// The feasible changes of a batch, and their contents.
  private struct Ready {
    var batch: [PathChange]
    var contents: [Digest: Content]
  }

  private mutating func prepare(_ batch: [PathChange]) async throws(SyncError) -> Ready {
    try Task.checkPassGoesOn()
    try PassFailpoint.batchStarting.reach()
    let batch = try await archive(batch)
    let contents = try await parts.archive.contents(Set(batch.flatMap(needs(of:)).map(\.digest)))
    return Ready(batch: batch, contents: contents)
  }

  /// Stores the contents that the batch needs in the archive, and records the versions that it will replace. A change whose
  /// contents are unavailable is reported and omitted.
  private mutating func archive(_ batch: [PathChange]) async throws(SyncError) -> [PathChange] {
    let needed = batch.flatMap(needs(of:))
    guard !needed.isEmpty else {
      // A later merge needs what the sides have in common.
      try await parts.archive.flush()
      return batch
    }
    var held = try await parts.archive.held(Set(needed.map(\.digest)))
    var obstacles: [Digest: Obstacle] = [:]
    for side in Side.allCases {
      let missing = Dictionary(
        needed.filter { $0.source?.side == side && !held.contains($0.digest) }.map { ($0.digest, $0) },
        uniquingKeysWith: { first, _ in first })
      try await fetch(Array(missing.values), from: side, into: &held, &obstacles)
    }
    var ready: [PathChange] = []
    let possible = Set(batch.filter { needs(of: $0).allSatisfy { held.contains($0.digest) } }.map(\.path))
    for change in batch {
      if possible.contains(change.path), change.after.map(possible.contains) ?? true {
        ready.append(change)
      } else {
        recordObstacle(obstacle(to: change, held, obstacles), to: change)
      }
    }
    let changes = ready.compactMap(IntendedChange.init)
    guard !changes.isEmpty else {
      try await parts.archive.flush()
      return ready
    }
    let versions = ready.flatMap(displacedVersions(of:))
    let batch = intended.begin(
      changes, first: Self.firstStep(of: ready), displacing: versions, of: parts.name)
    try await parts.archive.prepare(batch)
    return ready
  }

  /// Returns the contents that must be in the archive before `change` is made: those that it writes and those that it replaces.
  private func needs(of change: PathChange) -> [PathChange.Target] {
    let displaced = change.changedSides.compactMap { side in
      change.displaced(on: side).flatMap { entry in
        entry.digest.map {
          PathChange.Target(
            digest: $0, size: entry.size,
            source: PathChange.Source(side: side, path: entry.path, revision: entry.revision))
        }
      }
    }
    return displaced + (change.changedSides.isEmpty ? [] : [change.target].compactMap(\.self))
  }

  /// The reason why a content is unavailable.
  private enum Obstacle {
    /// The content has changed, or will be available a little later.
    case passing(String)
    case failed(SyncError)
  }

  /// Reads contents into the archive: adds the available ones to `held`, and the reasons for the others to `obstacles`.
  private func fetch(
    _ targets: [PathChange.Target], from side: Side, into held: inout Set<Digest>, _ obstacles: inout [Digest: Obstacle]
  ) async throws(SyncError) {
    let sources = targets.compactMap { target in target.source.map { (path: $0.path, digest: target.digest) } }
      .sorted { $0.path < $1.path }
    guard !sources.isEmpty else { return }
    let results = try await parts[side].read(sources.map(\.path), into: parts.archive.intake(keepingAtMost: .max))
      .inOrder(of: sources.map(\.path), from: side.source)
    var read: Set<Digest> = []
    for (source, result) in try sources.paired(with: results, from: side.source) {
      switch result {
      case .read(let entry): if let digest = entry.digest { read.insert(digest) }
      case .absent: break
      case .postponed(let reason): obstacles[source.digest] = .passing(reason)
      case .failed(let error): obstacles[source.digest] = .failed(error)
      }
    }
    held.formUnion(read.intersection(targets.map(\.digest)))
  }

  private func obstacle(to change: PathChange, _ held: Set<Digest>, _ obstacles: [Digest: Obstacle]) -> Obstacle {
    let missing = needs(of: change).map(\.digest).filter { !held.contains($0) }
    if missing.isEmpty, let after = change.after { return .passing("it waits until \(after) is written") }
    return missing.compactMap { obstacles[$0] }.first
      ?? .passing("the file changed while it was read; the next pass checks again")
  }

  private mutating func recordObstacle(_ obstacle: Obstacle, to change: PathChange) {
    switch obstacle {
    case .passing(let reason):
      report.record(action(change, .waiting, reason))
      (report.wantsAnotherPass, report.wantsSecondCheck) = (true, true)
    case .failed(let error):
      report.record(action(change, error.code == .suspect ? .waiting : .failed, parts.options.describe(error)))
    }
  }

  private func displacedVersions(of change: PathChange) -> [Version] {
    change.changedSides.filter { $0 == .remote || parts.wholeFiles == nil }.compactMap { side in
      guard let digest = change.displaced(on: side)?.digest, digest != change.target?.digest else { return nil }
      return Version(remote: parts.name, path: change.path, digest: digest, side: side)
    }
  }

  // MARK: The changes

  private mutating func apply(
    _ owners: [Int], of ready: Ready, _ step: BatchStep, into outcomes: inout [PathOutcome]
  ) async throws(SyncError) {
    let (batch, side) = (ready.batch, step.side)
    var (made, unmade): (Set<SyncPath>, Set<SyncPath>) = ([], [])
    var changes: [Change] = []
    let sent = SentContents()
    for owner in owners {
      var change = try change(batch[owner], from: batch[owner].displaced(on: side), ready.contents)
      change.content = change.content.map { sent.observe($0, of: owner) }
      changes.append(change)
    }
    let results = try await parts[side].commit(changes).inOrder(of: changes.map(\.path), from: side.source)
    for (owner, result) in try owners.paired(with: results, from: side.source) {
      outcomes[owner].update(with: result, on: side, parts.options)
      recordAltered(batch[owner], by: result, on: side)
      if outcomes[owner].written.contains(side) { made.insert(batch[owner].path) }
      if result.isWithoutEffect { unmade.insert(batch[owner].path) }
      if parts.wholeFiles != nil, side == .local, hasOther(result, than: batch[owner]) {
        report.wantsAnotherPass = true
      }
      if outcomes[owner].written.contains(side), sent.contains(owner) {
        report.bytes.add(batch[owner].target?.size ?? 0, toward: side)
      }
    }
    intended.end(step, made: made, unmade: unmade)
  }

  /// Returns true if a view has another content than was written: the next pass sends it to the remote.
  private func hasOther(_ result: WriteResult, than change: PathChange) -> Bool {
    guard case .done(let entry?) = result, let digest = entry.digest else { return false }
    return digest != change.target?.digest
  }

  private func change(
    _ change: PathChange, from entry: Entry?, _ contents: [Digest: Content]
  ) throws(SyncError) -> Change {
    Change(
      path: change.path, content: try archived(change.target?.digest, in: contents),
      condition: entry.map { .unchanged($0.revision) } ?? .absent,
      replaced: try archived(entry?.digest, in: contents), modified: change.target?.modified)
  }

  private func archived(_ digest: Digest?, in contents: [Digest: Content]) throws(SyncError) -> Content? {
    guard let digest else { return nil }
    guard let content = contents[digest] else {
      throw SyncError(.damagedState, "the archive lacks the content \(digest.short)")
    }
    return content
  }

  /// Remembers an upload that the remote altered: the next pass must not merge a file with itself.
  private mutating func recordAltered(_ change: PathChange, by result: WriteResult, on side: Side) {
    guard side == .remote, case .unknown(let error) = result, let sent = change.target?.digest, let found = error.found
    else { return }
    altered.append(AlteredUpload(path: change.path, sent: sent, found: found))
  }

  // MARK: After the changes

  private mutating func record(of batch: [PathChange], _ outcomes: [PathOutcome]) -> Record {
    var record = Record(remote: parts.name)
    record.follows = recordCount
    // A change that another one depends on is an agreement only after that one: the next pass continues.
    let unfinished = Set(batch.indices.filter { outcomes[$0].problem != nil }.compactMap { batch[$0].after })
    let done = batch.indices.filter { outcomes[$0].problem == nil }.map { batch[$0].path }
    // An agreement that is forgotten because the filter refuses the path ends no change of it.
    record.ended = intended.end(done.filter { !unfinished.contains($0) && parts.options.filter.accepts($0) })
    for (change, outcome) in zip(batch, outcomes) {
      report.wantsAnotherPass = report.wantsAnotherPass || outcome.wantsAnotherPass
      report.wantsSecondCheck = report.wantsSecondCheck || outcome.wantsSecondCheck
      if let problem = outcome.problem {
        add(action(change, problem.result, problem.detail), to: &record)
      } else {
        recordSuccess(of: change, outcome, isFinished: !unfinished.contains(change.path), in: &record)
      }
    }
    return record
  }

  private func write(_ record: Record?) async throws(SyncError) {
    try await Self.archive(record, in: parts.archive).get()
    try await announce(record)
  }

  /// Records the results in the archive.
  private static func archive(_ record: Record?, in archive: any Archive) async -> Result<Void, SyncError> {
    guard let record, !record.isEmpty else { return .success(()) }
    do throws(SyncError) { return .success(try await archive.record(record)) } catch { return .failure(error) }
  }

  /// Tells both sides that the archive has recorded the agreements.
  private func announce(_ record: Record?) async throws(SyncError) {
    guard let record, !record.isEmpty else { return }
    for side in Side.allCases { try await parts[side].recorded(record.agreements) }
    try PassFailpoint.batchRecorded.reach()
  }

  private mutating func recordSuccess(
    of change: PathChange, _ outcome: PathOutcome, isFinished: Bool, in record: inout Record
  ) {
    if let target = change.target, let local = outcome.revisions[.local], let remote = outcome.revisions[.remote] {
      let agreement = Agreement(path: change.path, digest: target.digest, local: local, remote: remote)
      if isFinished { record.agreements.append(agreement) }
    } else {
      record.forgotten.append(change.path)
    }
    if let conflict = change.conflict { record.opened.append(conflict) }
    if let denied = change.denied { undone.append(denied) }
    if let loss = change.loss {
      if list.allowed.contains(loss) { record.used.append(loss) } else { record.deletions += 1 }
    }
    guard change.kind != nil else { return }
    if outcome.isRequest {
      add(
        Action(path: change.path, kind: .copy, to: .remote, result: .waiting, detail: PathOutcome.received), to: &record
      )
    }
    if !outcome.isRequest || change.changedSides.contains(.local) {
      add(action(change, .done, change.detail), to: &record)
    }
  }

  private mutating func add(_ action: Action, to record: inout Record) {
    report.record(action)
    record.actions.append(action)
  }

  private func action(_ change: PathChange, _ result: Action.Result, _ detail: String) -> Action {
    var action = Action(
      path: change.path, kind: change.kind ?? .copy, to: change.reportTarget, result: result, detail: detail)
    if result == .done {
      action.before =
        change.changedSides.contains(.local) ? change.displaced(on: .local)?.digest : change.target?.digest
      action.after = change.target?.digest
      if let whole = parts.wholeFiles?[change.path] { (action.before, action.after) = whole }
    }
    return action
  }
}

extension WriteResult {
  /// True if certainly nothing was changed.
  fileprivate var isWithoutEffect: Bool {
    switch self {
    case .cannot, .failed, .postponed, .refused: true
    case .accepted, .done, .unknown: false
    }
  }
}

extension PassReport.Traffic {
  fileprivate mutating func add(_ size: Int, toward side: Side) {
    if side == .remote { up += size } else { down += size }
  }
}
