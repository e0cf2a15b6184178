internal import RsyncWire
internal import SyncKit

/// A batch of changes to the remote folder.
///
/// rsync has no conditional write. Instead, the remote host shows its version before anything is sent, it keeps the versions
/// that it replaces, and afterwards both files are verified. A version that no pass had seen is restored.
struct Commit {
  let storage: RsyncStorage
  let remote: RemoteHost
  let state: RsyncState
  let runtime: Runtime
  /// True if a file is moved away before it is replaced, so that nothing is ever overwritten.
  let isExclusive: Bool

  init(_ storage: RsyncStorage, isExclusive: Bool) {
    self.storage = storage
    self.isExclusive = isExclusive
    remote = storage.remote
    state = storage.state
    runtime = storage.parts.runtime
  }

  func run(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    var results: [WriteResult?] = Array(repeating: nil, count: changes.count)
    var steps = changes.steps.filter { !$0.isEmpty }
    while !steps.isEmpty {
      let written = changes[steps[0][0]].content == nil ? [] : steps.removeFirst()
      if !written.isEmpty { try await Renaming(self).run(changes, &results) }
      // The first removals share a lookup with the written files.
      let removals = steps.isEmpty ? [] : steps.removeFirst()
      let isOpen = { [results] (index: Int) in results[index] == nil }
      try await write(written.filter(isOpen), thenRemoving: removals.filter(isOpen), of: changes, &results)
    }
    if changes.contains(where: { $0.path.bytes.elementsEqual(ReservedName.marker.utf8) }) { state.forgetMarker() }
    return results.map { $0 ?? .unknown(SyncError(.unexpected, "the change was not sent to \(storage.address)")) }
  }

  /// Resolves the transfers that a crash has interrupted.
  func recover() async throws(SyncError) {
    let intents = Intents(storage.parts.journal)
    for (key, intent) in try await intents.open() {
      let outcome = try await Transaction(self).resolve(intent, [], isDoubtful: true)
      guard try await Transaction(self).restore(outcome, of: intent) else { continue }
      try await intents.close(key)
    }
    try await Renaming(self).recover()
  }

  /// Clears up this device's previous versions that no open intent lists: a server that had stalled carries out requests after
  /// the client gave up. A moved version gets its name back, or a name of its own; so does a linked version that is not in the
  /// history. Other linked versions are removed.
  func recover(kept: [SyncPath]) async throws(SyncError) {
    let open = Set(try await Intents(storage.parts.journal).open().map(\.intent.suffix))
    let groups = Dictionary(grouping: kept) { PreviousVersionName.suffix(of: $0, keptBy: storage.parts.device) }
    for case (let suffix?, let found) in groups where !open.contains(suffix) {
      let paths = PreviousVersionName.staging(for: suffix) == nil ? try await removingKnown(found) : found
      // No content has this hash, so the version counts as unknown.
      let items = paths.compactMap { PreviousVersionName.file(keptAt: $0, under: suffix) }
        .map { Intent.Item(path: $0, base: [0], new: nil) }
      guard !items.isEmpty else { continue }
      let intent = Intent(suffix: suffix, items: items, folders: [])
      let outcome = try await Transaction(self).resolve(intent, [])
      _ = try await Transaction(self).restore(outcome, of: intent)
    }
  }

  /// Removes the linked versions that are in the history, and returns the others.
  private func removingKnown(_ kept: [SyncPath]) async throws(SyncError) -> [SyncPath] {
    var query = LookupQuery(kept)
    query.fetched = Set(kept)
    query.sink = DigestSink()
    let seen = try await remote.lookUp(query)
    var known: [SyncPath] = []
    for path in kept {
      guard case .content(let digest, _)? = seen.contents[path] else { continue }
      if try await storage.parts.contents.content(digest) != nil { known.append(path) }
    }
    guard !known.isEmpty else { return kept }
    var removal = LookupQuery(known)
    removal.removal = { [known] files in
      known.filter { path in files[path]?.hash.map { $0 == seen.files[path]?.hash } ?? false }
    }
    let removed = Set(try await remote.lookUp(removal).removed)
    return kept.filter { !removed.contains($0) }
  }

  // MARK: Removing

  private func removals(_ step: [Int], of changes: [Change]) async throws(SyncError) -> [Removal] {
    var removals: [Removal] = []
    for index in step { removals.append(try await Removal(index, changes[index])) }
    return removals
  }

  /// Returns the removals whose file has the expected version, with its hash; the others get their result.
  private func met(_ removals: [Removal], _ results: inout [WriteResult?]) async throws(SyncError) -> [Removal] {
    guard !removals.isEmpty else { return [] }
    let lookup = try await remote.lookUp(LookupQuery(removals.map(\.path)))
    let isMet = { (removal: Removal) in removal.isMet(by: lookup.files) }
    try await resolve(removals.filter { !isMet($0) }, lookup, &results)
    return removals.filter(isMet).map { removal in
      var removal = removal
      removal.hash = lookup.files[removal.path]?.hash
      return removal
    }
  }

