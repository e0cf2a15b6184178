import SyncKit
import Testing

@testable import SyncDaemon

@Suite("Events of passes") struct EventDetectorTests {
  private let start = Timestamp(seconds: 1_700_000_000)

  private func later(_ seconds: Int64) -> Timestamp { Timestamp(seconds: start.seconds + seconds) }

  private func report(_ failure: SyncError? = nil, conflicts: Int = 0) -> PassReport {
    var report = failure.map { PassReport(remote: "home", failure: $0) } ?? PassReport(remote: "home")
    report.openConflicts = conflicts
    return report
  }

  /// The events that need attention, as texts.
  private func alarms(
    _ detector: inout EventDetector, _ report: PassReport, _ status: RemoteStatus, at now: Timestamp
  ) -> [String] {
    detector.events(of: report, status, pass: 7, staleAfter: .seconds(86_400), at: now)
      .filter { ![.synced, .changed].contains($0.kind) }.map { "\($0.kind.rawValue): \($0.message)" }
  }

  @Test("new conflicts are one event")
  func conflicts() {
    var detector = EventDetector()
    let status = RemoteStatus(lastSuccess: start)
    #expect(alarms(&detector, report(), status, at: start) == [])
    #expect(
      alarms(&detector, report(conflicts: 1), status, at: start)
        == ["conflict: home: 1 conflict needs your attention; run `syncd conflicts`"])
    #expect(alarms(&detector, report(conflicts: 1), status, at: start) == [])
    #expect(alarms(&detector, report(conflicts: 2), status, at: start).first?.contains("2 conflicts") == true)
    #expect(alarms(&detector, report(), status, at: start) == [])
    #expect(alarms(&detector, report(conflicts: 1), status, at: start).count == 1)
  }

  @Test("a lasting error is one event, another error another one, and refused credentials are a login")
  func failures() {
    var detector = EventDetector()
    let status = RemoteStatus(lastSuccess: start)
    let away = report(SyncError(.unavailable, "its disk is not mounted"))
    #expect(alarms(&detector, away, status, at: start) == ["failed: home: its disk is not mounted"])
    #expect(alarms(&detector, away, status, at: start) == [])
    #expect(alarms(&detector, report(SyncError(.cancelled, "stopped")), status, at: start) == [])
    let refused = report(SyncError(.unauthorized, "the password is wrong"))
    #expect(
      alarms(&detector, refused, status, at: start).first?.hasPrefix("login: home: the password is wrong") == true)
    #expect(alarms(&detector, report(), status, at: start) == [])
    #expect(alarms(&detector, away, status, at: start).count == 1)
  }

  @Test("a remote that is unreachable for long is stale once, and again after it was reachable")
  func staleness() {
    var detector = EventDetector()
    let away = report(SyncError(.unavailable, "its disk is not mounted"))
    let status = RemoteStatus(lastSuccess: start)
    #expect(alarms(&detector, away, status, at: later(86_300)).count == 1)
    let told = alarms(&detector, away, status, at: later(86_500))
    #expect(told.count == 1 && told[0].hasPrefix("stale: home has not been in sync since 20"), "\(told)")
    #expect(told.first?.contains("not mounted") == true)
    #expect(alarms(&detector, away, status, at: later(90_000)) == [])
    #expect(alarms(&detector, report(), RemoteStatus(lastSuccess: later(90_001)), at: later(90_001)) == [])
    #expect(alarms(&detector, away, RemoteStatus(lastSuccess: later(90_001)), at: later(200_000)).count == 2)
  }

  @Test("a remote that was never in sync counts from its first error, and open conflicts count as in sync")
  func beginnings() {
    var detector = EventDetector()
    let failure = RemoteStatus.Failure(code: .unavailable, message: "away", since: start)
    let never = alarms(
      &detector, report(SyncError(.unavailable, "away")), RemoteStatus(failure: failure), at: later(100_000))
    #expect(never.last?.contains("never been in sync") == true)
    var other = EventDetector()
    var conflict = report(conflicts: 1)
    conflict.result = .conflicts
    #expect(alarms(&other, conflict, RemoteStatus(lastSuccess: start), at: later(100_000)).count == 1)
  }

  @Test("a pass that changes files and leaves both sides in sync is two events, each with its files")
  func changes() throws {
    var detector = EventDetector()
    var report = report()
    report.record(Action(path: try #require(SyncPath("a.org")), kind: .copy, to: .local, result: .done))
    let events = detector.events(
      of: report, RemoteStatus(lastSuccess: start), pass: 7, staleAfter: .seconds(60), at: start)
    #expect(events.map(\.kind) == [.changed, .synced] && events.map(\.pass) == [7, 7])
    #expect(events[0].files.map(\.path) == ["a.org"] && events[1].files.isEmpty)
  }
}

@Suite("Rate of events") struct EventRateTests {
  private func event(_ seconds: Int64) -> SyncEvent {
    SyncEvent(.changed, "m", in: PassReport(remote: "home"), pass: Int(seconds), at: Timestamp(seconds: seconds))
  }

  @Test("the first event is sent, then the last one of those within the limit, with the number of the others")
  func limit() {
    var rate = EventRate()
    let limit = Duration.seconds(60)
    #expect(rate.admit(event(1_000), as: "0 a", limit: limit)?.leftOut == 0)
    #expect(rate.admit(event(1_010), as: "1 a", limit: limit)?.leftOut == 0)
    for second: Int64 in [1_001, 1_002, 1_003] { #expect(rate.admit(event(second), as: "0 a", limit: limit) == nil) }
    #expect(rate.release(prefix: "0 ", limit: limit, at: Timestamp(seconds: 1_059)) == [])
    #expect(rate.release(prefix: "1 ", limit: limit, at: Timestamp(seconds: 1_100)) == [])
    let released = rate.release(prefix: "0 ", limit: limit, at: Timestamp(seconds: 1_060))
    #expect(released.map(\.pass) == [1_003] && released.map(\.leftOut) == [2])
    #expect(rate.admit(event(1_070), as: "0 a", limit: limit) == nil)
    #expect(rate.admit(event(1_130), as: "0 a", limit: limit)?.leftOut == 1)
    #expect(rate.release(prefix: "0 ", limit: limit, at: Timestamp(seconds: 2_000)) == [])
  }

  @Test("a clock that was set back does not keep events")
  func clock() {
    var rate = EventRate()
    #expect(rate.admit(event(1_000), as: "0 a", limit: .seconds(60)) != nil)
    #expect(rate.admit(event(500), as: "0 a", limit: .seconds(60)) != nil)
  }
}

@Suite("Mail of events") struct MailMessageTests {
  @Test("a text of a remote cannot add a header, and an address cannot be an option")
  func headers() {
    var report = PassReport(remote: "home", failure: SyncError(.unexpected, "x\nBcc: eve@example.org\r\n\r\nBody"))
    report.seconds = 1
    let event = SyncEvent(.failed, "x\nBcc: eve@example.org", in: report, pass: 1, at: Timestamp(seconds: 0))
    let lines = MailMessage(event, to: "ann@example.org").text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.firstIndex(of: "") == 6 && lines[7] == "x Bcc: eve@example.org", "\(lines)")
    for bad in ["-oQ/tmp", "a b", "a@b\nBcc: c", "", "a,b@c"] { #expect(!MailMessage.isAddress(bad), "\(bad)") }
    for good in ["ann@example.org", "root", "a+b@c.d"] { #expect(MailMessage.isAddress(good), "\(good)") }
  }
}
