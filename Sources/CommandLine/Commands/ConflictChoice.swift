import SyncDaemon
import SyncKit

/// Applies the chosen side of a marked conflict, and keeps later edits of the file.
struct ConflictChoice {
  private let workspace: Workspace

  init(_ workspace: Workspace) { self.workspace = workspace }

  /// The chosen version with the edits since the conflict merged into it.
  ///
  /// - Parameters:
  ///   - chosen: the version of the chosen side; nil if that has none.
  ///   - edit: reads the file as it is now.
  /// - Throws: `.changedMeanwhile` if the edits cannot be merged; nothing is changed then.
  func keepingEdits(
    _ chosen: Content?, _ conflict: OpenConflict, _ edit: StoreEdit
  ) async throws(SyncError) -> Content? {
    guard conflict.copy == nil, let current = try await edit.current(conflict.path)?.digest,
      ![conflict.local, conflict.remote, conflict.marked, chosen?.digest].contains(current)
    else { return chosen }
    guard let chosen, let before = try await content(conflict.marked), let now = try await content(current),
      case .clean(let merged)? = try await workspace.merger().merge([
        MergeInput(path: conflict.path, base: before, local: try await chosen.bytes(), remote: now)
      ])[conflict.path], await !isMarked(merged, conflict.path)
    else {
      throw SyncError(
        .changedMeanwhile,
        "\(conflict.path) was edited since the conflict, and choosing a side would lose the edits. Remove the marks in the file "
          + "by hand, or resolve the conflict with --merged FILE")
    }
    return Content(merged)
  }

  private func content(_ digest: Digest?) async throws(SyncError) -> [UInt8]? {
    guard let digest, let content = try await workspace.archive.content(digest) else { return nil }
    return try await content.bytes()
  }

  private func isMarked(_ content: [UInt8], _ path: SyncPath) async -> Bool {
    guard let merger = try? await workspace.merger() else { return true }
    return await merger.isMarked(content, at: path) ?? true
  }
}
