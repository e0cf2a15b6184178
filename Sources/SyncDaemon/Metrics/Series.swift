import CoreMetrics
import Synchronization

/// The values of one name and one set of labels, for printing.
protocol SampleSource: AnyObject, Sendable {
  /// The samples: a suffix of the name, an additional label, and the number.
  var samples: [Sample] { get }
}

/// One line of Prometheus' text format.
struct Sample {
  var suffix = ""
  var label: (name: String, value: String)?
  var number: Double
}

/// A single number: a counter or a gauge.
final class Series: SampleSource, CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler {
  private let number = Mutex(0.0)

  var samples: [Sample] { [Sample(number: number.withLock { $0 })] }

  func increment(by amount: Int64) { increment(by: Double(amount)) }
  func increment(by amount: Double) { number.withLock { $0 += amount } }
  func decrement(by amount: Double) { number.withLock { $0 -= amount } }
  func set(_ value: Int64) { set(Double(value)) }
  func set(_ value: Double) { number.withLock { $0 = value } }
  func record(_ value: Int64) { set(Double(value)) }
  func record(_ value: Double) { set(value) }
  func reset() { set(0.0) }
}

/// The distribution of values, as a Prometheus histogram; timers are in seconds.
final class Distribution: SampleSource, TimerHandler, RecorderHandler {
  /// From a pass that finds nothing to one over a slow network.
  private static let bounds = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 300]

  private struct State {
    /// The number of values up to each bound, and the total number.
    var counts = [Int](repeating: 0, count: bounds.count + 1)
    var sum = 0.0
  }

  private let state = Mutex(State())

  func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
  func record(_ value: Int64) { record(Double(value)) }
  func record(_ value: Double) {
    state.withLock { state in
      for (index, bound) in (Self.bounds + [.infinity]).enumerated() where value <= bound { state.counts[index] += 1 }
      state.sum += value
    }
  }

  var samples: [Sample] {
    let state = state.withLock { $0 }
    let buckets = zip(Self.bounds + [.infinity], state.counts).map { bound, count in
      Sample(suffix: "_bucket", label: ("le", PrometheusText.number(bound)), number: Double(count))
    }
    let all = Double(state.counts.last ?? 0)
    return buckets + [Sample(suffix: "_sum", number: state.sum), Sample(suffix: "_count", number: all)]
  }
}
