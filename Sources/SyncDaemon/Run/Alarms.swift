import SyncKit

/// Events that the user must know of: conflicts, held deletions, and a remote that has not been in sync for long. Each is
/// reported once, and again only after it has ended. Pure.
struct Alarms {
  /// The time out of sync after which a remote is reported.
  let staleAfter: Duration
  private var told: [String: Told] = [:]

  private struct Told {
    var conflicts = 0
    var hold: String?
    var isStale = false
  }

  init(staleAfter: Duration) { self.staleAfter = staleAfter }

  /// Returns the new messages after a pass.
  mutating func news(of report: PassReport, _ status: RemoteStatus, at now: Timestamp) -> [String] {
    var told = told[report.remote] ?? Told()
    defer { self.told[report.remote] = told }
    var news: [String] = []
    if report.openConflicts > told.conflicts {
      let count = report.openConflicts == 1 ? "1 conflict needs" : "\(report.openConflicts.counted("conflict")) need"
      news.append("\(report.remote): \(count) your attention; run `syncd conflicts`")
    }
    told.conflicts = report.openConflicts
    if let hold = report.hold, hold.id != told.hold {
      news.append("\(report.remote): \(hold.reason); run `syncd status`")
    }
    told.hold = report.hold?.id
    let isStale = isStale(report, status, now)
    if isStale, !told.isStale { news.append(staleness(of: report, status)) }
    told.isStale = isStale
    return news
  }

  private func isStale(_ report: PassReport, _ status: RemoteStatus, _ now: Timestamp) -> Bool {
    // Open conflicts are in sync: both sides have the same files.
    report.result > .conflicts && status.isStale(after: staleAfter, at: now)
  }

  private func staleness(of report: PassReport, _ status: RemoteStatus) -> String {
    let since = status.lastSuccess.map { "has not been in sync since \(CivilTime($0))" } ?? "has never been in sync"
    return "\(report.remote) \(since)" + (report.failure.map { ": \($0.explanation)" } ?? "")
  }
}
