import OrgKit
import Programs
import SyncDaemon
import SyncKit
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Carries out batches, one after the other, as the commands of the command line edit entries: with the lock of the store, its own
/// or that of the service, under the condition that no file has changed, and as a numbered pass of the history.
///
/// A batch is recorded with the contents of its files before the first one is written. After a crash, the files say whether it was
/// carried out, so that a batch that is sent again has one effect.
actor BatchWriter {
  private let thread = Worker("hub batches")
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

  private let configuration: DaemonConfiguration
  private let database: HubDatabase
  private let access: WorkspaceAccess
  private let turns = LockQueue()
  /// The number of attempts if other programs change the files.
  private static let attempts = 3

  init(_ configuration: DaemonConfiguration, _ database: HubDatabase, _ access: WorkspaceAccess) {
    (self.configuration, self.database, self.access) = (configuration, database, access)
  }

  /// The result of a batch.
  struct Result: Sendable {
    /// The number among the batches of all clients; nil if the batch was carried out before.
    var number: Int?
    /// The answer, as JSON.
    var answer: String
    /// The changed files; nil if the batch was carried out before.
    var files: [String]?
    /// The identifiers of the changed entries.
    var items: [String] = []
  }

  /// Carries out a batch, unless it was carried out before. Throws a problem if its number is not the next one. A client that goes
  /// away does not stop it.
  func carryOut(_ batch: Batch, of device: HubDevice) async throws -> Result {
    let work = Task { try await inTurn { try await carryOutInTurn(batch, of: device) } }
    return try await work.value
  }

  /// Runs another function that changes the store, while no batch is carried out.
  func change<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
    let work = Task { try await inTurn(body) }
    return try await work.value
  }

  /// Waits for the batch that is being carried out.
  func finish() async throws { try await inTurn {} }

  /// Runs a function while no batch is carried out.
  private func inTurn<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
    let result = try await turns.withLock("batch") { () async throws(SyncError) -> Swift.Result<Value, any Error> in
      do { return .success(try await body()) } catch { return .failure(error) }
    }
    return try result.get()
  }

  private func carryOutInTurn(_ batch: Batch, of device: HubDevice) async throws -> Result {
    if let answer = try answered(batch) { return answer }
    for attempt in 1... {
      do { return try await attemptToCarryOut(batch, of: device) } catch let error as SyncError
        where error.code == .changedMeanwhile && attempt < Self.attempts
      { continue }
    }
    throw SyncError(.changedMeanwhile, "another program keeps changing the files; nothing was changed. Try again")
  }

  /// Finishes the batches that a crash interrupted. What cannot be finished now is tried again with the next batch.
  func recover(in workspace: Workspace) async throws { try await finishIntended(in: workspace) }

  /// Returns the answer of a batch that was carried out; throws a problem if the number is not the next one.
  private func answered(_ batch: Batch) throws -> Result? {
    switch try database.known(batch.client, batch.number) {
    case .done(let answer, let digest):
      guard digest == batch.digest else {
        throw Problem(409, "reused", "Batch \(batch.number) of this client had other patches.")
      }
      return Result(answer: answer)
    case .next(let next):
      guard next == batch.number else {
        // What a crash interrupted counts once it is finished.
        if try !database.intended().isEmpty { return nil }
        throw gap(next)
      }
      return nil
    }
  }

  private func gap(_ next: Int) -> Problem {
    var problem = Problem(409, "gap", "The next batch of this client has the number \(next).")
    problem.members = ["expected": .integer(next)]
    return problem
  }

  private func attemptToCarryOut(_ batch: Batch, of device: HubDevice) async throws -> Result {
    try await access.with { workspace in
      try await finishIntended(in: workspace)
      if let answer = try answered(batch) { return answer }
      let context = try await context()
      let edit = try ItemEdit(configuration, reason: "edited by \(device.name)")
      let (run, changes) = try applied(batch, by: edit, context)
      try HubFailpoint.applied.reach()
      let results = BatchResults(run, of: batch)
      let pass = changes.isEmpty ? nil : try await workspace.archive.passNumber()
      let answer = { (number: Int) -> JSON in
        [
          "batch": .integer(number), "pass": pass.map(JSON.integer) ?? .null, "results": .array(results.json),
        ]
      }
      let number = try database.intend(
        batch, by: device.id, changes.map(\.intended), answer: answer, at: Runtime.real.now())
      try HubFailpoint.intended.reach()
      if !changes.isEmpty {
        do { try await edit.write(changes.map(\.change), in: workspace) } catch {
          try await settle(number, changes, after: error, in: workspace)
          throw error
        }
      }
      try HubFailpoint.written.reach()
      try database.finish(number, pass: pass, answer: answer(number).line, renamed: run.renamed)
      try HubFailpoint.recorded.reach()
      return Result(
        number: number, answer: answer(number).line, files: changes.map(\.change.path.description),
        items: results.items)
    }
  }

  // MARK: Applying

  /// The change of a file with its contents.
  private struct FileChange {
    var change: StoreChange
    var old: [UInt8]?

    var intended: IntendedBatch.Change {
      IntendedBatch.Change(path: change.path, before: old, after: change.after)
    }
  }

  /// Applies the patches to the files as they are. A patch that needs a file with unsaved changes in an editor is left out.
  private func applied(
    _ batch: Batch, by edit: ItemEdit, _ context: OrgContext
  ) throws -> (PatchRun, [FileChange]) {
    var locked: [String: String] = [:]
    while true {
      let result = Mutex<PatchRun?>(nil)
      let (inbox, owners) = (configuration.store.settings.inbox, locked)
      let known: @Sendable (String) -> (files: [String], newer: String?) = { [database] id in
        // Without the newer identifier, the entry counts as gone, and nothing is changed.
        ([], (try? database.newer(id)) ?? nil)
      }
      let (effects, changes) = try edit.apply { files throws(Refusal) in
        var run = PatchRun(files, context, inbox: inbox, locked: owners, known: known)
        for patch in batch.patches { run.run(patch) }
        files = run.files
        result.withLock { [run] in $0 = run }
        return run.effects
      }
      guard let run = result.withLock({ $0 }) else { throw SyncError(.unexpected, "the batch was not carried out") }
      let contents = zip(changes, effects.changes).map { FileChange(change: $0, old: $1.old) }
      let real = contents.filter { Digest(of: $0.change.after) != $0.change.before }
      guard let lock = edit.lock(on: real.map(\.change)), locked[lock.path.description] == nil else {
        return (run, real)
      }
      locked[lock.path.description] = lock.owner
    }
  }

  /// The clock, time zone, Org variables and user name that the actions of a batch run with.
  private func context() async throws -> OrgContext {
    var context = OrgContext(
      now: OrgZone.local.moment(at: Int(Runtime.real.now().seconds)), zone: .local,
      settings: try await OrgVariables.effective(configuration)
    ) { UUID().uuidString.lowercased() }
    context.refusesUnclearDates = true
    context.userName = ProcessInfo.processInfo.environment["USER"] ?? ""
    return context
  }

  // MARK: After a failure or a crash

  /// Removes the record of a batch whose files were not written. If some were, the next attempt finishes it.
  private func settle(
    _ number: Int, _ changes: [FileChange], after error: any Error, in workspace: Workspace
  ) async throws {
    guard (error as? SyncError)?.code == .changedMeanwhile, changes.count == 1 else {
      return try await finishIntended(in: workspace)
    }
    // The only file was not written: the write was refused.
    try database.forget(number)
  }

  /// Finishes each recorded batch, or forgets it if none of its files was written.
  private func finishIntended(in workspace: Workspace) async throws {
    for batch in try database.intended() { try await finish(batch, in: workspace) }
  }

  private func finish(_ batch: IntendedBatch, in workspace: Workspace) async throws {
    let edit = try await StoreEdit(workspace, as: "edited by \(try name(of: batch.device))")
    var rest: [StoreChange] = []
    var isWritten = batch.changes.isEmpty
    var isExact = true
    var unsure: SyncPath?
    for change in batch.changes {
      let entry = try await edit.current(change.path)
      if entry?.digest == Digest(of: change.after) {
        isWritten = true
        continue
      }
      // A file comes before those that give it text. While it lacks that text, they keep it.
      if unsure != nil { continue }
      if entry?.digest == change.before.map({ Digest(of: $0) }) {
        rest.append(StoreChange(path: change.path, before: entry?.digest, after: change.after))
        continue
      }
      isExact = false
      // Another program has changed the file since, before the batch was written or after it.
      guard let digest = entry?.digest, let now = try await workspace.archive.content(digest)?.bytes(),
        let merged = try await merged(change, now, in: workspace)
      else {
        unsure = change.path
        continue
      }
      if merged == now {
        isWritten = true
      } else {
        rest.append(StoreChange(path: change.path, before: digest, after: merged))
      }
    }
    guard isWritten || !isExact else { return try database.forget(batch.number) }
    if !rest.isEmpty { try await edit.put(rest) }
    let answer = InterruptedAnswer(batch.answer)
    try database.finish(
      batch.number, pass: nil, answer: isExact ? batch.answer : answer.text(unsure: unsure), renamed: answer.renamed)
  }

  private func name(of device: String) throws -> String {
    try database.devices().first { $0.id == device }?.name ?? "a device"
  }

  /// Merges a change with the content that another program wrote; nil if they contradict each other.
  private func merged(_ change: IntendedBatch.Change, _ now: [UInt8], in workspace: Workspace) async throws -> [UInt8]?
  {
    let input = MergeInput(path: change.path, base: change.before, local: now, remote: change.after)
    switch try await workspace.merger().merge([input], preferring: nil)[change.path] {
    case .clean(let content), .decided(let content): return content
    case .marked, .sideBySide, nil: return nil
    }
  }
}
