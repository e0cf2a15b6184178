/// A storage that retries while it is unavailable, with growing pauses. Only read-only verbs are repeated: a write whose answer
/// was lost may have been made.
struct RetryingStorage: StorageLayer {
  let storage: any Storage
  let attempts: Int
  let runtime: Runtime

  func around<Value: Sendable>(
    _ call: StorageCall, _ work: @Sendable () async throws(SyncError) -> Value
  ) async throws(SyncError) -> Value {
    var pause = Duration.milliseconds(200)
    for _ in 1..<max(attempts, 1) where call.onlyReads {
      do throws(SyncError) { return try await work() } catch  where error.code == .unavailable {
        try await rest(for: pause)
        pause *= 3
      }
    }
    return try await work()
  }

  private func rest(for pause: Duration) async throws(SyncError) {
    let jitter = Double(runtime.random(1).first ?? 0) / 255
    do { try await runtime.sleep(pause * (0.5 + jitter)) } catch {
      throw SyncError(.cancelled, "the pass was stopped while it waited for \(address)")
    }
  }
}
