import CoreMetrics
import SyncKit

/// Records metrics of passes over one remote through swift-metrics: with the factory of the task, else with the one that the
/// embedding program has bootstrapped, else not at all.
struct PassMetrics {
  /// The labels of each metric.
  private let common: [(String, String)]

  /// - Parameters:
  ///   - store: the name of the store, if there are several.
  ///   - lastSuccess: the last time at which both sides were in sync, including this pass.
  static func record(_ report: PassReport, store: String?, lastSuccess: Timestamp?) {
    let metrics = PassMetrics(common: [("remote", report.remote)] + (store.map { [("store", $0)] } ?? []))
    metrics.meter(.up).set(report.failure == nil ? 1 : 0)
    if let lastSuccess { metrics.meter(.lastSuccess).set(lastSuccess.seconds) }
    metrics.recordEnd(of: report)
    metrics.recordChanges(report)
    // A pass that ended early does not know what is pending.
    if report.failure == nil { metrics.recordRest(report) }
  }

  private func recordEnd(of report: PassReport) {
    // Prometheus never sees a counter rise that first appears with the value 1.
    for word in Set(PassResult.allCases.map(\.word)) {
      counter(.passes, ("result", word)).increment(by: word == report.result.word ? 1 : 0)
    }
    Timer(label: Metric.passDuration.rawValue, dimensions: labels([])).recordSeconds(report.seconds)
    if let failure = report.failure { counter(.errors, ("code", failure.code.rawValue)).increment() }
  }

  private static let kinds: [Action.Kind] = [.copy, .merge, .remove, .conflict]

  private func recordChanges(_ report: PassReport) {
    for kind in Self.kinds {
      for target in Action.Target.allCases {
        counter(.changedFiles, ("action", kind.rawValue), ("side", target.rawValue))
          .increment(by: report.effects[.init(kind, target)] ?? 0)
      }
    }
    counter(.failedFiles).increment(by: report.counts.failed)
    counter(.transferredBytes, ("direction", "up")).increment(by: report.bytes.up)
    counter(.transferredBytes, ("direction", "down")).increment(by: report.bytes.down)
  }

  private func recordRest(_ report: PassReport) {
    meter(.pendingFiles).set(report.counts.failed + report.counts.waiting)
    meter(.openConflicts).set(report.openConflicts)
    meter(.heldDeletions).set(report.hold?.items.count ?? 0)
  }

  private func counter(_ metric: Metric, _ labels: (String, String)...) -> Counter {
    Counter(label: metric.rawValue, dimensions: self.labels(labels))
  }

  private func meter(_ metric: Metric) -> Meter { Meter(label: metric.rawValue, dimensions: labels([])) }

  private func labels(_ further: [(String, String)]) -> [(String, String)] { common + further }
}
