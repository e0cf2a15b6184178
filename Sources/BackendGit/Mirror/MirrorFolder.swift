internal import SyncKit

import class Foundation.FileManager
import struct Foundation.URL

/// The folder of the local copy: in the state folder, or, for a dry run, a temporary folder that is removed with its owner. The
/// latter borrows the objects of the former.
final class MirrorFolder: Sendable {
  /// True if information about the remote may be recorded.
  let mayRemember: Bool
  private let kept: String?
  private let temporary: String?

  init(_ cache: CacheFolder?, _ runtime: Runtime) {
    mayRemember = cache?.isReadOnly != true
    kept = cache.map { $0.path + "/mirror.git" }
    let isTemporary = cache?.isReadOnly ?? true
    temporary =
      isTemporary ? FileManager.default.temporaryDirectory.path + "/syncd-git-" + runtime.uniqueName() : nil
  }

  deinit {
    if let temporary { try? FileManager.default.removeItem(atPath: temporary) }
  }

  private var path: String { temporary ?? kept ?? "" }

  func open() throws(SyncError) -> Repository {
    if let temporary { try TemporaryFiles.makeFolder(temporary) } else { try makeKeptFolder() }
    let repository = try Repository(at: path)
    if let kept, temporary != nil, FileManager.default.fileExists(atPath: kept + "/objects") {
      try repository.borrowObjects(of: kept + "/objects")
      if let tip = try Repository(at: kept).target(of: Repository.fetched) {
        try repository.point(Repository.fetched, to: tip)
      }
    }
    return repository
  }

  private func makeKeptFolder() throws(SyncError) {
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw SyncError(.unexpected, "cannot create the folder \(path) for the copy of the repository: \(error)")
    }
  }

  func remove() throws(SyncError) {
    guard FileManager.default.fileExists(atPath: path) else { return }
    do { try FileManager.default.removeItem(atPath: path) } catch {
      throw SyncError(.unexpected, "cannot remove the damaged copy of the repository in \(path): \(error)")
    }
  }

  /// Removes locks and half-written objects. No other process uses the folder meanwhile.
  func removeLeftovers() {
    for folder in ["", "/objects", "/objects/pack", "/refs", "/refs/syncd"] {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: path + folder)) ?? []
      for name in names where Self.isLeftover(name[...]) {
        // If something cannot be removed, the code that needs the name reports it.
        try? FileManager.default.removeItem(atPath: "\(path)\(folder)/\(name)")
      }
    }
  }

  /// Returns true for the temporary names of libgit2 1.5, and its locks.
  private static func isLeftover(_ name: Substring) -> Bool {
    name.hasSuffix(".lock") || name.hasPrefix("tmp_object_") || name.hasPrefix("pack_git2_")
  }
}
