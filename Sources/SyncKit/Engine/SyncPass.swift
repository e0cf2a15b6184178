/// One pass over one remote: scans store and remote, reconciles with the agreements, merges what both changed, applies changes
/// under conditions, and records the results.
public struct SyncPass: Sendable {
  let parts: PassParts

  public init(_ parts: PassParts) { self.parts = parts }

  /// Runs the pass. Results of single files are in the report and do not stop the pass; an error that ends it early is the
  /// report's failure. Completed changes are recorded either way.
  public func run() async -> PassReport {
    var report = PassReport(remote: parts.name, actionLimit: parts.options.actionLimit)
    let start = parts.runtime.now()
    do throws(SyncError) { try await run(&report) } catch { report.failure = error }
    report.seconds = Double(parts.runtime.now().nanoseconds - start.nanoseconds) / 1e9
    report.result = Self.result(of: report)
    parts.progress(Progress(remote: parts.name, stage: .ended, bytes: report.bytes.up + report.bytes.down))
    return report
  }

  private func run(_ report: inout PassReport) async throws(SyncError) {
    let memory = try await parts.archive.memory(of: parts.name)
    var (check, scan) = try await identify(memory)
    report.notices = notices(check, scan)
    let known = check.startsAgain ? memory.startedAgain : memory

    let hidden = try await HiddenAgreements(in: parts.archive.journal(of: parts.name))
    scan.forgetIntendedChanges(of: hidden, filter: parts.options.filter)
    var inspection = Inspection(scan, parts, hidden: hidden, isFirstPass: known.isFirstPass)
    try await inspection.run()
    try PassFailpoint.fetched.reach()
    for problem in inspection.problems { report.record(problem) }
    report.wantsAnotherPass = inspection.wantsAnotherPass
    report.wantsSecondCheck = inspection.wantsSecondCheck

    let followsRenames = parts.options.mode == .both
    var plan = Reconcile.plan(
      inspection.scan, inspection.differences, filter: parts.options.filter, followsRenames: followsRenames)
    if check.isRestored {
      plan = try await Restoration(memory: memory, archive: parts.archive).republishing(plan)
    }
    plan = try await alteredUploads.leftAlone(in: plan)
    if followsRenames { plan = try await EditedRenames(parts: parts).followed(in: plan) }
    let denial = Denial(items: try await denials.items())
    plan = secured(denial.applied(to: plan), known, check)
    report.hold = plan.hold
    try PassFailpoint.planned.reach()
    noteWhatStays(plan, in: &report)
    let resolved = try await OpenConflicts(parts: parts, scan: plan.scan).resolved(known.conflicts)
    var intended = IntendedChanges()
    if parts.options.isDryRun {
      preview(try await changeList(plan, known), in: &report)
    } else {
      try await prepare(check, plan, check.isRestored ? memory : known, resolved)
      try await denials.remove(denial.lapsed(in: plan))
      intended = IntendedChanges(
        check.isRestored ? memory.intended : Array(plan.scan.intended.values), recorded: known.intended.count,
        lastBatch: known.lastBatch)
      if !check.startsAgain { try await recordObserved(&intended, plan) }
      // After that: a change that was forgotten because its path was hidden must not be remembered without this knowledge.
      try await hidden.update(
        for: plan, intended: memory.intended, filter: parts.options.filter, startsAgain: check.startsAgain)
      try await apply(plan, known, &intended, &report)
    }
    noteWhatWaits(plan, in: &report)
    report.openConflicts = known.conflicts.count - resolved.count + report.counts.conflicts
    if !parts.options.isDryRun {
      try await seenDevices.add(plan.scan.remote.devices)
      try await finish(plan, check, known, agreed: memory.base, intended, &report)
    }
  }

  // MARK: Scan

