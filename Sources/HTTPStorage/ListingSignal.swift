import Synchronization

/// Wakes tasks that wait for the next listing of a storage.
package final class ListingSignal: Sendable {
  private struct State {
    /// The number of listings so far.
    var count = 0
    /// True if a later listing can continue from the last one.
    var isValid = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  package init() {}

  /// The number of listings so far; nil if none is valid.
  package var count: Int? { state.withLock { $0.isValid ? $0.count : nil } }

  /// Records a listing.
  package func advance() {
    state.withLock { state in
      state.count += 1
      state.isValid = true
    }
    wake()
  }

  /// Makes tasks wait until the next listing: a later one cannot continue from the last.
  package func invalidate() { state.withLock { $0.isValid = false } }

  /// Returns after a valid listing beyond that number, or at once when the task is cancelled.
  package func wait(after count: Int) async {
    while state.withLock({ $0.count <= count || !$0.isValid }), !Task.isCancelled {
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let isOver = state.withLock { state in
            if state.count > count && state.isValid || Task.isCancelled { return true }
            state.waiting.append(continuation)
            return false
          }
          if isOver { continuation.resume() }
        }
      } onCancel: {
        wake()
      }
    }
  }

  private func wake() {
    let waiting = state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }
}
