internal import RsyncWire
internal import SyncKit

/// Gives files another name on the remote host, instead of sending them again.
///
/// sftp links the version in place to the new name, which fails if the name is in use. Then rsync shows both names, and the old
/// one is removed like any other file, which verifies its version once more. If another writer has changed the file meanwhile,
/// the link is removed: the next pass applies the edit under the new name. So nothing is ever overwritten, and a version always
/// has a name.
struct Renaming {
  private let commit: Commit
  private let intents: RenameIntents
  private var remote: RemoteHost { commit.remote }

  init(_ commit: Commit) {
    self.commit = commit
    intents = RenameIntents(commit.storage.parts.journal)
  }

  /// A file that gets another name, and the indices of its two changes.
  private struct Rename: Sendable {
    var creation: Int
    var removal: Removal
    var item: RenameIntent.Item
    var digest: Digest

    /// True if both names have the version, so that the old one can be removed.
    func isLinked(in files: [SyncPath: ListedFile]) -> Bool { item.status(in: files) == .linked }
  }

  /// Makes the renames among `changes`, as far as the remote host can. A change that must be made in the usual way has no result.
  func run(_ changes: [Change], _ results: inout [WriteResult?]) async throws(SyncError) {
    let renames = try await renames(among: changes)
    guard !renames.isEmpty, try await remote.canLink() else { return }
    var intent = RenameIntent(items: renames.map(\.item))
    let key = try await intents.begin(intent, commit.runtime)
    try await link(intent.items)
    try RsyncFailpoint.renameLinked.reach()
    intent.phase = .removing
    try await intents.update(key, intent)
    let lookup = try await removeOldNames(renames, &results)
    try RsyncFailpoint.renameFinished.reach()
    let doubtful = try await conclude(renames, lookup, &results)
    if try await resolve(doubtful, &results) { try await intents.close(key) }
  }

  /// Removes the links that a crash has left while their files still have the old names: the next pass renames them again.
  func recover() async throws(SyncError) {
    for (key, intent) in try await intents.open() {
      let links = try await lookUp(intent.items)
      let isUndone = try await undo(intent.items.filter { intent.isLink($0, in: links.files) }, intent).isEmpty
      if links.isWhole && isUndone { try await intents.close(key) }
    }
  }

  // MARK: Linking

  private func renames(among changes: [Change]) async throws(SyncError) -> [Rename] {
    var renames: [Rename] = []
    for rename in changes.renames {
      let (old, new) = (changes[rename.removal], changes[rename.creation])
      guard let content = old.replaced, RsyncStorage.naming.violation(by: new.path) == nil else { continue }
      do throws(SyncError) {
        let removal = try await Removal(rename.removal, old)
        let item = RenameIntent.Item(old: old.path, new: new.path, hash: removal.hash ?? [])
        renames.append(Rename(creation: rename.creation, removal: removal, item: item, digest: content.digest))
      } catch {
        // The usual way reports a content that cannot be read.
        guard error.reach < .pass else { throw error }
      }
    }
    return renames
  }

  /// Links all files to their new names. A failed request needs no result: a lookup shows what was made.
  private func link(_ items: [RenameIntent.Item]) async throws(SyncError) {
    let suffix = PreviousVersionName.suffix(for: commit.storage.parts.device, commit.runtime, isExclusive: false)
    guard let first = items.first, let trial = first.old.sibling(Array(first.old.name) + Array(suffix.utf8)) else {
      return
    }
    do throws(SyncError) {
      try await remote.link(
        items.map { Move(path: $0.new, staged: $0.old, kept: nil) },
        below: Array(Set(items.flatMap(\.new.ancestors))), trial: trial)
    } catch {
      guard error.code != .cancelled else { throw error }
      await remote.renounceLinks()
    }
  }

  // MARK: Removing

  private func lookUp(_ items: [RenameIntent.Item]) async throws(SyncError) -> LookupResult {
    try await remote.lookUp(LookupQuery(items.flatMap { [$0.old, $0.new] }))
  }

