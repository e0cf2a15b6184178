import SyncKit

/// Finds the events of passes. A state, such as a conflict, a hold, an error or a remote that has not been in sync for long, is
/// one event, and again only after it has ended or grown. Pure.
struct EventDetector: Codable, Hashable, Sendable {
  private var remotes: [String: Known] = [:]

  /// The states of a remote that were reported.
  fileprivate struct Known: Codable, Hashable {
    var conflicts = 0
    var hold: String?
    var failure: String?
    var isStale = false
  }

  /// Returns the events of a pass.
  ///
  /// - Parameter staleAfter: the time out of sync after which a remote is stale.
  mutating func events(
    of report: PassReport, _ status: RemoteStatus, pass: Int, staleAfter: Duration, at now: Timestamp
  ) -> [SyncEvent] {
    var known = remotes[report.remote] ?? Known()
    defer { remotes[report.remote] = known }
    let found = [
      report.changes, report.success, known.newConflicts(report), known.newHold(report), known.newFailure(report),
      known.newStaleness(report, status, staleAfter, now),
    ]
    return found.compactMap { $0.map { SyncEvent($0.kind, $0.message, in: report, pass: pass, at: now) } }
  }

  /// An event before it has a time.
  fileprivate typealias Finding = (kind: EventKind, message: String)
}

extension PassReport {
  fileprivate var headline: String { ReportText(report: self, isVerbose: false, isDryRun: false).lines.first ?? "" }

  fileprivate var changes: EventDetector.Finding? { didSomething ? (.changed, headline) : nil }

  /// Open conflicts are in sync: both sides have the same files.
  fileprivate var success: EventDetector.Finding? {
    failure == nil && [.synced, .waiting, .conflicts].contains(result) ? (.synced, headline) : nil
  }

  /// The errors of the pass, or of its files; nil if there are none, or the pass was stopped.
  fileprivate var errors: String? {
    if result == .timedOut { return nil }
    if let failure { return failure.explanation }
    let failed = actions.filter { $0.result == .failed }
    return failed.isEmpty ? nil : failed.prefix(100).map { "\($0.path): \($0.detail)" }.joined(separator: "\n")
  }
}

extension EventDetector.Known {
  fileprivate mutating func newConflicts(_ report: PassReport) -> EventDetector.Finding? {
    defer { conflicts = report.openConflicts }
    guard report.openConflicts > conflicts else { return nil }
    let count = report.openConflicts == 1 ? "1 conflict needs" : "\(report.openConflicts.counted("conflict")) need"
    return (.conflict, "\(report.remote): \(count) your attention; run `syncd conflicts`")
  }

  fileprivate mutating func newHold(_ report: PassReport) -> EventDetector.Finding? {
    defer { hold = report.hold?.id }
    guard let hold = report.hold, hold.id != self.hold else { return nil }
    return (.held, "\(report.remote): \(hold.reason); run `syncd status`")
  }

  fileprivate mutating func newFailure(_ report: PassReport) -> EventDetector.Finding? {
    let errors = report.errors
    defer { failure = errors }
    guard let errors, errors != failure else { return nil }
    let isOne = report.failure != nil || report.counts.failed == 1
    let message = isOne ? errors : "\(report.counts.failed.counted("file")) failed; run `syncd status`"
    return (report.result == .unauthorized ? .login : .failed, "\(report.remote): \(message)")
  }

  fileprivate mutating func newStaleness(
    _ report: PassReport, _ status: RemoteStatus, _ limit: Duration, _ now: Timestamp
  ) -> EventDetector.Finding? {
    let isStale = report.result > .conflicts && status.isStale(after: limit, at: now)
    defer { self.isStale = isStale }
    guard isStale, !self.isStale else { return nil }
    let since = status.lastSuccess.map { "has not been in sync since \(CivilTime($0))" } ?? "has never been in sync"
    return (.stale, "\(report.remote) \(since)" + (report.failure.map { ": \($0.explanation)" } ?? ""))
  }
}
