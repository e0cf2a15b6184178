internal import RsyncWire
internal import SyncKit

/// A folder on a remote host, accessed through the host's rsync.
struct RsyncStorage: StorageDefaults {
  let remote: RemoteHost
  let parts: RemoteParts
  /// True if a file is moved away before it is replaced, so that nothing is ever overwritten.
  let isExclusive: Bool
  let state = RsyncState()

  init(_ remote: RemoteHost, _ parts: RemoteParts, isExclusive: Bool) {
    self.remote = remote
    self.parts = parts
    self.isExclusive = isExclusive
  }

  var address: String { remote.folder.address }

  func capabilities() -> Capabilities {
    // One exchange for all changes of a pass, up to a limit.
    Capabilities(
      replacement: isExclusive ? .moves : .conditional, isRaceFree: isExclusive, naming: Self.naming, parallelism: 1,
      commitLimit: CommitLimit(count: 20_000, bytes: 64 << 20), uploadCheck: .confirmed)
  }

  /// A replaced version gets a longer name, which must be valid as well.
  static let naming = NamingRules(maximumNameLength: 255 - PreviousVersionName.addedLength)

  func createRoot() async throws(SyncError) {
    if isExclusive { try await remote.requireSFTP(isMade: false) }
    do throws(SyncError) { _ = try await remote.list() } catch {
      guard error.code == .notFound else { throw error }
      try await remote.makeRoot()
    }
  }

  func recover() async throws(SyncError) {
    try await state.locks.withLock("commit") { () throws(SyncError) in
      try await Commit(self, isExclusive: isExclusive).recover()
    }
  }

  // MARK: Listing

  func list(since known: Known) async throws(SyncError) -> Snapshot {
    let time = parts.runtime.now()
    var listing = try await remote.list()
    let kept = listing.files.filter { $0.kind != .folder && ReservedName.isTemporary($0.name[...]) }
      .compactMap { SyncPath(bytes: $0.name) }.filter {
        PreviousVersionName.suffix(of: $0, keptBy: parts.device) != nil
      }
    var cleanupError: SyncError?
    if !kept.isEmpty {
      cleanupError = try await clearUp(kept)
      listing = try await remote.list()
    }
    var builder = SnapshotBuilder(since: known)
    let marker = listing.marker.flatMap { found in
      SyncPath(ReservedName.marker).map { (entry: entry(found.file, at: $0, seen: time), bytes: found.bytes) }
    }
    let folders = Set(listing.files.filter { $0.kind == .folder }.compactMap { SyncPath(bytes: $0.name) })
    state.remember(known, folders: folders, marker: marker)
    let leftovers = Leftovers(listing.files)
    for file in listing.files where file.kind != .folder {
      guard let path = SyncPath(bytes: file.name), !ReservedName.isReserved(path.name), known.filter.accepts(path)
      else { continue }
      // A leftover was never agreed on as a file.
      let isLeftover = known[path] == nil && leftovers.contains(path)
      if let specialKind = file.specialKind ?? (isLeftover ? Leftovers.message : nil) {
        builder.add(unread: Unread(path, .special(specialKind)))
      } else if !remote.limits.allow(file) {
        builder.add(unread: Unread(path, .failed("\(remote.limits.sizeLimitMessage); ignored")))
      } else {
        builder.add(entry(file, at: path, seen: time))
      }
    }
    for path in displaced(in: listing.files) {
      builder.add(unread: Unread(path, .failed(cleanupError?.message ?? Self.isBeingReplaced)))
    }
    for part in Unreadable.folders(in: listing.errorLines, below: folders) { builder.add(unread: part) }
    return builder.finish(
      root: RootIdentity(address: address, id: nil), naming: Self.naming, isComplete: listing.isWhole)
  }

  /// Clears up previous versions of this device that no open intent lists; returns the error if that fails.
  private func clearUp(_ kept: [SyncPath]) async throws(SyncError) -> SyncError? {
    do throws(SyncError) {
      try await state.locks.withLock("commit") { () throws(SyncError) in
        try await Commit(self, isExclusive: isExclusive).recover(kept: kept)
      }
      return nil
    } catch {
      guard error.code != .cancelled else { throw error }
      return error
    }
  }

