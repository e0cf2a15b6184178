import Logging

/// A storage with a log line for each call; the log never contains a file's content.
struct LoggedStorage: StorageLayer {
  let storage: any Storage
  let logger: Logger

  func around<Value: Sendable>(
    _ call: StorageCall, _ work: @Sendable () async throws(SyncError) -> Value
  ) async throws(SyncError) -> Value {
    do throws(SyncError) {
      let value = try await work()
      logger.trace("\(call) done", metadata: ["storage": "\(address)"])
      return value
    } catch {
      logger.debug(
        "\(call) failed: \(error.message)", metadata: ["storage": "\(address)", "cause": "\(error.cause ?? "")"])
      throw error
    }
  }
}
