internal import RsyncWire
internal import SyncKit

/// What became of what was handed over.
extension Transaction {
  func result(of parcel: Parcel, _ item: Outcome.Item?, _ dispatch: Dispatch) -> WriteResult {
    let time = commit.world.now()
    guard let item, let verdict = item.verdict else {
      let error = dispatch.failure ?? SyncError(.unavailable, "cannot check what happened to \(parcel.path)")
      return .unknown(error)
    }
    let path = parcel.path
    switch verdict {
    case .done:
      guard let live = item.live else { return .unknown(SyncError(.unexpected, "\(path) is missing after the write")) }
      // A file system with coarser times than ours has rounded the one that was made up.
      if live.nanoseconds == parcel.file.nanoseconds { commit.state.note(written: path, live.revision) }
      var entry = commit.storage.entry(live, at: path, seen: time)
      entry.digest = parcel.content.digest
      return .done(entry)
    case .displaced: return .refused(item.kept.map { commit.storage.entry($0, at: path, seen: time) })
    case .overtaken, .orphaned: return .refused(item.live.map { commit.storage.entry($0, at: path, seen: time) })
    case .notApplied:
      return notApplied(parcel, item.live.map { commit.storage.entry($0, at: path, seen: time) }, dispatch)
    }
  }

  /// What became of a file that was moved away, to be removed.
  func result(of removal: Removal, _ item: Outcome.Item?, _ dispatch: Dispatch) -> WriteResult {
    let (path, time) = (removal.path, commit.world.now())
    func refused(_ file: ListedFile?) -> WriteResult {
      .refused(file.map { commit.storage.entry($0, at: path, seen: time) })
    }
    switch item?.verdict {
    case .done: return .done(nil)
    case .displaced: return refused(item?.kept)
    case .overtaken, .orphaned: return refused(item?.live)
    case .notApplied:
      guard let reason = dispatch.obstacles[path] else {
        return dispatch.failure.map { .failed($0) } ?? refused(item?.live)
      }
      return .failed(SyncError(.pathFailed, "cannot remove \(path) on \(commit.far.place.hostName): \(reason)"))
    case nil:
      let error = dispatch.failure ?? SyncError(.unavailable, "cannot check what happened to \(path)")
      return .unknown(error)
    }
  }

  private func notApplied(_ parcel: Parcel, _ entry: Entry?, _ dispatch: Dispatch) -> WriteResult {
    let (path, host) = (parcel.path, commit.far.place.hostName)
    if let error = dispatch.unreadable[path] { return .failed(error) }
    if dispatch.refused.contains(path) { return .refused(entry) }
    if dispatch.ending.complaints.reportNoRoom {
      return .failed(SyncError(.pathFailed, "cannot write \(path): no space left on \(host)"))
    }
    if let failure = dispatch.failure { return .failed(failure) }
    let reason =
      dispatch.obstacles[path] ?? dispatch.ending.errorLines.reason(for: path) ?? dispatch.ending.errorLines.first
      ?? "rsync gave no reason"
    return .failed(SyncError(.pathFailed, "cannot write \(path) on \(host): \(reason)"))
  }
}