  private static let isBeingReplaced =
    "another device was interrupted while it replaced this file; that device's next run restores it"

  /// Files that are missing because a device moved them away to replace them and was interrupted: not a deletion.
  private func displaced(in files: [ListedFile]) -> [SyncPath] {
    let missing = Set(files.compactMap { SyncPath(bytes: $0.name).flatMap { PreviousVersionName.original(of: $0) } })
    return missing.isEmpty ? [] : Array(missing.subtracting(files.compactMap { SyncPath(bytes: $0.name) }))
  }

  // MARK: Reading

  func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    if paths.count == 1, paths[0].bytes.elementsEqual(ReservedName.marker.utf8), let marker = state.marker {
      // The listing has read the marker already.
      var entry = marker.entry
      entry.digest = try await sink.receive(marker.bytes)
      return [.read(entry)]
    }
    let time = parts.runtime.now()
    var query = LookupQuery(paths)
    query.fetched = Set(paths)
    query.sink = sink
    query.basis = { [state, contents = parts.contents] path throws(SyncError) in
      guard let digest = state.digest(of: path) else { return nil }
      return try await contents.content(digest)
    }
    let lookup = try await remote.lookUp(query)
    var results: [ReadResult] = []
    for path in paths { results.append(try await self.result(of: path, in: lookup, seen: time)) }
    return results
  }

  private func result(of path: SyncPath, in lookup: LookupResult, seen time: Timestamp) async throws(SyncError)
    -> ReadResult
  {
    guard let file = lookup.files[path] else {
      switch try await absence(of: path, in: lookup) {
      case .absent: return .absent
      case .present, .postponed: return .postponed("\(path) changed while it was read")
      case .unknown(let reason): return .failed(SyncError(.pathFailed, reason))
      }
    }
    guard file.kind != .folder else { return .absent }
    if let specialKind = file.specialKind {
      return .failed(SyncError(.pathFailed, "\(path) is \(specialKind); ignored"))
    }
    switch lookup.contents[path] {
    case .content(let digest, let size):
      var entry = entry(file, at: path, seen: time)
      (entry.digest, entry.size) = (digest, size)
      return .read(entry)
    case .changed: return .postponed("\(path) changed while it was read")
    case .tooLarge:
      return .failed(SyncError(.pathFailed, "cannot read \(path): \(remote.limits.sizeLimitMessage)"))
    case .missing, nil:
      let reason = lookup.errorLines.reason(for: path) ?? "rsync reported no reason"
      return .failed(SyncError(.pathFailed, "cannot read \(path) on \(remote.folder.hostName): \(reason)"))
    }
  }

  func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence] {
    let time = parts.runtime.now()
    let lookup = try await remote.lookUp(LookupQuery(paths))
    var answers: [Presence] = []
    for path in paths {
      guard let file = lookup.files[path] else {
        answers.append(try await absence(of: path, in: lookup))
        continue
      }
      switch file.kind {
      case .file: answers.append(.present(entry(file, at: path, seen: time)))
      case .folder: answers.append(.absent)
      case .link, .special: answers.append(.unknown("\(path) is \(file.specialKind ?? "no file") there"))
      }
    }
    return answers
  }

  /// True if a file that a lookup did not return does not exist. If the lookup was incomplete, for example because a file is in
  /// the place of a folder, the whole listing decides.
  func absence(of path: SyncPath, in lookup: LookupResult) async throws(SyncError) -> Presence {
    if lookup.isWhole { return .absent }
    let listing = try await remote.list()
    guard listing.isWhole else { return .unknown("cannot look up \(path) on \(remote.folder.hostName)") }
    return listing.files.contains { $0.name == path.bytes }
      ? .postponed("\(path) appeared during the lookup") : .absent
  }

  // MARK: Writing

  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    guard !changes.isEmpty else { return [] }
    if isExclusive { try await remote.requireSFTP() }
    // People do not edit the marker, and without it every other device would stop.
    let isMarker = changes.contains { $0.path.bytes.elementsEqual(ReservedName.marker.utf8) }
    let commit = Commit(self, isExclusive: isExclusive && !isMarker)
    return try await state.locks.withLock("commit") { () throws(SyncError) in try await commit.run(changes) }
  }
}