  /// Lists both sides and verifies that they are the known ones.
  private func identify(_ memory: RemoteMemory) async throws(SyncError) -> (ReplicaIdentityCheck, Scan) {
    if !parts.options.isDryRun {
      try await parts.local.recover()
      // Recovery may write to the remote; it is needed where a pass in another mode wrote.
      if parts.options.mode.mayChange(.remote) || !memory.intended.isEmpty { try await parts.remote.recover() }
    }
    try PassFailpoint.started.reach()
    parts.progress(Progress(remote: parts.name, stage: .scanning))
    let scan = try await scan(memory)
    try PassFailpoint.scanned.reach()
    let check = try ReplicaIdentityCheck(
      memory, local: scan.local.root, remote: scan.remote.root, name: parts.name,
      known: Set(Side.allCases.filter { scan[$0].holdsKnown }), isStoreOlder: scan.local.wentBackwards,
      marksRemote: parts.options.mode.mayChange(.remote))
    if scan.remote.wentBackwards { throw Self.wentBackwards(parts.name) }
    // A file missing from a replaced folder cannot be distinguished from one that could not be read there.
    for side in check.strangers where !scan[side].isWhole { throw Self.unreadable(scan[side].root, side) }
    // The agreements do not apply to these replicas, so they are listed again without them.
    guard check.startsAgain, !memory.base.isEmpty else { return (check, scan) }
    return (check, try await self.scan(RemoteMemory()))
  }

  private func scan(_ memory: RemoteMemory) async throws(SyncError) -> Scan {
    async let local = snapshot(.local, memory)
    async let remote = snapshot(.remote, memory)
    let snapshots = await (local, remote)
    return Scan(
      base: memory.base, local: try snapshots.0.get(), remote: try snapshots.1.get(),
      intended: Dictionary(memory.intended.map { ($0.path, $0) }, uniquingKeysWith: { $1 }))
  }

  private func snapshot(_ side: Side, _ memory: RemoteMemory) async -> Result<Snapshot, SyncError> {
    let awaited = memory.intended.filter { $0[side] != nil }.compactMap { change in
      change.target.map { (change.path, $0) }
    }
    do throws(SyncError) {
      let known = Known(
        memory.base, on: side, cursor: usable(memory.cursor(of: side)), filter: parts.options.filter,
        awaited: Dictionary(awaited, uniquingKeysWith: { $1 }), pending: try await parts.archive.intendedPaths())
      return .success(try await parts[side].snapshot(since: known).withUnreadPlaceholders)
    } catch { return .failure(error) }
  }

  /// Returns a cursor for storing, prefixed with the digest of the filter, because an incremental listing is only valid under
  /// the same filter.
  private func kept(_ cursor: Cursor?) -> Cursor? {
    cursor.map { Cursor(bytes: Digest(of: parts.options.filter.text.utf8).bytes + $0.bytes) }
  }

  private func usable(_ cursor: Cursor?) -> Cursor? {
    guard let cursor, cursor.bytes.starts(with: Digest(of: parts.options.filter.text.utf8).bytes) else { return nil }
    return Cursor(bytes: Array(cursor.bytes.dropFirst(32)))
  }

  private static func wentBackwards(_ name: String) -> SyncError {
    SyncError(
      .wrongReplica,
      "the remote \(name) is older than before: restored from a backup, or its history was rewritten; nothing was changed",
      remedy: .reset(remote: name))
  }

  private static func unreadable(_ root: RootIdentity, _ side: Side) -> SyncError {
    SyncError(
      .wrongReplica,
      "the \(side.word) \(root.address) is another folder than before, and parts of it cannot be read; nothing was changed"
    )
  }

  private func notices(_ check: ReplicaIdentityCheck, _ scan: Scan) -> [String] {
    ([check.notice].compactMap(\.self)
      + Side.allCases.flatMap { side in
        [scan[side].placeholderNotice(side)].compactMap(\.self)
          + scan[side].unread.compactMap { Self.notice(of: $0, on: side) }
      })
      .map(\.printableLine)
  }

