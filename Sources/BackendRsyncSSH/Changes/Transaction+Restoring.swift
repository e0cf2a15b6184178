internal import RsyncWire
internal import SyncKit

/// Restores versions that no pass had seen and that a transfer has replaced.
extension Transaction {
  /// The maximum number of attempts against a writer that never pauses; the next pass continues.
  private static var deepest: Int { 2 }

  /// Restores the names of files that were moved aside; with rsync if the exclusive mode is off and there is no sftp.
  func moveBack(_ intent: Intent, from staging: SyncPath) async throws(SyncError) {
    do throws(SyncError) { try await commit.remote.moveBack(intent.moves, from: staging) } catch {
      guard error.code == .invalidSettings, !commit.isExclusive else { throw error }
      try await uploadAgain(intent.moves.filter(\.isReplacement))
      try await EmptyFolders(commit: commit).clearAway(staging)
    }
  }

  private func uploadAgain(_ moves: [Move]) async throws(SyncError) {
    let lookup = try await commit.remote.lookUp(LookupQuery(moves.flatMap { [$0.path] + [$0.kept].compactMap(\.self) }))
    for move in moves where lookup.files[move.path] == nil {
      guard let kept = move.kept.flatMap({ lookup.files[$0] }), kept.kind == .file else { continue }
      guard let content = try await fetch(kept), try await isMade(move.path, content, kept) else {
        throw SyncError(
          .unavailable,
          "cannot restore \(move.path) on \(commit.remote.folder.hostName) now; its content is safe in the same folder, in the file "
            + "whose name ends in .old.tmp")
      }
    }
  }

  /// Sends a previous version to a free name. Returns true if it is there now.
  private func isMade(_ path: SyncPath, _ content: Content, _ kept: ListedFile) async throws(SyncError) -> Bool {
    let upload = Upload(path: path, content: content, file: kept.sent(as: path))
    let folders = path.ancestors.map { SentFile(name: $0.bytes, kind: .folder, seconds: 0, nanoseconds: 0) }
    let (results, _) = try await Transaction(commit, depth: depth + 1).run([upload], folders: folders)
    return if case .done? = results[path] { true } else { false }
  }

  /// Restores versions that were replaced unseen, or gives them their own names. Returns true if nothing is left to do.
  func restore(_ outcome: Outcome, of intent: Intent) async throws(SyncError) -> Bool {
    var isComplete = outcome.items.allSatisfy { $0.value.status != nil }
    for (folder, kept) in outcome.keptForFolders {
      isComplete = try await setAside(folder, kept, intent) && isComplete
    }
    for item in intent.items {
      guard let found = outcome.items[item.path], let kept = found.kept else { continue }
      switch found.status {
      case .displaced: isComplete = try await moveBack(item, kept, intent) && isComplete
      case .orphaned: isComplete = try await setAside(item.path, kept, intent) && isComplete
      case .done, .notApplied, .overtaken, nil: break
      }
    }
    return isComplete
  }

  /// Restores a version over ours; if that fails, it gets its own name.
  private func moveBack(_ item: Intent.Item, _ kept: ListedFile, _ intent: Intent) async throws(SyncError) -> Bool {
    guard kept.kind == .file else { return try await setAside(item.path, kept, intent) }
    var ours: Content?
    if let new = item.new {
      ours = try await contents.content(new.digest)
      guard ours != nil else { return false }
    }
    guard depth < Self.deepest, let content = try await fetch(kept) else { return false }
    let upload = Upload(path: item.path, content: content, base: ours, file: kept.sent(as: item.path))
    let folders = upload.path.ancestors.map { SentFile(name: $0.bytes, kind: .folder, seconds: 0, nanoseconds: 0) }
    let (results, _) = try await Transaction(commit, depth: depth + 1).run([upload], folders: folders)
    if case .done? = results[item.path] { return try await discard(kept) }
    return try await setAside(item.path, kept, intent)
  }

  /// Stores a version as a conflict copy, under its own name.
  private func setAside(_ path: SyncPath, _ kept: ListedFile, _ intent: Intent) async throws(SyncError) -> Bool {
    guard kept.kind == .file else { return try await rename(path, kept, intent) }
    guard depth < Self.deepest, let content = try await fetch(kept) else { return false }
    let copy = ConflictName.path(
      for: path, at: kept.modified, by: commit.storage.parts.name, digest: content.digest)
    return try await isMade(copy, content, kept) ? try await discard(kept) : false
  }

  /// The same for a folder or a link that replaced a file just before it was moved away.
  private func rename(_ path: SyncPath, _ kept: ListedFile, _ intent: Intent) async throws(SyncError) -> Bool {
    guard intent.staging != nil, let name = SyncPath(bytes: kept.name) else { return false }
    let copy = ConflictName.path(
      for: path, at: kept.modified, by: commit.storage.parts.name, digest: Digest(of: name.bytes))
    do throws(SyncError) { return try await commit.remote.rename(name, to: copy) } catch {
      // rsync cannot rename, and without the exclusive mode sftp may be missing; then the item stays in place.
      guard error.code == .invalidSettings, !commit.isExclusive else { throw error }
      return false
    }
  }

  /// Copies a previous version into the history; nil if that is not possible now.
  private func fetch(_ kept: ListedFile) async throws(SyncError) -> Content? {
    guard let path = SyncPath(bytes: kept.name) else { return nil }
    var query = LookupQuery([path])
    query.fetched = [path]
    query.sink = contents.intake(keepingAtMost: .max)
    guard case .content(let digest, _)? = try await commit.remote.lookUp(query).contents[path] else { return nil }
    try await contents.flush()
    return try await contents.content(digest)
  }

  /// Removes a previous version that has another copy.
  private func discard(_ kept: ListedFile) async throws(SyncError) -> Bool {
    guard let path = SyncPath(bytes: kept.name) else { return false }
    var query = LookupQuery([path])
    query.removal = { files in files[path]?.hash == kept.hash && kept.hash != nil ? [path] : [] }
    let lookup = try await commit.remote.lookUp(query)
    return lookup.removed == [path] && lookup.isWhole || lookup.files[path] == nil && lookup.isWhole
  }
}

extension ListedFile {
  /// The same version under another name.
  fileprivate func sent(as path: SyncPath) -> SentFile {
    SentFile(
      name: path.bytes, kind: .file, size: size, seconds: seconds, nanoseconds: nanoseconds, isExecutable: isExecutable,
      hash: hash ?? [])
  }
}
