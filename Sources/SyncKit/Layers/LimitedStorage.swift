/// A storage with at most so many requests at once.
struct LimitedStorage: StorageLayer {
  let storage: any Storage
  let parallelism: Int

  func capabilities() async throws(SyncError) -> Capabilities {
    var capabilities = try await storage.capabilities()
    capabilities.parallelism = min(capabilities.parallelism, parallelism)
    return capabilities
  }

  func around<Value: Sendable>(
    _ verb: Verb, _ work: @Sendable () async throws(SyncError) -> Value
  ) async throws(SyncError) -> Value {
    try await work()
  }
}
