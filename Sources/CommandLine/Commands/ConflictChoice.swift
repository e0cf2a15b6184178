import ArchiveSQLite
import SyncDaemon
import SyncKit

/// A conflict for which a user chose a side: that side's version replaces the disputed parts, and everything else stays, such
/// as clean merges and later edits.
struct ConflictChoice {
  let conflict: OpenConflict
  let side: Side
  let workspace: Workspace
  let edit: StoreEdit

  /// Returns the file that resolves the conflict; nil if it is to be deleted.
  ///
  /// - Throws: `.changedMeanwhile` if a later edit would be lost; nothing is changed then.
  func content() async throws(SyncError) -> Content? {
    if let copy = conflict.copy { return try await chosenFile(beside: copy) }
    guard let now = try await bytes(at: conflict.path) else { return try await version(of: side) }
    guard let chosen = try await version(of: side) else {
      try await refuseIfEdited(conflict.path, since: [conflict.local, conflict.remote, conflict.marked])
      return nil
    }
    guard let merges = try await merges() else { return chosen }
    if now == merges.marked { return Content(merges.decided) }
    guard
      case .clean(let merged)? = try await merge(
        MergeInput(path: conflict.path, base: merges.marked, local: merges.decided, remote: now)),
      await !isMarked(merged)
    else {
      throw SyncError(
        .changedMeanwhile,
        "\(conflict.path) was edited since the conflict, and choosing a side would lose the edits. Remove the marks in the file "
          + "by hand, or resolve the conflict with --merged FILE")
    }
    return Content(merged)
  }

  // MARK: Marks in the file

  /// Returns the merge of both versions with marks, and with the side's version; nil if the other side has no version.
  private func merges() async throws(SyncError) -> (marked: [UInt8], decided: [UInt8])? {
    guard let local = try await version(of: .local), let remote = try await version(of: .remote) else { return nil }
    var input = MergeInput(
      path: conflict.path, base: nil, local: try await local.bytes(), remote: try await remote.bytes())
    if let base = conflict.base { input.base = try await workspace.archive.content(base)?.bytes() }
    guard case .marked(let marked)? = try await merge(input), case .decided(let decided)? = try await merge(input, side)
    else {
      throw SyncError(
        .changedMeanwhile,
        "the conflict in \(conflict.path) involves other files, too, and no side of it can be chosen. Remove the marks in the "
          + "file by hand, or resolve the conflict with --merged FILE")
    }
    return (marked, decided)
  }

  private func merge(_ input: MergeInput, _ side: Side? = nil) async throws(SyncError) -> MergeResult? {
    try await workspace.merger().merge([input], preferring: side)[conflict.path]
  }

  private func isMarked(_ content: [UInt8]) async -> Bool {
    guard let merger = try? await workspace.merger() else { return true }
    return await merger.isMarked(content, at: conflict.path) ?? true
  }

  /// Returns the version that a side had when the conflict began; nil if it had none, or a folder.
  private func version(of side: Side) async throws(SyncError) -> Content? {
    guard var digest = side == .local ? conflict.local : conflict.remote else { return nil }
    if digest == conflict.marked {
      // The pass that opened the conflict was interrupted, but it had kept both versions before it changed anything.
      let kept = try await workspace.history.versions(of: conflict.path)
      guard let version = kept.first(where: { $0.side == side }) else { throw lost }
      digest = version.digest
    }
    guard let content = try await workspace.archive.content(digest) else { throw lost }
    return content
  }

  private var lost: SyncError {
    SyncError(
      .notFound, "the history no longer contains that version of \(conflict.path); resolve with --merged FILE"
    )
  }

  // MARK: A copy beside the file

  /// Returns the present file of the chosen side, under the file's name or that of the copy.
  private func chosenFile(beside copy: SyncPath) async throws(SyncError) -> Content? {
    guard let chosen = side == .local ? conflict.local : conflict.remote,
      let other = side == .local ? conflict.remote : conflict.local
    else { return try await version(of: side) }
    // The version with the smaller digest has the file's name.
    let places = chosen < other ? (chosen: conflict.path, other: copy) : (chosen: copy, other: conflict.path)
    try await refuseIfEdited(places.other, since: [chosen, other])
    if let now = try await bytes(at: places.chosen) { return Content(now) }
    return try await version(of: side)
  }

  private func refuseIfEdited(_ path: SyncPath, since versions: [Digest?]) async throws(SyncError) {
    guard let now = try await edit.current(path)?.digest, !versions.contains(now) else { return }
    throw SyncError(
      .changedMeanwhile,
      "\(path) was edited since the conflict, and choosing the other version would lose the edits. Put what you want to keep into "
        + "a file and resolve the conflict with --merged FILE")
  }

  private func bytes(at path: SyncPath) async throws(SyncError) -> [UInt8]? {
    guard let digest = try await edit.current(path)?.digest else { return nil }
    return try await workspace.archive.content(digest)?.bytes()
  }
}
