import Synchronization

/// Lets tasks take turns where they want the same thing.
public final class Turns: Sendable {
  private let waiting = Mutex<[String: [CheckedContinuation<Void, Never>]]>([:])

  public init() {}

  /// Does `work` when nobody else works on `thing`.
  public func take<Value>(
    _ thing: String, _ work: () async throws(SyncError) -> Value
  ) async throws(SyncError) -> Value {
    await begin(thing)
    defer { end(thing) }
    return try await work()
  }

  private func begin(_ thing: String) async {
    // A turn takes bounded time, so waiting for one does, and needs not to be cancelled.
    await withCheckedContinuation { continuation in
      let isFree = waiting.withLock { waiting in
        guard waiting[thing] != nil else {
          waiting[thing] = []
          return true
        }
        waiting[thing]?.append(continuation)
        return false
      }
      if isFree { continuation.resume() }
    }
  }

  private func end(_ thing: String) {
    let next = waiting.withLock { waiting -> CheckedContinuation<Void, Never>? in
      guard let queue = waiting[thing], !queue.isEmpty else {
        waiting[thing] = nil
        return nil
      }
      return waiting[thing]?.removeFirst()
    }
    next?.resume()
  }
}
