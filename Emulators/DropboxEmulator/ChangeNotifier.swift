import Synchronization

/// Wakes everyone who waits for a change.
final class ChangeNotifier: Sendable {
  private struct State {
    var next = 0
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    var cancelled: Set<Int> = []
  }

  private let state = Mutex(State())

  /// Wakes everyone; later if what changed shows later.
  func notify(after delay: Duration) {
    guard delay > .zero else { return wakeAll() }
    Task {
      // No one cancels this one.
      try? await Task.sleep(for: delay + .milliseconds(1))
      wakeAll()
    }
  }

  private func wakeAll() {
    let waiting = state.withLock { state in
      defer { state.waiting = [:] }
      return state.waiting.values
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Waits for the next ring, for the end, or for the task to be cancelled.
  func wait(until end: ContinuousClock.Instant) async {
    let id = state.withLock { state in
      state.next += 1
      return state.next
    }
    let alarm = Task {
      // Being cancelled is how this wait ends when something rang.
      if (try? await Task.sleep(until: end, clock: .continuous)) != nil { wake(id) }
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if state.cancelled.remove(id) != nil { return true }
          state.waiting[id] = continuation
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      wake(id)
    }
    alarm.cancel()
    state.withLock { _ = $0.cancelled.remove(id) }
  }

  private func wake(_ id: Int) {
    let continuation = state.withLock { state in
      let continuation = state.waiting.removeValue(forKey: id)
      if continuation == nil { state.cancelled.insert(id) }
      return continuation
    }
    continuation?.resume()
  }
}
