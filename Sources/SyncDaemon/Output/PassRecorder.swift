import Logging
package import SyncKit

/// Records the results of passes outside of the archive, as the settings say: for `syncd status`, in the audit log and in the
/// metrics. If it cannot write one of the latter two, it logs that and continues.
package struct PassRecorder {
  private let state: StateFolder
  /// The name of the store, if there are several.
  private let store: String?
  private let audit: AuditLog?
  private let metrics: (path: String, exporter: Exporter)?
  private let logger: Logger

  /// - Parameters:
  ///   - device: the device for the audit log.
  ///   - exporter: the metrics for the metrics file; nil writes no such file.
  package init(
    _ configuration: DaemonConfiguration, _ state: StateFolder, _ device: Device, _ exporter: Exporter?
  ) {
    self.state = state
    store = configuration.isOneOfSeveral ? configuration.storeName : nil
    audit = configuration.daemon.auditLog.map { [store] in AuditLog(path: $0.path, device: device.name, store: store) }
    metrics = configuration.daemon.metrics.flatMap { file in exporter.map { (file.path, $0) } }
    logger = Log.logger(configuration)
  }

  /// Returns the number of actions that a report must hold: all of them for the audit log.
  package func actionLimit(atLeast limit: Int) -> Int { audit == nil ? limit : .max }

  /// Records the results of the run `pass`.
  package func record(_ reports: [PassReport], pass: Int) throws(SyncError) {
    for report in reports {
      try record(report)
      PassMetrics.record(report, store: store, lastSuccess: state.status(of: report.remote).lastSuccess)
    }
    do throws(SyncError) {
      try audit?.record(reports, pass: pass, at: Runtime.real.now())
      if let metrics { try LocalFile.writePublicly(Array(metrics.exporter.text.utf8), to: metrics.path) }
    } catch { logger.error("\(error.explanation)") }
  }

  private func record(_ report: PassReport) throws(SyncError) {
    if let failure = report.failure {
      return try state.recordFailure(failure, of: report.remote, at: Runtime.real.now())
    }
    try state.recordPending(report.pending, of: report.remote)
    try state.recordIgnored(report.ignoredChanges, of: report.remote)
    try state.recordResult(report.unexplainedResult, of: report.remote)
    // Open conflicts are in sync: both sides have the same files.
    if report.result <= .conflicts {
      try state.recordSuccess(of: report.remote, at: Runtime.real.now())
    } else {
      state.clearFailure(of: report.remote)
    }
  }
}

extension PassReport {
  /// The result without the part that held deletions explain.
  fileprivate var unexplainedResult: PassResult {
    guard result == .held else { return result }
    return hold == nil || actions.contains(where: needsMoreThanApproval) ? .held : .synced
  }

  /// What the remote's mode did not let pass, for `syncd status`.
  fileprivate var ignoredChanges: RemoteStatus.IgnoredChanges {
    var changes = RemoteStatus.IgnoredChanges()
    changes.count = counts.ignored
    changes.files = ignored.prefix(1_000).map { .init(path: "\($0.path)", change: $0.change) }
    return changes
  }

  /// A line for each path that the pass did not finish and that needs no approval, at most a thousand.
  fileprivate var pending: [String] {
    actions.filter { $0.result != .done && ($0.kind != .hold || needsMoreThanApproval($0)) }.prefix(1_000).map {
      action in
      // A reason may begin with the path, as it must where it is shown without one.
      let path = "\(action.path)"
      let reason = action.detail
      return reason.hasPrefix(path + " ") ? "\(path):\(reason.dropFirst(path.count))" : "\(path): \(reason)"
    }
  }
}
