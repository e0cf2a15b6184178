internal import HTTPStorage
internal import SyncKit

/// A lock that this device holds, with its minimum end.
struct HeldLock: Sendable {
  let token: String
  /// The earliest end. The server counts from granting the lock, which is later than our request.
  let end: ContinuousClock.Instant

  /// The time before the end after which nothing more is sent under the lock.
  private static let margin = Duration.seconds(5)

  /// Reads the lock in the answer to LOCK; returns nil if there is none.
  ///
  /// - Parameters:
  ///   - seconds: the requested duration, which applies if the answer has none.
  ///   - asked: the time of the request.
  init?(_ answer: Answer, seconds: Int, since asked: ContinuousClock.Instant) {
    guard let token = Server.token(in: answer) else { return nil }
    self.token = token
    end = asked + .seconds(min(Server.lockSeconds(in: answer) ?? seconds, seconds)) - Self.margin
  }
}

extension FileWrite {
  private static let attempts = 6
  /// The requested duration of a lock: a minute, and one second for each 64 KiB to upload.
  private static func seconds(for size: Int) -> Int { 60 + size >> 16 }

  /// Runs `work` under a lock on the file, if the expected version is present. Waits for other locks, but not for long.
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

  /// The same once; returns nil if another client has a lock.
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
      // In every case, even if the task was cancelled. A lock that remains expires.
      let (server, url) = (server, url)
      _ = await Task { try? await server.unlock(url, lock.token) }.value
      // Rejected although the expected version is present: the server has lost our lock (measured on Apache, where locks of
      // other files that come and go at the same moment can remove one).
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
      // Two clients can get a lock at once (measured on Apache and sabre); then neither has one.
      if observation.facts.locks.count > 1 { return nil }
      if observation.facts.isBlank { return .refused(nil) }
      if isNew, observation.facts.size == 0 {
        // The file was removed, and locking its name created an empty one.
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
  /// Releases an unknown lock of this device on the file: the answer to LOCK was lost, the program ended while it held the
  /// lock, or the server keeps a released lock (measured on Apache, for one in a hundred removed files when many are locked and
  /// unlocked at once). Only one instance runs on a device, and if a part of it holds the lock after all, it notices that the
  /// lock is gone.
  func releaseOwnLock(on path: SyncPath) async throws(SyncError) {
    guard case .there(let observation) = try await server.lookUp(path, withLocks: true) else { return }
    for lock in observation.facts.locks where lock.owner == lockOwner {
      _ = try await server.unlock(server.address.file(path), lock.token)
    }
  }
}
