import Synchronization

import class Dispatch.DispatchSemaphore
import class Foundation.Thread

/// A dedicated thread as the executor of an actor: blocking calls there, for example in a library that waits for a server,
/// delay no other task.
public final class Worker: SerialExecutor {
  private let queue = Queue()

  public init(_ name: String) {
    let thread = Thread { [queue] in queue.run() }
    thread.name = name
    thread.start()
  }

  deinit { queue.stop() }

  public func enqueue(_ job: consuming ExecutorJob) {
    unsafe queue.add(UnownedJob(job), for: asUnownedSerialExecutor())
  }

  public func asUnownedSerialExecutor() -> UnownedSerialExecutor { unsafe UnownedSerialExecutor(ordinary: self) }

  /// The thread's job queue. It outlives the executor as long as the thread is busy.
  private final class Queue: Sendable {
    private let jobs = Mutex<[Job?]>([])
    private let signal = DispatchSemaphore(value: 0)

    private struct Job: @unchecked Sendable {
      let run: () -> Void
    }

    func add(_ job: UnownedJob, for executor: UnownedSerialExecutor) {
      jobs.withLock { $0.append(Job { unsafe job.runSynchronously(on: executor) }) }
      signal.signal()
    }

    func stop() {
      jobs.withLock { $0.append(nil) }
      signal.signal()
    }

    func run() {
      while true {
        signal.wait()
        guard let job = jobs.withLock({ $0.removeFirst() }) else { return }
        job.run()
      }
    }
  }
}
