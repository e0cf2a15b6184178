import Logging
package import SyncKit

/// What a pass writes in addition to the archive, as the settings say: the state that `syncd status` reads, the audit log
/// and the metrics. An error is logged and stops nothing.
package struct Notes {
  private let state: StateFolder
  private let audit: AuditLog?
  private let metrics: (path: String, exporter: Exporter)?
  private let logger: Logger

  /// - Parameter exporter: what the file for the metrics is made of; nil if it is not to be written.
  package init(_ configuration: DaemonConfiguration, _ state: StateFolder, _ exporter: Exporter?) {
    self.state = state
    audit = configuration.daemon.auditLog.map { AuditLog(path: $0.path) }
    metrics = configuration.daemon.metrics.flatMap { file in exporter.map { (file.path, $0) } }
    logger = Log.logger(configuration.daemon)
  }

  /// How many actions a report has to have room for.
  package func actionLimit(atLeast limit: Int) -> Int { audit == nil ? limit : .max }

  /// Records the result of each remote in the run `pass`.
  package func note(_ reports: [PassReport], pass: Int) throws(SyncError) {
    for report in reports {
      try note(report)
      PassMetrics.record(report, lastSuccess: state.standing(of: report.remote).lastSuccess)
    }
    do throws(SyncError) {
      try audit?.note(reports, pass: pass, at: World.real.now())
      if let metrics { try LocalFile.writePublicly(Array(metrics.exporter.text.utf8), to: metrics.path) }
    } catch { logger.error("\(error.explanation)") }
  }

  private func note(_ report: PassReport) throws(SyncError) {
    if let failure = report.failure {
      return try state.noteTrouble(failure, of: report.remote, at: World.real.now())
    }
    try state.notePending(report.pending, of: report.remote)
    // With conflicts open both sides hold the same.
    if report.result <= .conflicts {
      try state.noteSuccess(of: report.remote, at: World.real.now())
    } else {
      state.forgetTrouble(of: report.remote)
    }
  }
}

extension PassReport {
  /// What the pass left undone, but for what waits for a person: a line for each path, at most a thousand.
  fileprivate var pending: [String] {
    actions.filter { $0.result != .done && $0.kind != .hold }.prefix(1_000).map { action in
      let reason = action.detail.split(whereSeparator: \.isNewline).joined(separator: " ")
      return "\(action.path): \(reason)"
    }
  }
}
