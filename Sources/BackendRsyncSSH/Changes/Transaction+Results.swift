internal import RsyncWire
internal import SyncKit

/// The results of a transfer.
extension Transaction {
  func result(of upload: Upload, _ item: Outcome.Item?, _ sent: SendResult) -> WriteResult {
    let time = commit.runtime.now()
    guard let item, let status = item.status else {
      let error = sent.failure ?? SyncError(.unavailable, "cannot check what happened to \(upload.path)")
      return .unknown(error)
    }
    let path = upload.path
    switch status {
    case .done:
      guard let live = item.live else { return .unknown(SyncError(.unexpected, "\(path) is missing after the write")) }
      // The file system has a coarser time resolution, and rounded the random time.
      if live.nanoseconds == upload.file.nanoseconds { commit.state.record(written: path, live.revision) }
      var entry = commit.storage.entry(live, at: path, seen: time)
      entry.digest = upload.content.digest
      return .done(entry)
    case .displaced: return .refused(item.kept.map { commit.storage.entry($0, at: path, seen: time) })
    case .overtaken, .orphaned: return .refused(item.live.map { commit.storage.entry($0, at: path, seen: time) })
    case .notApplied:
      return notApplied(upload, item.live.map { commit.storage.entry($0, at: path, seen: time) }, sent)
    }
  }

  /// The result for a file that was moved away in order to be removed.
  func result(of removal: Removal, _ item: Outcome.Item?, _ sent: SendResult) -> WriteResult {
    let (path, time) = (removal.path, commit.runtime.now())
    func refused(_ file: ListedFile?) -> WriteResult {
      .refused(file.map { commit.storage.entry($0, at: path, seen: time) })
    }
    switch item?.status {
    case .done: return .done(nil)
    case .displaced: return refused(item?.kept)
    case .overtaken, .orphaned: return refused(item?.live)
    case .notApplied:
      guard let reason = sent.obstacles[path] else {
        return sent.failure.map { .failed($0) } ?? refused(item?.live)
      }
      return .failed(SyncError(.pathFailed, "cannot remove \(path) on \(commit.remote.folder.hostName): \(reason)"))
    case nil:
      let error = sent.failure ?? SyncError(.unavailable, "cannot check what happened to \(path)")
      return .unknown(error)
    }
  }

  private func notApplied(_ upload: Upload, _ entry: Entry?, _ sent: SendResult) -> WriteResult {
    let (path, host) = (upload.path, commit.remote.folder.hostName)
    if let error = sent.unreadable[path] { return .failed(error) }
    if sent.refused.contains(path) { return .refused(entry) }
    if sent.exit.complaints.reportNoRoom {
      return .failed(SyncError(.pathFailed, "cannot write \(path): no space left on \(host)"))
    }
    if let failure = sent.failure { return .failed(failure) }
    let reason =
      sent.obstacles[path] ?? sent.exit.errorLines.reason(for: path) ?? sent.exit.errorLines.first
      ?? "rsync reported no reason"
    return .failed(SyncError(.pathFailed, "cannot write \(path) on \(host): \(reason)"))
  }
}
