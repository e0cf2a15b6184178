import SyncKit

/// The life of one process: it may end before or after any effect, and the world may change in between.
actor Life {
  /// What happens between two effects of a process.
  enum Event: Sendable {
    /// It is killed.
    case crash
    /// Somebody else does something.
    case interruption(@Sendable () async -> Void)
  }

  private let events: [Int: Event]
  private let record: @Sendable (String) -> Void
  private var moments = 0
  private(set) var hasCrashed = false

  /// A life in which events happen at certain moments, counted from 1: two for each effect, before it and after it.
  /// - Parameter record: is told of each effect.
  init(events: [Int: Event] = [:], record: @escaping @Sendable (String) -> Void = { _ in }) {
    self.events = events
    self.record = record
  }

  /// Does something that has an effect outside of the process.
  nonisolated func perform<Value>(
    _ what: String, _ effect: () async throws(SyncError) -> Value
  ) async throws(SyncError) -> Value {
    try await reach(what)
    let value = try await effect()
    try await reach(what)
    return value
  }

  private func reach(_ what: String) async throws(SyncError) {
    guard !hasCrashed else { throw Self.death }
    record(what)
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
