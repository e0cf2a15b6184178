import SyncKit

/// The lifetime of one process: it may end before or after any effect, and its environment may change in between.
actor Life {
  /// An event between two effects of a process.
  enum Event: Sendable {
    /// The process is killed.
    case crash
    /// Another writer acts.
    case interruption(@Sendable () async -> Void)
  }

  private let events: [Int: Event]
  private nonisolated let trace: Trace?
  private var moments = 0
  private(set) var hasCrashed = false

  /// Creates a lifetime with events at given moments, counted from 1: two for each effect, before and after it.
  /// - Parameter trace: Records every effect; nil for no record.
  init(events: [Int: Event], trace: Trace?) {
    self.events = events
    self.trace = trace
  }

  /// Performs an effect outside of the process.
  nonisolated func perform<Value>(
    _ what: @autoclosure () -> String, _ effect: () async throws(SyncError) -> Value
  ) async throws(SyncError) -> Value {
    trace?.record(what())
    try await reach()
    let value = try await effect()
    try await reach()
    return value
  }

  private func reach() async throws(SyncError) {
    guard !hasCrashed else { throw Self.death }
    moments += 1
    switch events[moments] {
    case .crash:
      hasCrashed = true
      throw Self.death
    case .interruption(let interruption): await interruption()
    case nil: break
    }
  }

  private static let death = SyncError(.unexpected, "the process was killed")
}
