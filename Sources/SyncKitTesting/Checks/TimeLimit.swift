import Synchronization

/// Returns the result of `work`; throws if it takes longer than `limit`, even if it ignores its cancellation.
func limited<Value: Sendable>(
  to limit: Duration, _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  let race = Race<Value>()
  let job = Task {
    let result: Result<Value, any Error>
    do { result = .success(try await work()) } catch { result = .failure(error) }
    race.finish(result)
  }
  let clock = Task {
    guard (try? await Task.sleep(for: limit)) != nil else { return }
    race.finish(.failure(CheckFailure("the check did not end within \(limit)")))
    job.cancel()
  }
  defer { clock.cancel() }
  return try await withTaskCancellationHandler {
    try await race.result()
  } onCancel: {
    job.cancel()
  }
}

/// The first result of several.
private final class Race<Value: Sendable>: Sendable {
  private enum State {
    case running
    case awaited(CheckedContinuation<Value, any Error>)
    case finished(Result<Value, any Error>)
    case over
  }

  private let state = Mutex(State.running)

  func finish(_ result: Result<Value, any Error>) {
    let waiting = state.withLock { state -> CheckedContinuation<Value, any Error>? in
      switch state {
      case .running:
        state = .finished(result)
        return nil
      case .awaited(let continuation):
        state = .over
        return continuation
      case .finished, .over: return nil
      }
    }
    waiting?.resume(with: result)
  }

  func result() async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      let result = state.withLock { state -> Result<Value, any Error>? in
        if case .finished(let result) = state {
          state = .over
          return result
        }
        state = .awaited(continuation)
        return nil
      }
      if let result { continuation.resume(with: result) }
    }
  }
}
