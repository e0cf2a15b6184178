import Logging

/// A storage with a line in the log for each verb; the log never holds a file's content.
struct LoggedStorage: StorageLayer {
  let storage: any Storage
  let logger: Logger

  func around<Value: Sendable>(
    _ verb: Verb, _ work: @Sendable () async throws(SyncError) -> Value
  ) async throws(SyncError) -> Value {
    do throws(SyncError) {
      let value = try await work()
      logger.trace("\(verb) done", metadata: ["storage": "\(address)"])
      return value
    } catch {
      logger.debug(
        "\(verb) failed: \(error.message)", metadata: ["storage": "\(address)", "cause": "\(error.cause ?? "")"])
      throw error
    }
  }
}
