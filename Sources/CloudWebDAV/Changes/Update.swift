internal import HTTPStorage
internal import SyncKit

extension FileWrite {
  /// Replaces the expected version, with the safest method that the server supports.
  func update(_ content: Content, _ revision: Revision) async throws(SyncError) -> WriteResult {
    try await waitForAnotherSecond(after: revision)
    switch traits.update {
    case .condition:
      guard let tag = Facts.tag(in: revision) else { return try await refusal() }
      return try await put(content, if: .tag(tag))
    case .lock(let moving): return try await updateUnderLock(content, revision, moving: moving)
    case .moves: return try await replaceByMoves(content, revision)
    case .unsafe: return try await updateAfterLooking(content, revision)
    }
  }

  /// Waits until the clock shows another second than the old version's time, if versions are only distinguished by size and
  /// whole seconds: otherwise no client could detect the change.
  private func waitForAnotherSecond(after revision: Revision) async throws(SyncError) {
    guard !traits.tagsAreFine, let written = Facts.modified(in: revision), let now = server.clock else { return }
    let wait = 2 - (now.seconds - written.seconds)
    if (1...2).contains(wait) { try await server.sleep(for: .seconds(wait)) }
  }

  private func updateUnderLock(
    _ content: Content, _ revision: Revision, moving: Bool
  ) async throws(SyncError) -> WriteResult {
    guard moving else {
      return try await withLock(expecting: revision, size: content.size) { lock throws(SyncError) in
        try await put(content, if: .lock(lock.token), under: lock)
      }
    }
    return try await withUpload(of: content) { upload throws(SyncError) in
      try await withLock(expecting: revision, size: 0) { lock throws(SyncError) in
        try await moveIn(upload, content, overwriting: true, if: .lock(lock.token, on: url))
      }
    }
  }

  /// Checks the version, then overwrites it with MOVE; a write in between is lost.
  private func updateAfterLooking(_ content: Content, _ revision: Revision) async throws(SyncError) -> WriteResult {
    try await withUpload(of: content) { upload throws(SyncError) in
      guard case .success(let observation) = try await observation(), try await isExpected(observation, revision) else {
        return try await refusal()
      }
      return try await moveIn(upload, content, overwriting: true, if: .none)
    }
  }

  /// Removes the expected version.
  func remove(_ revision: Revision) async throws(SyncError) -> WriteResult {
    switch traits.removal {
    case .condition:
      guard let tag = Facts.tag(in: revision) else { return try await refusal() }
      return try await delete(if: .tag(tag))
    case .lock:
      return try await withLock(expecting: revision, size: 0) { lock throws(SyncError) in
        try await delete(if: .lock(lock.token, on: traits.removalsNameTheFile ? url : nil))
      }
    case .moves: return try await removeByMoves(revision)
    case .unsafe:
      guard case .success(let observation) = try await observation(), try await isExpected(observation, revision) else {
        return try await refusal()
      }
      return try await delete(if: .none)
    }
  }

  private func delete(if precondition: Preconditions) async throws(SyncError) -> WriteResult {
    let outcome = try await server.delete(url, if: precondition)
    switch outcome {
    case .answered(let answer) where answer.isGood || answer.status == 410: return try await gone(nil)
    case .answered(let answer) where answer.status == 404: return .refused(nil)
    case .answered(let answer): return try await refused(answer.status, "DELETE")
    case .notSent(let error): return .failed(error)
    case .lost(let error): return try await gone(error)
    }
  }

  /// Checks that the file is gone.
  func gone(_ doubt: SyncError?) async throws(SyncError) -> WriteResult {
    switch try await observation() {
    case .success(nil): return .done(nil)
    case .success(let observation?):
      return .unknown(
        doubt
          ?? SyncError(
            .pathFailed,
            "the server reported that it removed \(path), but \((observation.facts.size ?? 0).counted("byte")) are still there"
          ))
    // A lock that briefly outlives its file leaves a name without any other property (seen on Apache).
    case .failure(let error) where doubt == nil && error.code == .notFound: return .done(nil)
    case .failure(let error): return .unknown(error)
    }
  }
}
