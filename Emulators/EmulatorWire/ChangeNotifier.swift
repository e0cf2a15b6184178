import Synchronization

/// Wakes all tasks that wait for a change.
package final class ChangeNotifier: Sendable {
  private struct State {
    var next = 0
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    var cancelled: Set<Int> = []
  }

  private let state = Mutex(State())

  package init() {}

  /// Wakes all waiting tasks, after `delay` if changes become visible later.
  package func notify(after delay: Duration) {
    guard delay > .zero else { return wakeAll() }
    Task {
      // This task is never cancelled.
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

  /// Waits until the next notification, until `end`, or until the task is cancelled.
  package func wait(until end: ContinuousClock.Instant) async {
    let id = state.withLock { state in
      state.next += 1
      return state.next
    }
    let alarm = Task {
      // A notification ends this wait by cancelling it.
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
