internal import SyncKit

extension DropboxStorage {
  /// Verifies a successful write: the content must be ours, and the name the intended one.
  func finished(_ metadata: Metadata, _ change: Change, hash: String) async throws(SyncError) -> WriteResult {
    guard let version = metadata.version else {
      return .unknown(SyncError(.unavailable, "Dropbox did not report what happened to \(change.path)"))
    }
    guard version.hash.map({ $0 == hash }) ?? true else {
      return .unknown(SyncError(.unexpected, "Dropbox stored other content than was sent for \(change.path)"))
    }
    let path = writtenPath(of: metadata)
    guard path == change.path || path == nil else {
      return try await removeMisplaced(version, change, writtenAs: path)
    }
    return .done(written(version, change))
  }

  /// The entry of a written file: its content hash proves that its content is the one that was sent.
  private func written(_ version: Metadata.Version, _ change: Change) -> Entry {
    var entry = entry(of: version, at: change.path)
    if version.hash != nil { entry.digest = change.content?.digest }
    return entry
  }

  /// Removes a new file that got another name than intended, because a parent folder is spelled differently.
  private func removeMisplaced(
    _ version: Metadata.Version, _ change: Change, writtenAs written: SyncPath?
  ) async throws(SyncError) -> WriteResult {
    let name = written?.description ?? "another name"
    let removal = Change(path: change.path, content: nil, condition: .unchanged(version.revision))
    switch try await Removal(storage: self, change: removal).run() {
    case .done: return .cannot("Dropbox treats the name as \(name)")
    default:
      return .unknown(
        SyncError(
          .unexpected, "Dropbox stored \(change.path) as \(name), and syncd cannot remove it; remove it by hand"))
    }
  }

  /// The result of a failed write.
  ///
  /// - Parameters:
  ///   - hash: The content hash of the sent bytes.
  ///   - mayBeDone: true if the write may have been carried out anyway.
  func resolve(
    _ failure: CallError, _ change: Change, hash: String, mayBeDone: Bool
  ) async throws(SyncError) -> WriteResult {
    switch failure.kind {
    case .notDone, .rootMoved:
      if failure.error.reach == .pass { throw failure.error }
      return mayBeDone ? .unknown(failure.error) : .failed(failure.error)
    case .lost: return try await resolveByLookup(failure.error, change, hash: hash, mayBeDone: true, otherwise: nil)
    case .refused(let refusal):
      if let namingViolation = refusal.namingViolation { return .cannot(namingViolation) }
      if refusal.has("file_ancestor") {
        return .failed(SyncError(.pathFailed, "cannot write \(change.path): a file has the name of its folder"))
      }
      let error = refusal.error(at: change.path.description)
      guard refusal.isConflict || mayBeDone else { return .failed(error) }
      return try await resolveByLookup(
        error, change, hash: hash, mayBeDone: mayBeDone, otherwise: refusal.isConflict ? nil : .failed(error))
    }
  }

  private func resolveByLookup(
    _ error: SyncError, _ change: Change, hash: String, mayBeDone: Bool, otherwise: WriteResult?
  ) async throws(SyncError) -> WriteResult {
    let wasRefused = error.code == .changedMeanwhile
    switch await lookUp(change.path) {
    case .file(let version):
      let entry = entry(of: version, at: change.path)
      if mayBeDone, version.hash == hash, change.condition != .unchanged(version.revision) {
        return .done(written(version, change))
      }
      return otherwise ?? (wasRefused ? .refused(entry) : .unknown(error))
    case .absent: return otherwise ?? (wasRefused ? .refused(nil) : .unknown(error))
    case .other(_, isFolder: true):
      return .failed(SyncError(.pathFailed, "cannot write \(change.path): Dropbox has a folder of this name"))
    case .other(let written, isFolder: false):
      return .cannot("Dropbox treats the name as \(written?.description ?? "another one")")
    case .unclear(let failure):
      if failure.error.reach == .pass { throw failure.error }
      return mayBeDone ? .unknown(failure.error) : .failed(failure.error)
    }
  }
}