  private static func notice(of part: Unread, on side: Side) -> String? {
    guard case .special(let what) = part.reason else { return nil }
    return "\(part.path) in the \(side.word) is \(what); ignored"
  }

  // MARK: Decide

  /// Returns the plan without changes that the mode ignores, in which changes that need approval are holds.
  private func secured(_ plan: Plan, _ memory: RemoteMemory, _ check: ReplicaIdentityCheck) -> Plan {
    let safety = Guard(
      limit: parts.options.deletions, allowed: memory.allowed.union(parts.options.approved),
      deletedToday: memory.deletedToday,
      strangers: check.strangers, hold: memory.hold)
    // A side that may be the wrong disk stops the pass, also if the mode would ignore what is missing there.
    return safety.examine(safety.doubts(plan) ? plan : ModeFilter(mode: parts.options.mode).applied(to: plan))
  }

  /// Reports omitted changes: those that the mode ignores, that need approval, that a side cannot hold, or that could not be
  /// read.
  private func noteWhatStays(_ plan: Plan, in report: inout PassReport) {
    for (index, change) in plan.ignored.sorted(by: { $0.key < $1.key }) {
      report.record(IgnoredChange(path: plan.path(at: index), change: change))
    }
    for index in plan.indices {
      if case .hold(let change) = plan.decisions[index] {
        report.record(
          Action(
            path: plan.path(at: index), kind: .hold, to: change.target, result: .waiting,
            detail: plan.hold?.reason ?? ""))
      }
    }
    for (index, reason) in plan.altered.sorted(by: { $0.key < $1.key }) {
      report.record(Action(path: plan.path(at: index), kind: .hold, to: .remote, result: .waiting, detail: reason))
    }
    for (index, objection) in plan.objections.sorted(by: { $0.key < $1.key }) {
      guard case .copy(let side) = plan.decisions[index] else { continue }
      report.record(
        Action(path: plan.path(at: index), kind: .copy, to: side.target, result: .failed, detail: objection))
    }
    noteReplacedFiles(plan, in: &report)
    for side in Side.allCases {
      for part in plan.scan[side].unread {
        guard case .failed(let reason) = part.reason else { continue }
        report.record(Action(path: part.path, kind: .copy, to: side.other.target, result: .failed, detail: reason))
      }
    }
  }

  /// Reports files that one side has replaced by something that is not synced, and no notice as well.
  private func noteReplacedFiles(_ plan: Plan, in report: inout PassReport) {
    let replaced = ReplacedFiles.all(in: plan)
    for action in replaced { report.record(action) }
    let paths = Set(replaced.map(\.path))
    let parts = Side.allCases.flatMap { side in plan.scan[side].unread.map { (part: $0, side: side) } }
    let notices = parts.filter { paths.contains($0.part.path) }.compactMap { Self.notice(of: $0.part, on: $0.side) }
    report.notices.removeAll { notices.map(\.printableLine).contains($0) }
  }

  /// Reports requests that the remote accepted in an earlier pass and has not carried out, unless this pass reports their
  /// results.
  private func noteWhatWaits(_ plan: Plan, in report: inout PassReport) {
    guard !plan.scan.remote.waiting.isEmpty else { return }
    let noted = Set(report.actions.lazy.filter { $0.to != .local }.map(\.path))
    for (path, reason) in plan.scan.remote.waiting where !noted.contains(path) {
      report.record(Action(path: path, kind: .copy, to: .remote, result: .waiting, detail: reason))
    }
  }

  /// Reports the changes of the plan, for a dry run.
  private func preview(_ list: ChangeList, in report: inout PassReport) {
    for index in list.plan.indices {
      for change in list.changes(for: index) {
        guard let kind = change.kind else { continue }
        report.record(
          Action(path: change.path, kind: kind, to: change.reportTarget, result: .waiting, detail: change.detail))
        if let planned = PlannedChange(change) { report.record(planned) }
      }
      if let held = PlannedChange(heldAt: index, in: list.plan) { report.record(held) }
    }
  }

