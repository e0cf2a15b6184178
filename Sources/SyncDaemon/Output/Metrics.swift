import SyncKit

/// Figures for Prometheus, as a file that its node exporter reads ("textfile collector"): how each remote stands, and what
/// was done since the program began.
struct Metrics {
  let path: String
  private var totals: [String: PassReport.Counts] = [:]

  init(path: String) { self.path = path }

  /// Counts what was done, and writes the file anew, whole or not at all.
  mutating func note(_ reports: [PassReport], _ standing: (String) -> Standing) throws(SyncError) {
    for report in reports {
      var total = report.counts
      if let former = totals[report.remote] { total.add(former) }
      totals[report.remote] = total
    }
    let states = reports.map { (report: $0, standing: standing($0.remote)) }
    try LocalFile.write(Array(text(states).utf8), to: path)
  }

  private func text(_ states: [(report: PassReport, standing: Standing)]) -> String {
    func family(_ name: String, _ type: String, _ help: String, _ value: (PassReport, Standing) -> Double?) -> String {
      let samples = states.compactMap { state in
        value(state.report, state.standing).map { "syncd_\(name){remote=\"\(state.report.remote)\"} \($0)\n" }
      }
      return "# HELP syncd_\(name) \(help)\n# TYPE syncd_\(name) \(type)\n" + samples.joined()
    }
    func total(_ name: String, _ help: String, _ count: KeyPath<PassReport.Counts, Int>) -> String {
      family(name, "counter", help) { report, _ in Double(totals[report.remote]?[keyPath: count] ?? 0) }
    }
    return family(
      "last_success_timestamp_seconds", "gauge", "When both sides were last in sync.",
      { _, standing in standing.lastSuccess.map { Double($0.seconds) } })
      + family(
        "up", "gauge", "Whether the last pass came to its end.", { report, _ in report.failure == nil ? 1 : 0 })
      + family("pending_files", "gauge", "Files that the last pass left undone.", { Double($1.pending.count) })
      + family(
        "open_conflicts", "gauge", "Conflicts that wait for a person.", { report, _ in Double(report.openConflicts) })
      + family("held", "gauge", "Whether changes wait to be allowed.", { report, _ in report.hold == nil ? 0 : 1 })
      + family("pass_seconds", "gauge", "How long the last pass took.", { report, _ in report.seconds })
      + total("copied_files_total", "Files that were copied.", \.copied)
      + total("merged_files_total", "Files that were merged.", \.merged)
      + total("removed_files_total", "Files that were removed.", \.removed)
      + total("conflicts_total", "Conflicts that were met.", \.conflicts)
      + total("failed_files_total", "Files that could not be carried over.", \.failed)
  }
}

extension PassReport.Counts {
  fileprivate mutating func add(_ other: PassReport.Counts) {
    copied += other.copied
    merged += other.merged
    removed += other.removed
    conflicts += other.conflicts
    failed += other.failed
  }
}
