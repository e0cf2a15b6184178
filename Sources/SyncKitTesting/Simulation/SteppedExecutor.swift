internal import Synchronization

/// Runs tasks one job after the other, in the order in which they became ready, on the calling thread.
///
/// Child tasks and actors follow the task that uses them, so that everything awaited below `run` happens in the same order each
/// time.
final class SteppedExecutor: TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  /// Runs `work` to its end, and nothing else.
  func run<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) -> Value {
    let result = Result<Value>()
    Task(executorPreference: self) { result.set(await work()) }
    while true {
      runReadyJobs()
      if let value = result.value { return value }
    }
  }

  private func runReadyJobs() {
    let ready = jobs.withLock { jobs in
      defer { jobs = [] }
      return jobs
    }
    for job in ready { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}

/// Receives the value of a task.
private final class Result<Value: Sendable>: Sendable {
  private let held = Mutex<Value?>(nil)

  var value: Value? { held.withLock { $0 } }

  func set(_ value: Value) { held.withLock { $0 = value } }
}
