internal import RsyncWire
internal import SyncKit

/// Removes empty folders that are in the way of a file. rsync has no command for that, but replaces an empty folder by a file,
/// and never a folder with content: so each folder becomes an empty file, which is then removed. sftp, which the exclusive mode
/// uses, has a command.
struct EmptyFolders {
  let commit: Commit

  /// Removes `folder` if it contains nothing but folders; returns true if it is gone.
  func clear(_ folder: SyncPath) async throws(SyncError) -> Bool {
    let listing = try await commit.remote.list()
    let inside = listing.files.compactMap { file in
      SyncPath(bytes: file.name).flatMap { $0.isInside(folder) ? (path: $0, kind: file.kind) : nil }
    }
    guard listing.isWhole, inside.allSatisfy({ $0.kind == .folder }) else { return false }
    if commit.isExclusive {
      defer { commit.state.forgetFolders() }
      return try await commit.remote.remove(folders: inside.map(\.path) + [folder])
    }
    let levels = Dictionary(grouping: inside.map(\.path)) { $0.bytes.count { $0 == UInt8(ascii: "/") } }
    for level in levels.keys.sorted(by: >) {
      guard try await remove(levels[level] ?? []) else { return false }
    }
    commit.state.forgetFolders()
    return true
  }

  /// Removes a folder with its content, with rsync only.
  func clearAway(_ folder: SyncPath) async throws(SyncError) {
    let listing = try await commit.remote.list()
    guard listing.files.contains(where: { $0.name == folder.bytes && $0.kind == .folder }) else { return }
    let files = listing.files.filter { $0.kind != .folder }.compactMap { SyncPath(bytes: $0.name) }
    var query = LookupQuery(files.filter { $0.isInside(folder) })
    query.removal = { files in files.filter { $0.value.kind != .folder }.map(\.key) }
    _ = try await commit.remote.lookUp(query)
    if try await clear(folder) { _ = try await remove([folder]) }
  }

  private func remove(_ folders: [SyncPath]) async throws(SyncError) -> Bool {
    let empty = Content([])
    let hash = try await empty.wireHash()
    let uploads = folders.map { folder in
      Upload(
        path: folder, content: empty,
        file: SentFile(name: folder.bytes, kind: .file, seconds: 0, nanoseconds: 1, hash: hash))
    }
    let above = Set(folders.flatMap(\.ancestors)).map {
      SentFile(name: $0.bytes, kind: .folder, seconds: 0, nanoseconds: 0)
    }
    _ = try await Transaction(commit).run(uploads, folders: above)
    var query = LookupQuery(folders)
    query.removal = { files in folders.filter { files[$0]?.kind == .file && files[$0]?.hash == hash } }
    let lookup = try await commit.remote.lookUp(query)
    return lookup.isWhole && lookup.removed.count == folders.count
  }
}