  /// Returns the list without the changes that are not among the reviewed ones, and reports those.
  private func limited(_ list: ChangeList, in report: inout PassReport) -> ChangeList {
    guard let reviewed = parts.options.onlyChanges else { return list }
    let (limited, omitted) = list.limited(to: reviewed)
    for change in omitted {
      report.record(
        Action(
          path: change.path, kind: change.kind, to: change.to, result: .waiting,
          detail: "not a part of the plan; the next sync makes this change"))
    }
    return limited
  }

  // MARK: Apply

  /// Claims replicas before anything is written to them, and discards records that no longer apply.
  private func prepare(
    _ check: ReplicaIdentityCheck, _ plan: Plan, _ memory: RemoteMemory, _ resolved: [OpenConflict]
  ) async throws(SyncError) {
    var roots = (local: plan.scan.local.root, remote: plan.scan.remote.root)
    if check.claims.contains(.local) { roots.local = try await parts.local.claim() }
    let isDoubtful = plan.hold?.items.contains { $0.side == .local && check.strangers.contains(.remote) } ?? false
    if isDoubtful {
      roots.remote = memory.remoteRoot ?? roots.remote
    } else if check.claims.contains(.remote) {
      roots.remote = try await parts.remote.claim()
    }
    // A replaced root is accepted once nothing is held because of it.
    if !check.strangers.isEmpty, plan.hold != nil { roots.local = memory.localRoot ?? roots.local }
    roots.local.generation = nil
    if !check.startsAgain || check.isRestored { roots.remote.generation = memory.remoteRoot?.generation }
    var record = Record(remote: parts.name)
    // The agreements from before a restore are needed until everything is repaired, which may take several passes.
    record.startsAgain = check.startsAgain && !check.isRestored
    if check.isRestored {
      record.cursors = (nil, nil)
      record.forgotten = (0..<memory.base.count).map(memory.base.path(at:)).filter { isOver($0, in: plan) }
    }
    record.resolved = resolved
    if roots.local != memory.localRoot || roots.remote != memory.remoteRoot { record.roots = roots }
    if !record.isEmpty { try await parts.archive.record(record) }
  }

  /// Returns true if an agreement from before a restore says nothing about a path.
  private func isOver(_ path: SyncPath, in plan: Plan) -> Bool {
    // The remote may have an older version of an ignored file, or none. Neither is a change once the file takes part again.
    guard parts.options.filter.accepts(path) else { return true }
    // A later file of that name is a new one, on either side.
    return plan.isFree(path)
  }

  /// Records what the scan shows about unrecorded changes of former passes, because it may be different by the next pass.
  private func recordObserved(_ intended: inout IntendedChanges, _ plan: Plan) async throws(SyncError) {
    var record = Record(remote: parts.name)
    record.ended = intended.observe(plan)
    if !record.isEmpty { try await parts.archive.record(record) }
  }

  private func apply(
    _ plan: Plan, _ memory: RemoteMemory, _ intended: inout IntendedChanges, _ report: inout PassReport
  ) async throws(SyncError) {
    let list = limited(try await changeList(plan, memory), in: &report)
    var application = Application(
      list, parts, intended: intended, report: report, recordCount: memory.recordCount)
    let end: Result<Void, SyncError>
    do throws(SyncError) { end = .success(try await application.run()) } catch { end = .failure(error) }
    report = application.report
    try await alteredUploads.add(application.altered)
    try end.get()
    try await denials.remove(application.undone)
    intended = application.intended
  }

  private var alteredUploads: AlteredUploads { AlteredUploads(parts: parts) }

  private var seenDevices: SeenDevices { SeenDevices(in: parts.archive.journal(of: parts.name)) }