  /// Removes the old names of the files whose new name has the expected version. Returns what was found before that.
  private func removeOldNames(
    _ renames: [Rename], _ results: inout [WriteResult?]
  ) async throws(SyncError) -> LookupResult {
    var query = LookupQuery(renames.flatMap { [$0.item.old, $0.item.new] })
    if !commit.isExclusive {
      query.removal = { files in renames.filter { $0.isLinked(in: files) }.map(\.item.old) }
    }
    let lookup = try await remote.lookUp(query)
    let removals = renames.filter { $0.isLinked(in: lookup.files) }.map(\.removal)
    guard !removals.isEmpty else { return lookup }
    if commit.isExclusive {
      let done = try await Transaction(commit).run([], removals)
      for removal in removals { results[removal.index] = done.results[removal.path] }
    } else {
      try await commit.resolve(removals, lookup, &results)
    }
    return lookup
  }

  // MARK: Results

  /// Sets the results of the renames that are certain, and returns the others.
  private func conclude(
    _ renames: [Rename], _ lookup: LookupResult, _ results: inout [WriteResult?]
  ) async throws(SyncError) -> [Rename] {
    var doubtful: [Rename] = []
    for rename in renames {
      let (old, new) = (lookup.files[rename.item.old], lookup.files[rename.item.new])
      switch (rename.item.status(in: lookup.files), results[rename.removal.index]) {
      case (.absent, _): break
      case (.linked, .done), (.linked, .refused(nil)): results[rename.creation] = done(rename, new)
      case (.linked, _), (.changed, _): doubtful.append(rename)
      case (.moved, _):
        results[rename.creation] = done(rename, new)
        results[rename.removal.index] = try await commit.absentResult(rename.item.old, lookup)
      case (.taken, _):
        results[rename.creation] = .refused(new.map { entry($0, rename.item.new) })
        results[rename.removal.index] =
          old?.hash == rename.item.hash
          ? .postponed("another file has the new name \(rename.item.new)")
          : .refused(old.map { entry($0, rename.item.old) })
      }
    }
    return doubtful
  }

  /// Removes the links of files that another writer has changed, or whose old names cannot be removed. Returns false if one is
  /// left.
  private func resolve(_ renames: [Rename], _ results: inout [WriteResult?]) async throws(SyncError) -> Bool {
    guard !renames.isEmpty else { return true }
    let lookup = try await lookUp(renames.map(\.item))
    for rename in renames { results[rename.removal.index] = nil }
    let linked = try await conclude(renames, lookup, &results)
    // No old name was removed, so the new names are ours.
    let left = try await undo(linked.map(\.item), RenameIntent(items: linked.map(\.item)))
    for rename in linked where !left.contains(rename.item) {
      // With both names still there, the usual way reports why the old one cannot be removed.
      guard rename.item.status(in: lookup.files) == .changed else { continue }
      let host = remote.folder.hostName
      results[rename.creation] = .postponed("\(rename.item.old) was changed on \(host) meanwhile")
      results[rename.removal.index] = .refused(lookup.files[rename.item.old].map { entry($0, rename.item.old) })
    }
    for rename in linked where left.contains(rename.item) {
      let error = SyncError(.unavailable, "cannot check what happened to \(rename.item.new)")
      (results[rename.creation], results[rename.removal.index]) = (.unknown(error), .unknown(error))
    }
    return left.isEmpty
  }

  /// Removes new names that are second names of files with the old ones; returns those that are left.
  private func undo(
    _ items: [RenameIntent.Item], _ intent: RenameIntent
  ) async throws(SyncError) -> Set<RenameIntent.Item> {
    guard !items.isEmpty else { return [] }
    if commit.isExclusive {
      let lookup = try await lookUp(items)
      let removals = items.filter { intent.isLink($0, in: lookup.files) }
        .compactMap { item in lookup.files[item.new].map { Removal($0, at: item.new) } }
      if !removals.isEmpty { _ = try await Transaction(commit).run([], removals) }
    } else {
      var query = LookupQuery(items.flatMap { [$0.old, $0.new] })
      query.removal = { files in items.filter { intent.isLink($0, in: files) }.map(\.new) }
      _ = try await remote.lookUp(query)
    }
    let after = try await lookUp(items)
    return Set(
      items.filter { intent.isLink($0, in: after.files) || !after.isWhole && after.files[$0.new] == nil })
  }

  private func done(_ rename: Rename, _ file: ListedFile?) -> WriteResult {
    commit.state.record(folders: rename.item.new.ancestors)
    return .done(
      file.map { file in
        var entry = entry(file, rename.item.new)
        entry.digest = rename.digest
        return entry
      })
  }

  private func entry(_ file: ListedFile, _ path: SyncPath) -> Entry {
    commit.storage.entry(file, at: path, seen: commit.runtime.now())
  }
}
