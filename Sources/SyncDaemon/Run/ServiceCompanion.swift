/// A part of the program that runs beside the service of a store, in the same process, such as the hub.
package protocol ServiceCompanion: Sendable {
  /// Receivers of alerts that it has.
  var notifiers: [any Notifier] { get }

  /// Is called before the first pass whenever the service has acquired the store.
  func prepare(_ workspace: Workspace) async throws

  /// Runs until the task is cancelled. An error ends the service.
  func run() async throws

  /// Is called after a pass that changed files, conflicts, held deletions, or the result of its remote, once the history has it.
  func recordedPass()
}

/// Makes the companion of the service of a store; returns nil if its settings ask for none.
package typealias CompanionMaker =
  @Sendable (DaemonConfiguration, SharedWorkspace) throws -> (any ServiceCompanion)?

/// The companion of the service of one store. It outlasts the runs of the service, until the settings are loaded again.
actor CompanionRun {
  private let make: CompanionMaker
  /// Is called when the companion has failed.
  private let failed: @Sendable () -> Void
  private var current: (companion: any ServiceCompanion, shared: SharedWorkspace, work: Task<Void, Never>?)?
  private var isMade = false
  private var error: (any Error)?

  init(_ make: @escaping CompanionMaker, failed: @escaping @Sendable () -> Void) {
    (self.make, self.failed) = (make, failed)
  }

  /// Runs one run of the service with the companion's receivers of alerts, and the companion beside it.
  func accompany<Value: Sendable>(
    _ workspace: Workspace, store: @escaping SharedWorkspace.StoreOpening,
    _ body: @Sendable ([any Notifier]) async throws -> Value
  ) async throws -> Value {
    if !isMade {
      isMade = true
      let shared = SharedWorkspace()
      current = try make(workspace.configuration, shared).map { ($0, shared, nil) }
    }
    guard let current else { return try await body([]) }
    let notifiers = current.companion.notifiers
    try await current.companion.prepare(workspace)
    if current.work == nil { self.current?.work = Task { await run(current.companion) } }
    return try await current.shared.lend(workspace, store: store) { try await body(notifiers) }
  }

  /// Tells the companion that the history has another pass.
  func recordedPass() { current?.companion.recordedPass() }

  private func run(_ companion: any ServiceCompanion) async {
    do { try await companion.run() } catch {
      guard !Task.isCancelled else { return }
      self.error = error
      failed()
    }
  }

  /// Ends the companion, which finishes what it is doing; the next run makes another one. Throws the error that has ended it.
  func end() async throws {
    isMade = false
    if let current {
      self.current = nil
      await current.shared.close()
      current.work?.cancel()
      await current.work?.value
    }
    if let error { throw error }
  }
}
