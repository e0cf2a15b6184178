import Synchronization

/// Locks by name. Tasks get a lock in the order in which they requested it.
public final class LockQueue: Sendable {
  private let waiting = Mutex<[String: [CheckedContinuation<Void, Never>]]>([:])

  public init() {}

  /// Runs `work` while no other task holds the lock with this name.
  public func withLock<Value>(
    _ name: String, _ work: () async throws(SyncError) -> Value
  ) async throws(SyncError) -> Value {
    await lock(name)
    defer { unlock(name) }
    return try await work()
  }

  private func lock(_ name: String) async {
    // A holder takes bounded time, so waiting does too, and need not be cancelled.
    await withCheckedContinuation { continuation in
      let isFree = waiting.withLock { waiting in
        guard waiting[name] != nil else {
          waiting[name] = []
          return true
        }
        waiting[name]?.append(continuation)
        return false
      }
      if isFree { continuation.resume() }
    }
  }

  private func unlock(_ name: String) {
    let next = waiting.withLock { waiting -> CheckedContinuation<Void, Never>? in
      guard let queue = waiting[name], !queue.isEmpty else {
        waiting[name] = nil
        return nil
      }
      return waiting[name]?.removeFirst()
    }
    next?.resume()
  }
}
