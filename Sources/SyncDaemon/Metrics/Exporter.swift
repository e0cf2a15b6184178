import CoreMetrics
import Synchronization

/// Keeps what is counted and measured, and returns it as the text that Prometheus reads. A name has one kind: what comes
/// under a known name as another kind is kept nowhere.
package final class Exporter: MetricsFactory {
  private enum Kind: String {
    case counter, gauge, histogram
  }

  private struct Family {
    var kind: Kind
    /// By the text of their labels.
    var series: [String: (labels: [(String, String)], source: any SampleSource)] = [:]
  }

  private let families = Mutex<[String: Family]>([:])

  package init() { make(.gauge, Metric.build.rawValue, [("version", ProgramVersion.number)], Series.init).set(1.0) }

  /// Everything, names and labels in order.
  var text: String {
    families.withLock { families in
      families.sorted { $0.key < $1.key }.map { name, family in
        PrometheusText.family(
          name, type: family.kind.rawValue, help: Metric(rawValue: name)?.help,
          family.series.sorted { $0.key < $1.key }.map { ($0.key, $0.value.source.samples) })
      }.joined()
    }
  }

  /// Forgets what is known of remotes but these. What tells of a replica may tell of the store.
  func keep(remotes: Set<String>) {
    forget { series in
      series.labels.contains { name, value in
        name == "remote" && !remotes.contains(value) || name == "replica" && !remotes.union(["store"]).contains(value)
      }
    }
  }

  private func forget(_ isOver: ((labels: [(String, String)], source: any SampleSource)) -> Bool) {
    families.withLock { families in
      families = families.compactMapValues { family in
        let rest = family.series.filter { !isOver($0.value) }
        return rest.isEmpty ? nil : Family(kind: family.kind, series: rest)
      }
    }
  }

  private func make<Source: SampleSource>(
    _ kind: Kind, _ label: String, _ labels: [(String, String)], _ new: @Sendable () -> Source
  ) -> Source {
    families.withLock { families in
      let (name, key) = (PrometheusText.name(label), PrometheusText.labels(labels.map { (name: $0.0, value: $0.1) }))
      var family = families[name] ?? Family(kind: kind)
      guard family.kind == kind else { return new() }
      if let known = family.series[key]?.source as? Source { return known }
      let source = new()
      family.series[key] = (labels, source)
      families[name] = family
      return source
    }
  }
}

extension Exporter {
  func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    make(.counter, label, dimensions, Series.init)
  }

  func makeFloatingPointCounter(label: String, dimensions: [(String, String)]) -> any FloatingPointCounterHandler {
    make(.counter, label, dimensions, Series.init)
  }

  func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    make(.gauge, label, dimensions, Series.init)
  }

  func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
    if aggregate { return make(.histogram, label, dimensions, Distribution.init) }
    return make(.gauge, label, dimensions, Series.init)
  }

  func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    make(.histogram, label, dimensions, Distribution.init)
  }

  func destroyCounter(_ handler: any CounterHandler) { forget { $0.source === handler } }
  func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) { forget { $0.source === handler } }
  func destroyMeter(_ handler: any MeterHandler) { forget { $0.source === handler } }
  func destroyRecorder(_ handler: any RecorderHandler) { forget { $0.source === handler } }
  func destroyTimer(_ handler: any TimerHandler) { forget { $0.source === handler } }
}

extension Exporter {
  /// Runs `body`, and keeps what is counted and measured in it if the settings want that. A factory that the program around
  /// this library has bootstrapped hears of it in any case.
  package func collect<Value>(_ settings: DaemonSettings, _ body: () async throws -> Value) async throws -> Value {
    guard settings.metrics != nil || settings.metricsPort != nil else { return try await body() }
    let factory = MultiplexMetricsHandler(factories: [self, MetricsSystem.factory])
    return try await withMetricsFactory(factory) { try await body() }
  }
}
