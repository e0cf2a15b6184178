package import SyncKit

/// The workspace of a running service, for another part of the same process: both write through the same open store and archive.
///
/// The service lends it while it runs passes. While the service has yielded to a command, users wait.
package actor SharedWorkspace {
  /// Opens the store of the service.
  package typealias StoreOpening = @Sendable () async throws(SyncError) -> any Replica

  private let turns = LockQueue()
  /// The time for which a user waits for a command.
  private let patience: Duration
  private var lent: (workspace: Workspace, store: StoreOpening)?
  private var isUsed = false
  private var isClosed = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  package init(patience: Duration = .seconds(10)) { self.patience = patience }

  // MARK: Lending

  /// Runs a function and lends the workspace meanwhile. Returns when the last user has given it back.
  package func lend<Value: Sendable>(
    _ workspace: Workspace, store: @escaping StoreOpening, while body: @Sendable () async throws -> Value
  ) async throws -> Value {
    (lent, isClosed) = ((workspace, store), false)
    wake()
    let result: Result<Value, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    lent = nil
    while isUsed { await change() }
    return try result.get()
  }

  /// Refuses those who wait, and everyone who comes later.
  package func close() {
    isClosed = true
    wake()
  }

  // MARK: Using

  /// Runs a function with the workspace while no other user has it. What it records is a pass of its own in the history. An edit
  /// that was interrupted is completed first.
  package nonisolated func with<Value: Sendable>(
    _ body: (Workspace) async throws -> Value
  ) async throws -> Value {
    let result = try await turns.withLock("") { () async throws(SyncError) -> Result<Value, any Error> in
      let lent = try await borrow()
      let result: Result<Value, any Error>
      do {
        let workspace = try await lent.workspace.shared(try await lent.store())
        try await ItemIntent.complete(workspace)
        result = .success(try await body(workspace))
      } catch { result = .failure(error) }
      await giveBack()
      return result
    }
    return try result.get()
  }

  private func borrow() async throws(SyncError) -> (workspace: Workspace, store: StoreOpening) {
    let deadline = ContinuousClock.now + patience
    let timer = Task { [patience] in
      // This wait is cancelled when the workspace is lent.
      if (try? await Task.sleep(for: patience)) != nil { wake() }
    }
    defer { timer.cancel() }
    while true {
      if isClosed { throw SyncError(.locked, "the service ends or reads its settings") }
      if let lent {
        isUsed = true
        return lent
      }
      guard ContinuousClock.now < deadline else {
        throw SyncError(.locked, "a command is changing the store")
      }
      await change()
    }
  }

  private func giveBack() {
    isUsed = false
    wake()
  }

  private func change() async { await withCheckedContinuation { waiting.append($0) } }

  private func wake() {
    let all = waiting
    waiting = []
    for one in all { one.resume() }
  }
}

/// How a part of the program comes to the workspace in which it changes the store.
package enum WorkspaceAccess: Sendable {
  /// As a command does: with the lock, to which a service yields.
  case alone(DaemonConfiguration)
  /// With the service of the same process.
  case shared(SharedWorkspace)

  /// Runs a function with the workspace.
  package func with<Value: Sendable>(_ body: (Workspace) async throws -> Value) async throws -> Value {
    switch self {
    case .alone(let configuration): try await Workspace.with(configuration, .exclusive, body)
    case .shared(let workspace): try await workspace.with(body)
    }
  }
}
