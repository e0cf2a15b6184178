import ArchiveSQLite
import SyncDaemon
import SyncKit

/// An open conflict that is resolved with the version of a side, or with another content.
struct ConflictResolution {
  /// What replaces the parts in dispute.
  enum Decision {
    case side(Side)
    case content(Content)
  }

  let item: WaitingConflict
  let workspace: Workspace

  private var conflict: OpenConflict { item.conflict }

  /// Resolves the conflict, and records that it is over.
  func carryOut(_ decision: Decision) async throws(SyncError) {
    let edit = try await StoreEdit(workspace, as: "resolved with `syncd resolve`")
    let content = try await content(decision, edit)
    if let copy = conflict.copy, conflict.isWithFolder {
      try await choose(content, over: copy, edit)
    } else {
      try await edit.put(content, at: conflict.path)
    }
    if let copy = conflict.copy { try await edit.put(nil, at: copy) }
    var record = Record(remote: item.remote)
    record.resolved = [conflict]
    try await workspace.archive.record(record)
  }

  private func content(_ decision: Decision, _ edit: StoreEdit) async throws(SyncError) -> Content? {
    switch decision {
    case .content(let content): content
    case .side(let side):
      try await ConflictChoice(conflict: conflict, side: side, workspace: workspace, edit: edit).content()
    }
  }

  /// Resolves a conflict of a file with a folder: choosing the folder's side writes nothing in its place.
  private func choose(_ content: Content?, over copy: SyncPath, _ edit: StoreEdit) async throws(SyncError) {
    guard let content else { return }
    do throws(SyncError) { try await edit.put(content, at: conflict.path) } catch {
      let side = conflict.local == nil ? "--ours" : "--theirs"
      throw SyncError(
        error.code,
        "\(error.message). Rename the folder first, or keep it with `syncd resolve \(conflict.path) \(side)`. To keep both, "
          + "rename \(copy)")
    }
  }
}

extension OpenConflict {
  /// True if a file conflicted with a folder of the same name.
  fileprivate var isWithFolder: Bool { copy != nil && (local == nil) != (remote == nil) }
}
