import Logging
import SyncKit
import Synchronization

/// Delivers events, outside of the passes: each receiver has a queue of its own, so that a slow one delays no other. It outlasts
/// a reload of the settings.
package final class EventWorkers: Sendable {
  /// The queues whose deliveries are not done, by number.
  private let queues = Mutex<[Int: Queue]>([:])
  private let next = Atomic(0)

  /// The queue of one receiver: its deliveries are in order.
  struct Queue: Sendable {
    fileprivate let events: AsyncStream<SyncEvent>.Continuation
    fileprivate let worker: Task<Void, Never>
  }

  /// The maximum number of events that wait for one receiver.
  private static let depth = 200

  package init() {}

  /// Starts a queue for a receiver. An error is logged, and not again until a delivery succeeded or has another one.
  func start(_ target: EventTarget, _ logger: Logger) -> Queue {
    let (stream, events) = AsyncStream.makeStream(of: SyncEvent.self, bufferingPolicy: .bufferingNewest(Self.depth))
    let number = next.add(1, ordering: .relaxed).newValue
    let worker = Task { [weak self] in
      var said: String?
      for await event in stream {
        let problem = await Self.problem(delivering: event, to: target)
        if let problem, problem != said {
          logger.error("\(target.name), on the event \(event.kind.rawValue) of \(event.remote): \(problem.printable)")
        }
        said = problem
      }
      self?.queues.withLock { $0[number] = nil }
    }
    let queue = Queue(events: events, worker: worker)
    queues.withLock { $0[number] = queue }
    return queue
  }

  private static func problem(delivering event: SyncEvent, to target: EventTarget) async -> String? {
    do { try await target.deliver(event) } catch is CancellationError {
      return nil
    } catch let failure as EventTarget.Failure {
      return failure.message
    } catch {
      return "\(error)"
    }
    return nil
  }

  /// Waits until all events are delivered; the time limits of the receivers end this wait. If this task is cancelled, the
  /// deliveries are.
  package func finish() async {
    let all = queues.withLock { queues in
      defer { queues = [:] }
      return queues.values
    }
    for queue in all { queue.events.finish() }
    await withTaskCancellationHandler {
      for queue in all { await queue.worker.value }
    } onCancel: {
      for queue in all { queue.worker.cancel() }
    }
  }

  /// Waits until all events are delivered, but at most for `limit`; then ends what still runs.
  package func finish(within limit: Duration) async {
    await withDiscardingTaskGroup { group in
      let work = Task { await finish() }
      group.addTask {
        // This wait is cancelled when everything is delivered.
        try? await Task.sleep(for: limit)
        work.cancel()
      }
      await work.value
      group.cancelAll()
    }
  }
}

extension EventWorkers.Queue {
  /// Adds an event; without room, the oldest one is dropped.
  func add(_ event: SyncEvent) { events.yield(event) }

  /// Ends the queue after its events.
  func finish() { events.finish() }
}
