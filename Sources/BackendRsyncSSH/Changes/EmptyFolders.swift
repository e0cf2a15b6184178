internal import RsyncWire
internal import SyncKit

/// Takes folders that hold nothing out of the way of a file. rsync has no verb for that, but puts a file in the place of an
/// empty folder, and never of one that holds something: so each folder becomes an empty file, which is then removed. sftp,
/// where the exclusive mode has it at hand, has a verb.
struct EmptyFolders {
  let commit: Commit

  /// Leaves nothing in `folder`, if there is nothing in it but folders; says whether that is so now.
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

  /// Removes a folder with everything in it, by rsync alone.
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
