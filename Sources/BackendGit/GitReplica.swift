internal import GitObjects
internal import Programs
internal import SyncKit

/// A branch of a git repository as a replica: its files are those of the last commit, and each batch of changes becomes one
/// commit on top.
struct GitReplica: Replica, StorageDefaults {
  let mirror: Mirror
  let branches: BranchGuard
  let author: Author

  var address: String { mirror.address }

  /// One commit for all changes of a pass, up to a limit.
  func capabilities() -> Capabilities {
    Capabilities(
      replacement: .conditional, commitLimit: CommitLimit(count: 50_000, bytes: 64 << 20), uploadCheck: .confirmed)
  }

  func recover() async { await mirror.recover() }

  func list(since known: Known) async throws(SyncError) -> Snapshot {
    let (tip, root) = try await refresh()
    do throws(SyncError) { return try await list(tip, root, known) } catch {
      guard error.code == .unexpected else { throw error }
      // The local copy is damaged, for example after a power cut, and can be fetched again.
      try await mirror.startAgain()
      let (tip, root) = try await refresh()
      return try await list(tip, root, known)
    }
  }

  private func refresh() async throws(SyncError) -> (Mirror.Tip, RootIdentity) {
    let tip = try await stoppable { mirror, stop throws(SyncError) in try await mirror.refresh(stop) }
    return (tip, try await branches.admit(tip, mirror))
  }

  private func list(_ tip: Mirror.Tip, _ root: RootIdentity, _ known: Known) async throws(SyncError) -> Snapshot {
    var snapshot = try await mirror.list(tip, since: known).finish(root: root)
    snapshot.devices = try await mirror.devices(in: tip)
    return snapshot
  }

  func claim() async throws(SyncError) -> RootIdentity { try await refresh().1 }

  func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    let tip = try await stoppable { mirror, stop throws(SyncError) in try await mirror.tip(stop) }
    let items = try await mirror.items(paths, in: tip)
    let versions = try paths.paired(with: items, from: address).compactMap { path, item -> Origins.Version? in
      if case .entry(let entry) = item, entry.mode.isFile {
        Origins.Version(path: path.bytes, id: entry.id)
      } else {
        nil
      }
    }
    let origins = try await mirror.origins(of: versions, in: tip)
    var results: [ReadResult] = []
    for (path, item) in try paths.paired(with: items, from: address) {
      results.append(try await read(path, item, origins, into: sink))
    }
    return results
  }

  private func read(
    _ path: SyncPath, _ item: TreeEdit.Item, _ origins: [Origins.Version: Origins.Origin], into sink: any ContentSink
  ) async throws(SyncError) -> ReadResult {
    guard case .entry(let file) = item, !file.mode.isFolder else { return .absent }
    guard file.mode.isFile else {
      return .failed(SyncError(.pathFailed, "\(path) is \(file.mode.summary) in the repository; ignored"))
    }
    let object: StoredObject
    do throws(SyncError) { object = try await mirror.file(file.id) } catch {
      guard error.reach == .path else { throw error }
      return .failed(error)
    }
    var entry = Entry(file, at: path)
    entry.digest = try await receive(object, into: sink)
    entry.size = object.size
    let origin = origins[Origins.Version(path: path.bytes, id: file.id)]
    (entry.modified, entry.author) = (origin?.time, origin?.author)
    return .read(entry)
  }

  private func receive(_ object: StoredObject, into sink: any ContentSink) async throws(SyncError) -> Digest {
    let piece = 1 << 20
    guard object.size > piece else { return try await sink.receive(object.bytes) }
    return try await sink.receive(size: object.size) { intake throws(SyncError) in
      for start in stride(from: 0, to: object.size, by: piece) {
        try await intake.write(object.bytes(start..<min(start + piece, object.size)))
      }
    }.digest
  }

  func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence] {
    let tip = try await stoppable { mirror, stop throws(SyncError) in try await mirror.tip(stop) }
    let items = try await mirror.items(paths, in: tip)
    return try paths.paired(with: items, from: address).map { path, item in
      switch item {
      case .entry(let entry) where entry.mode.isFile: .present(Entry(entry, at: path))
      case .entry(let entry) where entry.mode.special != nil:
        .unknown("\(path) is \(entry.mode.summary) in the repository")
      case .blocked(let entry) where entry.mode.special != nil:
        .unknown("\(printable(entry.name)) is \(entry.mode.summary) in the repository")
      case .entry, .blocked, .nothing: .absent
      }
    }
  }

  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    guard !changes.isEmpty else { return [] }
    let staged = try await Staging(mirror: mirror).stage(changes)
    let results = try await stoppable { mirror, stop throws(SyncError) in
      try await mirror.publish(changes, staged, by: author, stop)
    }
    try await branches.record(mirror)
    return results
  }

  func diagnose() async throws(SyncError) -> [Finding] {
    let (tip, root) = try await refresh()
    let snapshot = try await list(tip, root, Known())
    let state =
      tip.commit.map { "is at \($0.short) and holds \(snapshot.count.counted("file"))" }
      ?? "does not exist yet; the first pass creates it"
    return [
      Finding(.good, "the branch \(tip.branch) of \(mirror.address) \(state)"),
      Finding(.good, "syncd reaches it \(await mirror.route)"),
    ] + (tip.commit == nil ? [firstPush(tip)] : []) + (await mirror.lacksHead ? [missingHead(tip)] : [])
      + snapshot.unread.map { part in
        switch part.reason {
        case .special(let what): Finding(.note, "\(part.path) is \(what); ignored")
        case .placeholder(let cloud): Finding(.note, "\(part.path) is a placeholder of \(cloud); not synced")
        case .failed(let reason): Finding(.problem, "cannot read \(part.path): \(reason)")
        }
      }
  }

  /// Syncd's first commit has no parent, so a store that is a repository itself would have another history.
  private func firstPush(_ tip: Mirror.Tip) -> Finding {
    Finding(
      .note,
      "if the store is a git work tree, run `git push \(mirror.address) \(tip.branch)` there before the first sync, so that both "
        + "have one history")
  }

  private func missingHead(_ tip: Mirror.Tip) -> Finding {
    Finding(
      .note,
      "HEAD of \(mirror.address) names a branch that does not exist, so a clone checks out nothing; run "
        + "`git symbolic-ref HEAD refs/heads/\(tip.branch)` in the repository")
  }

  /// Runs `body` on the mirror's thread, and stops it when the task is cancelled.
  private func stoppable<Value: Sendable>(
    _ body: (Mirror, Stop) async throws(SyncError) -> Value
  ) async throws(SyncError) -> Value {
    let stop = Stop()
    let result = await withTaskCancellationHandler {
      do throws(SyncError) { return Result<Value, SyncError>.success(try await body(mirror, stop)) } catch {
        return .failure(error)
      }
    } onCancel: {
      stop.ask()
    }
    return try result.get()
  }
}
