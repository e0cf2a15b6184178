import SyncKit
import Testing

@testable import SyncDaemon

@Suite("Alarms") struct AlarmsTests {
  private let day = Duration.seconds(86_400)
  private let start = Timestamp(seconds: 1_700_000_000)

  private func report(_ failure: SyncError? = nil, conflicts: Int = 0) -> PassReport {
    var report = failure.map { PassReport(remote: "home", failure: $0) } ?? PassReport(remote: "home")
    report.openConflicts = conflicts
    return report
  }

  @Test("new conflicts are reported once")
  func conflicts() {
    var alarms = Alarms(staleAfter: day)
    let status = RemoteStatus(lastSuccess: start)
    #expect(alarms.news(of: report(), status, at: start).isEmpty)
    #expect(alarms.news(of: report(conflicts: 1), status, at: start).count == 1)
    #expect(alarms.news(of: report(conflicts: 1), status, at: start).isEmpty)
    #expect(alarms.news(of: report(conflicts: 2), status, at: start).first?.contains("2 conflicts") == true)
    #expect(alarms.news(of: report(), status, at: start).isEmpty)
    #expect(alarms.news(of: report(conflicts: 1), status, at: start).count == 1)
  }

  @Test("a remote that is unreachable for long is reported once, and again after it was reachable")
  func staleness() {
    var alarms = Alarms(staleAfter: day)
    let away = report(SyncError(.unavailable, "its disk is not mounted"))
    let status = RemoteStatus(lastSuccess: start)
    func later(_ seconds: Int64) -> Timestamp { Timestamp(seconds: start.seconds + seconds) }
    #expect(alarms.news(of: away, status, at: later(86_300)).isEmpty)
    let told = alarms.news(of: away, status, at: later(86_500))
    #expect(told.count == 1 && told[0].contains("not been in sync since") && told[0].contains("not mounted"))
    #expect(alarms.news(of: away, status, at: later(90_000)).isEmpty)
    #expect(alarms.news(of: report(), RemoteStatus(lastSuccess: later(90_001)), at: later(90_001)).isEmpty)
    #expect(alarms.news(of: away, RemoteStatus(lastSuccess: later(90_001)), at: later(200_000)).count == 1)
  }

  @Test("a remote that was never in sync counts from its first error, and open conflicts count as in sync")
  func beginnings() {
    var alarms = Alarms(staleAfter: day)
    let failure = RemoteStatus.Failure(code: .unavailable, message: "away", since: start)
    let now = Timestamp(seconds: start.seconds + 100_000)
    let never = alarms.news(of: report(SyncError(.unavailable, "away")), RemoteStatus(failure: failure), at: now)
    #expect(never.first?.contains("never been in sync") == true)
    var other = Alarms(staleAfter: day)
    var conflict = report(conflicts: 1)
    conflict.result = .conflicts
    #expect(other.news(of: conflict, RemoteStatus(lastSuccess: start), at: now).count == 1)
  }
}
