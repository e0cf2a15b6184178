internal import SyncKit

/// Changes of the store, as edits for Emacs.
extension MobileReplica {
  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    try await turns.take { () throws(SyncError) in try await self.send(changes) }
  }

  private func send(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    // Emacs may pull, or another phone write, between reading and writing.
    for _ in 0..<3 {
      if let results = try await attempt(changes) { return results }
    }
    return changes.map { _ in .postponed("\(StagingName.capture) keeps changing; the next pass tries again") }
  }

  /// Nil if somebody else was faster.
  private func attempt(_ changes: [Change]) async throws(SyncError) -> [WriteResult]? {
    let state = try await state()
    contents = try await area.contents()
    let capture = try await area.capture()
    guard state.batch.isEmpty || !capture.file.ids.isDisjoint(with: state.ids) else {
      return changes.map { _ in .postponed("Emacs has just pulled; the next pass goes on from there") }
    }
    var next = state
    var results: [WriteResult?] = []
    for change in changes { results.append(try await take(change, into: &next)) }
    guard next != state else { return results.map { $0 ?? .accepted(nil) } }
    next = settlement.expressed(next)
    switch try await write(next, over: state, capture) {
    case .written: break
    case .refused: return nil
    case .later(let reason): return results.map { $0 ?? .postponed(reason) }
    case .failed(let result): return results.map { $0 ?? result }
    }
    var answers: [WriteResult] = []
    for (change, result) in zip(changes, results) {
      if let result { answers.append(result) } else { answers.append(try await answer(change, next)) }
    }
    return answers
  }

  /// Takes one change into the state; a result if it ends here.
  private func take(_ change: Change, into state: inout MobileState) async throws(SyncError) -> WriteResult? {
    let path = change.path
    let staged: StagingArea.File?
    do throws(SyncError) {
      staged = contents?.files.contains(path) ?? false ? try await area.read(path) : nil
      let shown = shownRevision(path, staged, state)
      guard change.condition == shown.map(Condition.unchanged) ?? .absent else {
        return .refused(shown.map { Entry(path: path, revision: $0) })
      }
      guard let content = change.content else { return remove(path, staged, &state) }
      if let objection = try await objection(to: content, at: path, staged) { return .cannot(objection) }
      let bytes = try await StagingArea.whole(content, of: path)
      let desktop = state.overlays[path].map(\.desktop) ?? staged?.bytes
      let overlay = MobileState.Overlay(staged: staged?.bytes, desktop: desktop, sent: bytes)
      state.overlays[path] = overlay.sent == overlay.staged && overlay.isPulled ? nil : overlay
      return nil
    } catch {
      guard error.reach == .path else { throw error }
      return .failed(error)
    }
  }

  private func shownRevision(_ path: SyncPath, _ staged: StagingArea.File?, _ state: MobileState) -> Revision? {
    state.overlays[path].map { Self.revision(of: $0, staged: staged?.revision) } ?? staged?.revision
  }

  /// A file that was never pushed is only ours. For any other there is no command.
  private func remove(_ path: SyncPath, _ staged: StagingArea.File?, _ state: inout MobileState) -> WriteResult? {
    guard staged == nil else {
      return .cannot(
        "org-mobile has no command to remove a file: remove it in Emacs, or `syncd restore \(path)` brings it back here"
      )
    }
    state.overlays[path] = nil
    return nil
  }

  private func objection(
    to content: Content, at path: SyncPath, _ staged: StagingArea.File?
  ) async throws(SyncError) -> String? {
    if path == StagingArea.path(StagingName.agendas) {
      return
        "Emacs writes \(path) anew at each push: change the entry in its own file; `syncd restore \(path)` undoes this"
    }
    let own = [StagingName.index, StagingName.checksums, StagingName.capture].map(StagingArea.path)
    if own.contains(path) { return "in a staging area this name belongs to org-mobile itself; rename the file" }
    guard path.name.suffix(4).elementsEqual(".org".utf8) else {
      return "org-mobile carries Org files only; exclude it in the settings, or sync it by another remote"
    }
    let texts = [try await content.bytes(atMost: StagingArea.largestFile), staged?.bytes ?? []]
    guard texts.allSatisfy({ String(validating: $0, as: UTF8.self) != nil && !$0.contains(0) }) else {
      return "it is not UTF-8 text, and edits of it could not be told to Emacs"
    }
    return nil
  }

  private func answer(_ change: Change, _ state: MobileState) async throws(SyncError) -> WriteResult {
    let path = change.path
    let staged = contents?.files.contains(path) ?? false ? try await area.read(path) : nil
    guard let revision = shownRevision(path, staged, state) else { return .done(nil) }
    let entry = Entry(
      path: path, revision: revision, isFirm: staged?.isFirm ?? true, digest: change.content?.digest,
      size: change.content?.size ?? 0)
    guard let overlay = state.overlays[path], !overlay.isPulled else { return .done(entry) }
    return .accepted(entry)
  }
}
