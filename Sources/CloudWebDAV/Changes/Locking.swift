internal import SyncKit

/// A lock that we hold, and until when at least.
struct HeldLock: Sendable {
  let token: String
  /// The server counts from when it granted it, which is later than when we asked.
  let end: ContinuousClock.Instant

  /// Before this much of it is left nothing more is sent under it.
  private static let margin = Duration.seconds(5)

  /// The lock in the answer to LOCK; nil if there is none in it.
  ///
  /// - Parameters:
  ///   - seconds: how long it was asked for, which counts where the answer does not say how long it was granted.
  ///   - asked: when it was asked for.
  init?(_ answer: Answer, seconds: Int, since asked: ContinuousClock.Instant) {
    guard let token = Server.token(in: answer) else { return nil }
    self.token = token
    end = asked + .seconds(min(Server.lockSeconds(in: answer) ?? seconds, seconds)) - Self.margin
  }
}

extension FileWrite {
  private static let attempts = 6
  /// How long a lock is asked for: a minute, and a second more for each 64 KiB that go up under it.
  private static func seconds(for size: Int) -> Int { 60 + size >> 16 }

  /// Does `work` while we hold a lock on the file, if the expected version is there. Others that hold one are waited for,
  /// not long.
  func withLock(
    expecting revision: Revision, size: Int, _ work: (HeldLock) async throws(SyncError) -> WriteResult
  ) async throws(SyncError) -> WriteResult {
    var pause = Duration.milliseconds(50)
    for _ in 1..<Self.attempts {
      if let result = try await locked(revision, size, work) { return result }
      try await server.pauseRandomly(around: pause)
      pause *= 2
    }
    return try await locked(revision, size, work)
      ?? .postponed("another client has locked \(path) on \(storage.address); syncd tries again later")
  }

  /// The same once; nil if another client has a lock.
  private func locked(
    _ revision: Revision, _ size: Int, _ work: (HeldLock) async throws(SyncError) -> WriteResult
  ) async throws(SyncError) -> WriteResult? {
    let (seconds, asked) = (Self.seconds(for: size), ContinuousClock.now)
    switch try await server.lock(url, as: storage.lockOwner, seconds: seconds) {
    case .answered(let answer) where answer.isGood:
      guard let lock = HeldLock(answer, seconds: seconds, since: asked) else {
        return .failed(server.syncError(answer.status, "LOCK", path))
      }
      let result: Result<WriteResult?, SyncError>
      do throws(SyncError) {
        result = .success(try await held(lock, isNew: answer.status == 201, revision, work))
      } catch {
        result = .failure(error)
      }
      // In every way out, also when the task was cancelled. A lock that stays ends by itself.
      let (server, url) = (server, url)
      _ = await Task { try? await server.unlock(url, lock.token) }.value
      // Refused although the expected version is there: the server has lost our lock (measured on Apache, where locks of
      // other files that come and go at the same moment can take one along).
      if case .success(.refused(let entry?)) = result, entry.revision == revision { return nil }
      return try result.get()
    case .answered(let answer) where answer.status == 423:
      try await storage.releaseOwnLock(on: path)
      return nil
    case .answered(let answer):
      return answer.status == 404 || answer.status == 409
        ? try await refusal() : try await refused(answer.status, "LOCK")
    case .notSent(let error), .lost(let error): return .failed(error)
    }
  }

  private func held(
    _ lock: HeldLock, isNew: Bool, _ revision: Revision, _ work: (HeldLock) async throws(SyncError) -> WriteResult
  ) async throws(SyncError) -> WriteResult? {
    switch try await server.lookUp(path, withLocks: true) {
    case .there(let observation):
      // Two can get a lock at once (measured on Apache and sabre); then neither has one.
      if observation.facts.locks.count > 1 { return nil }
      if observation.facts.isBlank { return .refused(nil) }
      if isNew, observation.facts.size == 0 {
        // The file had gone, and locking its name made an empty one.
        _ = try await server.delete(url, if: .lock(lock.token, on: traits.removalsNameTheFile ? url : nil))
        return .refused(nil)
      }
      guard try await isExpected(observation, revision) else { return refusal(observation) }
      return try await work(lock)
    case .absent: return .refused(nil)
    case .unclear(let error): return .failed(error)
    }
  }
}

extension WebDAVStorage {
  /// Ends a lock that this device has on the file and does not know of: the answer to LOCK was lost, the program ended while
  /// it held it, or the server keeps what was given back (measured on Apache, of one in a hundred removed files where many
  /// are locked and unlocked at once). Only one instance runs on a device, and the part of it that holds the lock after all sees
  /// that it is gone.
  func releaseOwnLock(on path: SyncPath) async throws(SyncError) {
    guard case .there(let observation) = try await server.lookUp(path, withLocks: true) else { return }
    for lock in observation.facts.locks where lock.owner == lockOwner {
      _ = try await server.unlock(server.address.file(path), lock.token)
    }
  }
}
