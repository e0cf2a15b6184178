internal import OrgKit
internal import SyncKit

/// Applies a change of `agendas.org` to the entries that it shows: from then on their own files show the change, and the
/// requests to Emacs follow from that.
extension MobileReplica {
  func takeAgenda(
    _ new: Bytes, over staged: StagingArea.File, into state: inout MobileState
  ) async throws(SyncError) -> WriteResult? {
    let path = StagingArea.path(StagingName.agendas)
    let todoLines = contents?.index.todoLines ?? []
    let shown = state.overlays[path]?.sent ?? staged.bytes
    guard let change = AgendaChange(from: shown, to: new, todoLines: todoLines) else {
      return .failed(
        SyncError(
          .pathFailed,
          "only state, priority, title and tags of an entry can be changed in \(path); change the rest in the entry's own file",
          remedy: .restore(path)))
    }
    let stagedFiles = try await stagedFiles()
    var texts = stagedFiles
    for (file, overlay) in state.overlays where file != path { texts[file] = overlay.isRemoved ? nil : overlay.sent }
    var files = OrgFiles(texts, todoLines: todoLines)
    do throws(OrgFiles.Objection) {
      for edit in change.edits { try files.apply(files.resolved(edit)) }
    } catch {
      return .failed(
        SyncError(
          .pathFailed, "the entry has changed since \(path) was made (\(error.message))", remedy: .restore(path)))
    }
    for (file, document) in files.documents where document.bytes != texts[file] {
      let desktop = state.overlays[file].map(\.desktop) ?? stagedFiles[file]
      let overlay = MobileState.Overlay(staged: stagedFiles[file], desktop: desktop, sent: document.bytes)
      state.overlays[file] = overlay.sent == overlay.staged && overlay.isPulled ? nil : overlay
    }
    state.overlays[path] =
      new == staged.bytes ? nil : MobileState.Overlay(staged: staged.bytes, desktop: new, sent: new)
    return nil
  }

  /// Returns the pushed Org files of which org-mobile can express edits.
  private func stagedFiles() async throws(SyncError) -> [SyncPath: Bytes] {
    var files: [SyncPath: Bytes] = [:]
    for path in contents?.files ?? []
    where path.isOrg && path != StagingArea.path(StagingName.agendas) {
      if let file = try await area.read(path), file.bytes.isText { files[path] = file.bytes }
    }
    return files
  }
}

extension OrgFiles {
  /// Returns the edit with a link that resolves. Emacs omits the folder from an outline path in a view
  /// (org-mobile-get-outline-path-link), so the file is the one with that name that contains these titles.
  fileprivate func resolved(_ edit: Edit) -> Edit {
    guard case .outline(let file, let titles) = edit.link, case .failure = location(of: edit.link) else { return edit }
    let links = documents.keys.filter { Bytes($0.name) == file }.map { EntryLink.outline(file: $0.bytes, path: titles) }
      .filter { link in if case .success = location(of: link) { true } else { false } }
    var edit = edit
    if links.count == 1 { edit.link = links[0] }
    return edit
  }
}
