internal import SyncKit

/// The recorded state of the phone, and its updates after Emacs' pulls and pushes.
extension MobileReplica {
  private static let stateKey = "org-mobile.state"
  private static let intentKey = "org-mobile.intent"

  func state() async throws(SyncError) -> MobileState {
    if let memory { return memory }
    let record = try await parts.journal.records()[Self.stateKey]
    guard let record else { return MobileState() }
    guard let state = MobileState(record) else {
      throw SyncError(.damagedState, "the saved state of the staging area \(area.address) is damaged")
    }
    memory = state
    return state
  }

  /// Resolves an interrupted write, then follows pulls and pushes.
  func recover() async throws(SyncError) {
    try await area.storage.recover()
    guard let contents = try await area.contents() else { return }
    self.contents = contents
    try await closeIntent()
    // Twice, in case Emacs pulls in between.
    for _ in 0..<2 where try await follow() == .changedMeanwhile {}
  }

  enum Follow { case done, changedMeanwhile, later }

  private func follow() async throws(SyncError) -> Follow {
    let state = try await state()
    guard !state.overlays.isEmpty || !state.batch.isEmpty else { return .done }
    let capture = try await area.capture()
    var staged: [SyncPath: MobileStateUpdate.Staged] = [:]
    for path in state.overlays.keys { staged[path] = try await lookup(path) }
    let next = stateUpdate.updated(state, ids: capture.file.ids, staged: staged)
    guard next != state else { return .done }
    switch try await write(next, over: state, capture) {
    case .written: return .done
    case .refused: return .changedMeanwhile
    case .later, .failed: return .later
    }
  }

  /// Shows the captures that a pushed file contains in the inbox no longer. The next pass removes them from the store's inbox.
  func forgetCaptures(filedIn file: Bytes) async throws(SyncError) {
    guard let inbox = settings.inbox, try await state().overlays[inbox] != nil else { return }
    try await locks.withLock("commit") { () throws(SyncError) in
      let state = try await self.state()
      let next = state.withoutCaptures(filedIn: file, inbox: inbox, todoLines: stateUpdate.options.todoLines)
      if next != state { try await remember(next) }
    }
  }

  /// Returns the pushed version of a file, if it is plausible.
  func lookup(_ path: SyncPath) async throws(SyncError) -> MobileStateUpdate.Staged {
    guard let contents else { return .unknown }
    guard contents.files.contains(path) else { return contents.isComplete ? .absent : .unknown }
    do throws(SyncError) {
      guard let file = try await area.read(path), doubt(of: file, at: path) == nil else { return .unknown }
      return .present(file.bytes)
    } catch {
      guard error.reach == .path else { throw error }
      return .unknown
    }
  }

  var stateUpdate: MobileStateUpdate {
    var options = settings
    options.todoLines = contents?.index.todoLines ?? []
    let random = parts.runtime.random
    return MobileStateUpdate(options: options) { NoteID(random: random(16)) }
  }

  // MARK: The capture file

  typealias Capture = (file: CaptureFile, bytes: Bytes, revision: Revision?)

  enum Outcome {
    case written
    /// Another client has changed the capture file.
    case refused
    case later(String)
    case failed(WriteResult)
  }

  /// Writes the batch of `next` into the capture file, then records `next`. The intent is in the journal first, so that a crash
  /// at any point leads to the same result.
  func write(_ next: MobileState, over state: MobileState, _ capture: Capture) async throws(SyncError) -> Outcome {
    let file = next.capture(capture.file, replacing: state.ids)
    if file == capture.file || (file.isBlank && capture.file.isBlank) {
      try await remember(next)
      return .written
    }
    if try await area.captureIsLocked() {
      return .later("Emacs has unsaved changes in \(StagingName.capture); syncd writes it once they are saved")
    }
    let intent = Intent(
      state: next, revision: capture.revision?.bytes, others: capture.file.removing(state.ids).bytes)
    try await parts.journal.write([Self.intentKey: intent.bytes])
    let path = StagingArea.path(StagingName.capture)
    let result = try await area.write(
      file.bytes, to: path, if: capture.revision.map(Condition.unchanged) ?? .absent)
    switch result {
    case .done, .accepted:
      try await remember(next)
      return .written
    case .refused:
      try await parts.journal.write([Self.intentKey: nil])
      return .refused
    case .postponed(let reason):
      try await parts.journal.write([Self.intentKey: nil])
      return .later(reason)
    case .cannot, .failed:
      try await parts.journal.write([Self.intentKey: nil])
      return .failed(result)
    // The intent stays: the next pass resolves it.
    case .unknown: return .failed(result)
    }
  }

  private func remember(_ state: MobileState) async throws(SyncError) {
    try await parts.journal.write([Self.stateKey: state.bytes, Self.intentKey: nil])
    memory = state
  }

  // MARK: After a crash

  /// Resolves from the capture file if the write of an intent took place.
  private func closeIntent() async throws(SyncError) {
    guard let record = try await parts.journal.records()[Self.intentKey] else { return }
    guard let intent = Intent(record) else {
      throw SyncError(.damagedState, "the saved state of the staging area \(area.address) is damaged")
    }
    let state = try await state()
    switch try await outcome(of: intent, from: state) {
    case .written: try await remember(intent.state)
    case .pulled: try await remember(intent.state.pulled)
    case .notWritten: try await parts.journal.write([Self.intentKey: nil])
    }
  }

  private enum IntentOutcome { case written, notWritten, pulled }

  private func outcome(of intent: Intent, from state: MobileState) async throws(SyncError) -> IntentOutcome {
    let capture = try await area.capture()
    let ids = capture.file.ids
    if !ids.isDisjoint(with: intent.state.ids) { return .written }
    if capture.revision?.bytes == intent.revision || !ids.isDisjoint(with: state.ids) { return .notWritten }
    // Nothing of ours should be left, and nothing is.
    if intent.state.batch.isEmpty { return .written }
    // Emacs empties the whole file, so the parts of others would be gone as well.
    let others = CaptureFile(intent.others)
    if !others.isBlank, Set(others.parts).isSubset(of: capture.file.parts) { return .notWritten }
    return try await wasPulled(intent) ? .pulled : .notWritten
  }

  /// Returns true if Emacs has pulled the batch: its backup of the capture file contains it, or a file of the batch has a new
  /// stamp.
  private func wasPulled(_ intent: Intent) async throws(SyncError) -> Bool {
    if let backup = try? await area.read(StagingArea.path(StagingName.captureBackup)),
      !CaptureFile(backup.bytes).ids.isDisjoint(with: intent.state.ids)
    {
      return true
    }
    for (path, overlay) in intent.state.overlays {
      guard case .present(let bytes) = try await lookup(path) else { continue }
      if StampLine.stamp(of: bytes) != overlay.staged.flatMap(StampLine.stamp) { return true }
    }
    return false
  }
}