  /// The results of removals. A server may keep a file that has changed at the last moment, and only print a message.
  func resolve(
    _ removals: [Removal], _ lookup: LookupResult, _ results: inout [WriteResult?]
  ) async throws(SyncError) {
    let removed = Set(lookup.removed)
    let after = lookup.isQuiet || removed.isEmpty ? nil : try await remote.lookUp(LookupQuery(Array(removed)))
    let time = runtime.now()
    for removal in removals {
      let seen = (after ?? lookup).files[removal.path].map { storage.entry($0, at: removal.path, seen: time) }
      if removed.contains(removal.path) {
        let isGone = after.map { $0.files[removal.path] == nil } ?? true
        let isCertain = after?.isWhole ?? true
        results[removal.index] =
          isGone ? isCertain ? .done(nil) : .unknown(unsure(removal.path)) : refusal(seen, lookup, removal.path)
      } else if let entry = lookup.files[removal.path].map({ storage.entry($0, at: removal.path, seen: time) }) {
        results[removal.index] = .refused(entry)
      } else if lookup.isWhole {
        results[removal.index] = .refused(nil)
      } else {
        results[removal.index] = try await absentResult(removal.path, lookup)
      }
    }
  }

  private func refusal(_ entry: Entry?, _ lookup: LookupResult, _ path: SyncPath) -> WriteResult {
    let complaints = lookup.errorLines.compactMap(Complaint.init)
    guard complaints.forbid(path) else { return .refused(entry) }
    let reason = lookup.errorLines.reason(for: path) ?? ""
    return .failed(SyncError(.pathFailed, "\(path) cannot be removed on \(remote.folder.hostName): \(reason)"))
  }

  /// The result of removing a file that a lookup did not return.
  func absentResult(_ path: SyncPath, _ lookup: LookupResult) async throws(SyncError) -> WriteResult {
    if case .absent = try await storage.absence(of: path, in: lookup) { return .refused(nil) }
    return .failed(unsure(path))
  }

  private func unsure(_ path: SyncPath) -> SyncError {
    SyncError(.unavailable, "cannot check whether \(path) exists on \(remote.folder.hostName)")
  }

  // MARK: Writing

  private func write(
    _ step: [Int], thenRemoving rest: [Int], of changes: [Change], _ results: inout [WriteResult?]
  ) async throws(SyncError) {
    var preparation = Preparation(self)
    let uploads = try await preparation.run(step.map { changes[$0] })
    for (index, result) in preparation.results { results[step[index]] = result }
    var removals = try await self.removals(rest, of: changes)
    if isExclusive { removals = try await met(removals, &results) }
    guard !uploads.isEmpty || !removals.isEmpty else { return }
    let done = try await Transaction(self).run(uploads.map(\.upload), folders: preparation.folders, removals)
    for (index, upload) in uploads { results[step[index]] = done.results[upload.path] }
    for removal in removals { results[removal.index] = done.results[removal.path] }
    if !isExclusive { try await resolve(removals, done.lookup, &results) }
    for (index, upload) in uploads where done.lookup.files[upload.path]?.kind == .folder {
      results[step[index]] = try await writeOverFolder(upload, preparation.folders) ?? results[step[index]]
    }
  }

  /// Writes a file in the place of an empty folder; nil if the folder is not empty.
  private func writeOverFolder(_ upload: Upload, _ folders: [SentFile]) async throws(SyncError) -> WriteResult? {
    guard upload.base == nil, try await EmptyFolders(commit: self).clear(upload.path) else { return nil }
    return try await Transaction(self).run([upload], folders: folders).results[upload.path]
  }
}

/// A file to remove.
struct Removal: Sendable {
  let index: Int
  let path: SyncPath
  private let condition: Condition
  /// The hash of the file to remove, if its content is known.
  var hash: [UInt8]?

  init(_ index: Int, _ change: Change) async throws(SyncError) {
    self.index = index
    path = change.path
    condition = change.condition
    hash = try await change.replaced?.wireHash()
  }

  /// The removal of a file as it was found; no change requests it.
  init(_ file: ListedFile, at path: SyncPath) {
    (index, self.path, hash) = (-1, path, file.hash)
    condition = .unchanged(file.revision)
  }

  /// Returns true if the file in place is the one to remove.
  func isMet(by files: [SyncPath: ListedFile]) -> Bool {
    guard let file = files[path], file.kind == .file, case .unchanged(let revision) = condition else { return false }
    return hash.map { $0 == file.hash } ?? (file.revision == revision)
  }
}

extension Content {
  /// The MD5 by which rsync identifies the content; throws `.pathFailed` if the content does not match its announced size and
  /// digest.
  func wireHash() async throws(SyncError) -> [UInt8] {
    var (hash, count, reader) = (FileHash(), 0, try self.reader())
    while let chunk = try await reader.next() {
      hash.add(chunk)
      count += chunk.count
    }
    guard count == size else {
      throw SyncError(.pathFailed, "the content ended after \(count) of \(size.counted("byte"))")
    }
    return hash.finish()
  }
}
