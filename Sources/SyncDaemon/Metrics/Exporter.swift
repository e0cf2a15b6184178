import CoreMetrics
import Synchronization

/// Stores metrics, and returns them in Prometheus' text format. A name has one kind: values under the same name but of another
/// kind are discarded.
package final class Exporter: MetricsFactory {
  private enum Kind: String {
    case counter, gauge, histogram
  }

  private struct Family {
    var kind: Kind
    /// The series by the text of their labels.
    var series: [String: (labels: [(String, String)], source: any SampleSource)] = [:]
  }

  private let families = Mutex<[String: Family]>([:])

  package init() { make(.gauge, Metric.build.rawValue, [("version", ProgramVersion.number)], Series.init).set(1.0) }

  /// All metrics, with names and labels in order.
  var text: String {
    families.withLock { families in
      families.sorted { $0.key < $1.key }.map { name, family in
        PrometheusText.family(
          name, type: family.kind.rawValue, help: Metric(rawValue: name)?.help,
          family.series.sorted { $0.key < $1.key }.map { ($0.key, $0.value.source.samples) })
      }.joined()
    }
  }

  /// Removes the series of all remotes and stores except these. A series of a replica concerns either.
  func keep(remotes: Set<String>, stores: Set<String>) {
    let replicas = remotes.union(stores)
    forget { series in
      series.labels.contains { name, value in
        name == "remote" && !remotes.contains(value) || name == "replica" && !replicas.contains(value)
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
  /// Runs `body`, and stores its metrics if the settings enable them. A factory that the embedding program has bootstrapped
  /// receives them in any case.
  package func collect<Value>(_ settings: DaemonSettings, _ body: () async throws -> Value) async throws -> Value {
    guard settings.metrics != nil || settings.metricsPort != nil else { return try await body() }
    let factory = MultiplexMetricsHandler(factories: [self, MetricsSystem.factory])
    return try await withMetricsFactory(factory) { try await body() }
  }
}
