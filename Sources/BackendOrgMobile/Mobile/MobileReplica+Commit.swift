internal import OrgKit
internal import SyncKit

/// Turns changes of the store into edits for Emacs.
extension MobileReplica {
  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    try await locks.withLock("commit") { () throws(SyncError) in try await self.send(changes) }
  }

  private func send(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    // Emacs may pull, or another phone may write, between reading and writing.
    for _ in 0..<3 {
      if let results = try await attempt(changes) { return results }
    }
    return changes.map { _ in .postponed("\(StagingName.capture) keeps changing; the next pass tries again") }
  }

  /// Returns nil if another client was faster.
  private func attempt(_ changes: [Change]) async throws(SyncError) -> [WriteResult]? {
    let state = try await state()
    contents = try await area.contents()
    let capture = try await area.capture()
    guard state.batch.isEmpty || !capture.file.ids.isDisjoint(with: state.ids) else {
      return changes.map { _ in .postponed("Emacs has just pulled; the next pass continues") }
    }
    var next = state
    var results: [WriteResult?] = []
    for change in changes { results.append(try await take(change, into: &next)) }
    guard next != state else { return results.map { $0 ?? .accepted(nil) } }
    next = stateUpdate.expressed(next)
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

  /// Adds one change to the state; returns its result if it ends here.
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
      if path == StagingArea.path(StagingName.agendas), let staged {
        return try await takeAgenda(StagingArea.whole(content, of: path), over: staged, into: &state)
      }
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
    guard let overlay = state.overlays[path] else { return staged?.revision }
    return overlay.isRemoved ? nil : Self.revision(of: overlay, staged: staged?.revision)
  }

  /// Removes a file. A file that was never pushed exists only here. In any other file each entry is removed by an edit; Emacs
  /// keeps the file with the text above them, which is hidden from then on.
  private func remove(_ path: SyncPath, _ staged: StagingArea.File?, _ state: inout MobileState) -> WriteResult? {
    guard let staged else {
      state.overlays[path] = nil
      return nil
    }
    if path == StagingArea.path(StagingName.agendas) {
      return .cannot("Emacs writes \(path) again at each push; exclude it in the settings if you do not want it")
    }
    guard path.isOrg, staged.bytes.isText else {
      return .failed(
        SyncError(
          .pathFailed, "org-mobile cannot remove this file; remove it in Emacs", remedy: .restore(path)))
    }
    let desktop = state.overlays[path]?.desktop ?? staged.bytes
    state.overlays[path] = MobileState.Overlay(
      staged: staged.bytes, desktop: desktop, sent: OrgDocument(desktop).withoutEntries, isRemoved: true)
    return nil
  }

  private func objection(
    to content: Content, at path: SyncPath, _ staged: StagingArea.File?
  ) async throws(SyncError) -> String? {
    let own = [StagingName.index, StagingName.agendas, StagingName.checksums, StagingName.capture]
      .map(StagingArea.path)
    if own.contains(path) { return "org-mobile reserves this name; rename the file" }
    guard path.isOrg else {
      return "org-mobile syncs Org files only; exclude the file in the settings, or sync it with another remote"
    }
    let texts = [try await content.bytes(atMost: StagingArea.largestFile), staged?.bytes ?? []]
    guard texts.allSatisfy(\.isText) else {
      return "it is not UTF-8 text, so org-mobile cannot describe edits of it"
    }
    return nil
  }

  private func answer(_ change: Change, _ state: MobileState) async throws(SyncError) -> WriteResult {
    let path = change.path
    let staged = contents?.files.contains(path) ?? false ? try await area.read(path) : nil
    guard let revision = shownRevision(path, staged, state) else {
      return state.overlays[path]?.isPulled ?? true ? .done(nil) : .accepted(nil)
    }
    let entry = Entry(
      path: path, revision: revision, isFirm: staged?.isFirm ?? true, digest: change.content?.digest,
      size: change.content?.size ?? 0)
    guard let overlay = state.overlays[path], !overlay.isPulled else { return .done(entry) }
    return .accepted(entry)
  }
}
