import ArchiveSQLite
import SyncDaemon
import SyncKit

extension FormerVersions {
  /// Returns the change of a pass's action as text for people: from the version that it replaced, or the last known one if the
  /// store itself had changed, to the version after it.
  func change(by action: Action, in pass: Int) async throws(SyncError) -> [String] {
    var old = action.before
    if action.before == action.after,
      case .content(let digest) = try await workspace.history.state(
        of: action.path, afterPass: pass - 1)
    {
      old = digest
    } else if action.before == action.after {
      old = nil
    }
    return await change(of: action.path, from: old, to: action.after)
  }

  /// Returns the changes of both sides of a conflict, each under its name.
  func changes(in item: WaitingConflict) async throws(SyncError) -> [String] {
    let conflict = item.conflict
    guard let base = conflict.base else {
      return ["from the store's version to the version of \(item.remote):"]
        + (await change(of: conflict.path, from: conflict.local, to: conflict.remote)).map { "  \($0)" }
    }
    let ours = await change(of: conflict.path, from: base, to: conflict.local)
    let theirs = await change(of: conflict.path, from: base, to: conflict.remote)
    return ["changed in the store:"] + ours.map { "  \($0)" } + ["changed on \(item.remote):"]
      + theirs.map { "  \($0)" }
  }

  /// Returns the change between two versions, or a message if a version was pruned.
  private func change(of path: SyncPath, from old: Digest?, to new: Digest?) async -> [String] {
    do throws(SyncError) {
      return try await ContentChange(path: path, old: bytes(old, of: path), new: bytes(new, of: path)).lines
    } catch {
      return [error.message]
    }
  }

  func bytes(_ digest: Digest?, of path: SyncPath) async throws(SyncError) -> [UInt8]? {
    guard let digest else { return nil }
    return try await content(digest, of: path).bytes()
  }

  /// Returns the bytes of a version; nil if there is none, or if the history no longer has its content.
  func keptBytes(_ digest: Digest?, of path: SyncPath) async throws(SyncError) -> [UInt8]? {
    do throws(SyncError) { return try await bytes(digest, of: path) } catch {
      if error.code == .notFound { return nil }
      throw error
    }
  }
}
