import Logging
import SyncKit

/// Where a pass leaves its traces besides the archive, as the settings say: what `syncd status` reads, the audit log and
/// the metrics. What cannot be written is told in the log and stops nothing.
struct Notes {
  private let state: StateFolder
  private let audit: AuditLog?
  private var metrics: Metrics?
  private let logger: Logger

  init(_ configuration: DaemonConfiguration, _ state: StateFolder) {
    self.state = state
    audit = configuration.daemon.auditLog.map { AuditLog(path: $0.path) }
    metrics = configuration.daemon.metrics.map { Metrics(path: $0.path) }
    logger = Log.logger(configuration.daemon)
  }

  /// How many actions a report has to have room for.
  func actionLimit(atLeast limit: Int) -> Int { audit == nil ? limit : .max }

  /// Notes how each remote fared in the run `pass`.
  mutating func note(_ reports: [PassReport], pass: Int) throws(SyncError) {
    for report in reports { try note(report) }
    do throws(SyncError) {
      try audit?.note(reports, pass: pass, at: World.real.now())
      try metrics?.note(reports) { state.standing(of: $0) }
    } catch { logger.error("\(error.message)") }
  }

  private func note(_ report: PassReport) throws(SyncError) {
    if report.failure == nil { try state.notePending(report.pending, of: report.remote) }
    if let failure = report.failure {
      try state.noteTrouble(failure, of: report.remote, at: World.real.now())
    } else if report.result == .synced || report.result == .waiting {
      try state.noteSuccess(of: report.remote, at: World.real.now())
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
