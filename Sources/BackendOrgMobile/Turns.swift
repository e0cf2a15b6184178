internal import SyncKit

/// Lets one after the other do what must not be interleaved: reading lists, and writing them anew.
actor Turns {
  private var isTaken = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// Does `work` when everybody who came earlier has finished.
  func take<Value: Sendable>(
    _ work: @Sendable () async throws(SyncError) -> Value
  ) async throws(SyncError) -> Value {
    if isTaken { await withCheckedContinuation { waiting.append($0) } }
    isTaken = true
    defer { pass() }
    return try await work()
  }

  private func pass() {
    if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
  }
}
