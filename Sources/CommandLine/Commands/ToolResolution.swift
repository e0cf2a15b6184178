import ArchiveSQLite
import SyncDaemon
import SyncKit

/// A conflict that the user resolves in a merge tool. The tool runs without the lock, so that the service continues meanwhile; an
/// edit that is made in the meantime is not replaced.
struct ToolResolution: Sendable {
  let item: WaitingConflict
  private let versions: MergeTool.Versions
  /// The digest of the file, with its marks, before the tool was started.
  private let before: Digest?

  /// Reads the versions: those of the two sides with everything that was merged without conflict, so that the tool shows only what
  /// is in dispute.
  init(_ item: WaitingConflict, in workspace: Workspace) async throws {
    self.item = item
    let conflict = item.conflict
    let edit = try await StoreEdit(workspace, as: "")
    func version(_ side: Side) async throws -> [UInt8] {
      let choice = ConflictChoice(conflict: conflict, side: side, workspace: workspace, edit: edit)
      guard let content = try await choice.content() else {
        throw SyncError(
          .pathFailed, "one side of the conflict in \(conflict.path) has no file; resolve it with --ours or --theirs")
      }
      return try await content.bytes()
    }
    var base: [UInt8] = []
    if let digest = conflict.base { base = try await workspace.archive.content(digest)?.bytes() ?? [] }
    versions = MergeTool.Versions(
      name: SyncPath(bytes: Array(conflict.path.name))?.description ?? "file", base: base,
      local: try await version(.local), remote: try await version(.remote))
    before = try await edit.current(conflict.path)?.digest
  }

  /// Lets the tool or the user merge, and returns the merged file.
  func merged(by tool: any VersionMerging, in folder: String) throws(SyncError) -> [UInt8] {
    try tool.merge(versions, in: folder)
  }

  /// Puts the merged file into the store, and records that the conflict is over. Throws `.changedMeanwhile` if the file was edited
  /// while the tool was running.
  func finish(_ merged: [UInt8], in workspace: Workspace) async throws {
    let conflict = item.conflict
    guard
      try await workspace.history.conflicts().contains(where: { $0.conflict == conflict && $0.remote == item.remote })
    else { throw changed("the conflict is no longer open") }
    let edit = try await StoreEdit(workspace, as: "resolved with `syncd resolve`")
    edit.expect(before, at: conflict.path)
    try await edit.put(Content(merged), at: conflict.path)
    if let copy = conflict.copy { try await edit.put(nil, at: copy) }
    var record = Record(remote: item.remote)
    record.resolved = [conflict]
    try await workspace.archive.record(record)
  }

  private func changed(_ reason: String) -> SyncError {
    SyncError(.changedMeanwhile, "\(item.conflict.path) was not changed: \(reason)")
  }
}
