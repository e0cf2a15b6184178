import Synchronization

/// Admits a limited number of tasks at once, in the order of arrival.
final class Gate: Sendable {
  private struct State {
    var free: Int
    var waiting: [(id: Int, continuation: CheckedContinuation<Bool, Never>)] = []
    var cancelled: Set<Int> = []
    var next = 0
  }

  private let state: Mutex<State>

  init(count: Int) { state = Mutex(State(free: max(2, count))) }

  /// Waits for a slot; throws `.cancelled` if the task is cancelled.
  func enter() async throws(HTTPError) {
    let id = state.withLock { state in
      state.next += 1
      return state.next
    }
    let isIn = await withTaskCancellationHandler {
      await withCheckedContinuation { admit($0, id) }
    } onCancel: {
      giveUp(id)
    }
    state.withLock { _ = $0.cancelled.remove(id) }
    guard isIn else { throw .cancelled }
  }

  private func admit(_ continuation: CheckedContinuation<Bool, Never>, _ id: Int) {
    let answer: Bool? = state.withLock { state in
      if state.cancelled.remove(id) != nil { return false }
      if state.free > 0 {
        state.free -= 1
        return true
      }
      state.waiting.append((id, continuation))
      return nil
    }
    if let answer { continuation.resume(returning: answer) }
  }

  private func giveUp(_ id: Int) {
    let continuation = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      guard let index = state.waiting.firstIndex(where: { $0.id == id }) else {
        state.cancelled.insert(id)
        return nil
      }
      return state.waiting.remove(at: index).continuation
    }
    continuation?.resume(returning: false)
  }

  /// Releases a slot.
  func leave() {
    let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      guard !state.waiting.isEmpty else {
        state.free += 1
        return nil
      }
      return state.waiting.removeFirst().continuation
    }
    next?.resume(returning: true)
  }
}
