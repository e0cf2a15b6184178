import Dispatch
import Synchronization

/// Results in the order of their inputs, which another thread computes in batches while the caller uses the batch before.
struct ReadAhead<Input: Sendable, Output: Sendable>: Sendable {
  private let queue = DispatchQueue(label: "read ahead")
  private let inputs: [Input]
  private let batch: Int
  private let compute: @Sendable (Input) -> Output

  /// The results of a batch, once they are computed.
  private final class Batch: Sendable {
    let isDone = DispatchSemaphore(value: 0)
    let outputs = Mutex<[Output]>([])
  }

  init(_ inputs: [Input], batch: Int = 64, _ compute: @escaping @Sendable (Input) -> Output) {
    (self.inputs, self.batch, self.compute) = (inputs, batch, compute)
  }

  /// Calls a function with each result. After an error nothing more is computed but the batch that was begun.
  func deliver(to body: (Output) throws -> Void) throws {
    var next = begin(at: 0)
    for start in stride(from: 0, to: inputs.count, by: batch) {
      next.isDone.wait()
      let outputs = next.outputs.withLock { outputs in
        defer { outputs = [] }
        return outputs
      }
      next = begin(at: start + batch)
      for output in outputs { try body(output) }
    }
  }

  private func begin(at start: Int) -> Batch {
    let batch = Batch()
    let inputs = Array(inputs[min(start, inputs.count)..<min(start + self.batch, inputs.count)])
    guard !inputs.isEmpty else { return batch }
    queue.async { [compute] in
      let outputs = inputs.map(compute)
      batch.outputs.withLock { $0 = outputs }
      batch.isDone.signal()
    }
    return batch
  }
}