  private var denials: DeniedDeletions { DeniedDeletions(in: parts.archive.journal(of: parts.name)) }

  private func changeList(_ plan: Plan, _ memory: RemoteMemory) async throws(SyncError) -> ChangeList {
    let resolutions = try await MergeStep(parts: parts).resolve(plan)
    let losses = Set(Guard(limit: parts.options.deletions).losses(in: plan).map(\.item))
    return ChangeList(plan: plan, parts: parts, resolutions: resolutions, allowed: memory.allowed, losses: losses)
  }

  // MARK: Record

  private func finish(
    _ plan: Plan, _ check: ReplicaIdentityCheck, _ memory: RemoteMemory, agreed: Base, _ intended: IntendedChanges,
    _ report: inout PassReport
  ) async throws(SyncError) {
    var record = Record(remote: parts.name)
    record.ended = intended.ended(after: plan, filter: parts.options.filter, startsAgain: check.startsAgain)
    if check.strangers.isEmpty { record.used = Guard.lapsed(memory.allowed, in: plan) }
    if plan.hold?.items != memory.hold?.items { record.hold = plan.hold ?? Hold(reason: "", items: []) }
    let cursors = (local: kept(plan.scan.local.cursor), remote: kept(plan.scan.remote.cursor))
    let isNew = cursors.local != memory.localCursor || cursors.remote != memory.remoteCursor
    // Otherwise a later listing from this cursor would omit files that were listed but not recorded.
    if isNew, !report.leftSomething, !plan.decisions.contains(.leave) { record.cursors = cursors }
    if !record.isEmpty { try await parts.archive.record(record) }
    if parts.options.mode.mayChange(.remote), !check.isRestored || Self.isRepaired(plan, agreed, report) {
      try await stamp(since: memory, check)
    }
    try PassFailpoint.finished.reach()
  }

  /// Stores the archive's generation in the remote if the base has changed, and records that in the archive.
  private func stamp(since memory: RemoteMemory, _ check: ReplicaIdentityCheck) async throws(SyncError) {
    let generation = try await parts.archive.generation(of: parts.name)
    guard generation != memory.generation || check.isRestored,
      try await parts.remote.stamp(generation: generation)
    else { return }
    try await seenDevices.add([parts.device.id: parts.device.name])
    var record = Record(remote: parts.name)
    record.stamped = generation
    try await parts.archive.record(record)
  }

  /// Returns true if a restored remote again has everything that it can hold. Until then it is not stamped.
  ///
  /// - Parameter agreed: the agreements from before the restore.
  private static func isRepaired(_ plan: Plan, _ agreed: Base, _ report: PassReport) -> Bool {
    // An older version that the mode keeps from the other side would count as an edit.
    guard plan.ignored.keys.allSatisfy({ agreed[plan.path(at: $0)] == nil }) else { return false }
    // What an interrupted listing lacks is not known to be there.
    guard Side.allCases.allSatisfy({ plan.scan[$0].isComplete }) else { return false }
    let refused = plan.objections.keys.count { if case .copy = plan.decisions[$0] { true } else { false } }
    return report.counts.held + report.counts.waiting == 0 && report.counts.failed == refused
  }

  private static func result(of report: PassReport) -> PassResult {
    var results: [PassResult] = [.synced]
    if let failure = report.failure { results.append(PassResult(failure)) }
    if report.hold != nil || report.counts.held > 0 { results.append(.held) }
    if report.counts.failed > 0 { results.append(.failed) }
    if report.openConflicts > 0 { results.append(.conflicts) }
    if report.counts.waiting > 0 { results.append(report.needsSecondCheck ? .unsettled : .waiting) }
    return results.max() ?? .synced
  }
}

extension Side {
  var target: Action.Target { self == .local ? .local : .remote }
}

extension Decision.HeldChange {
  var target: Action.Target {
    switch self {
    case .removal(let side), .emptying(let side): side.target
    }
  }
}
