import OrgKit
import Testing

/// The record of shown alerts: snoozes, zones, a clock that is set back, and the rules of single entries.
@Suite("Alerts") struct AlertLedgerTests {
  /// 2026-03-10 00:00 UTC.
  private static let midnight = 1_773_100_800

  private static func at(_ hour: Int, _ minute: Int = 0) -> Int { midnight + hour * 3_600 + minute * 60 }

  private func items(_ text: String) -> [OrgItem] { Array(OrgItems(OrgDocument(Array(text.utf8)), file: "a.org")) }

  /// The times of the day on which the alerts of a text are due on 10 March 2026 in UTC.
  private func times(_ text: String, _ rules: OrgAlertRules = OrgAlertRules()) -> [String] {
    let plan = OrgAlertPlan(rules, zone: .utc)
    return plan.alerts(of: items(text), after: Self.midnight - 1, to: Self.at(24) - 1).map { alert in
      let minutes = (alert.due - Self.midnight) / 60
      return "\(minutes / 60):\(minutes % 60)"
    }
  }

  @Test("a time has two alerts, a day one; APPT_WARNTIME, deadlines, done and archived entries have their own rules")
  func rules() {
    #expect(times("* A\n<2026-03-10 Tue 14:30>\n") == ["14:15", "14:30"])
    #expect(times("* A\n<2026-03-10 Tue>\n") == ["9:0"])
    #expect(times("* A\n:PROPERTIES:\n:APPT_WARNTIME: 60\n:END:\n<2026-03-10 Tue 14:30>\n") == ["13:30", "14:30"])
    #expect(times("* A\n:PROPERTIES:\n:APPT_WARNTIME: 0\n:END:\n<2026-03-10 Tue 14:30>\n") == ["14:30"])
    #expect(times("* TODO A\nDEADLINE: <2026-03-11 Wed>\n") == ["9:0"])
    #expect(times("* TODO A\nDEADLINE: <2026-03-10 Tue 17:00>\n") == ["17:0"])
    #expect(times("* TODO A\nSCHEDULED: <2026-03-08 Sun -2d>\n") == ["9:0"])
    #expect(times("* A\n<2026-03-10 Tue 23:50>--<2026-03-12 Thu 10:00>\n") == ["23:35", "23:50"])
    #expect(times("* A\n<2026-03-09 Mon 22:00 +5h>\n").count == 10)
    for text in [
      "* DONE A\nSCHEDULED: <2026-03-10 Tue>\n", "* A :ARCHIVE:\n<2026-03-10 Tue>\n", "* COMMENT A\n<2026-03-10 Tue>\n",
      "* A\n[2026-03-10 Tue]\n", "* A\n<2026-03-09 Mon 10:00>\n",
    ] { #expect(times(text).isEmpty, "\(text)") }
    var rules = OrgAlertRules()
    (rules.first, rules.second, rules.kinds) = (nil, 5, [.timestamp])
    #expect(times("* A\nSCHEDULED: <2026-03-10 Tue 10:00>\n<2026-03-10 Tue 14:30>\n", rules) == ["14:25"])
  }

  @Test("an alert keeps its identifier until its date moves, with an ID also when its title changes")
  func identifiers() {
    let plan = OrgAlertPlan(OrgAlertRules(), zone: .utc)
    let id = { (text: String) in
      plan.alerts(of: items(text), after: Self.midnight, to: Self.at(24)).map(\.id)
    }
    let first = id("* A\n:PROPERTIES:\n:ID: x\n:END:\n<2026-03-10 Tue 14:30>\n")
    #expect(Set(first).count == 2)
    #expect(id("* B\n:PROPERTIES:\n:ID: x\n:END:\nText.\n<2026-03-10 Tue 14:30 +1w>\n") == first)
    #expect(Set(id("* A\n:PROPERTIES:\n:ID: x\n:END:\n<2026-03-10 Tue 14:31>\n")).isDisjoint(with: first))
  }

  /// A record with the plan of some entries.
  private struct Watch {
    var ledger = AlertLedger()
    var items: [OrgItem]
    var snoozes = AlertSnoozes()

    /// The titles with the numbers of the alerts that are shown at a time.
    mutating func show(at now: Int, _ zone: OrgZone = .utc, isQuiet: Bool = false) -> [String] {
      let plan = OrgAlertPlan(OrgAlertRules(), zone: zone)
      let alerts = plan.alerts(of: items, after: ledger.start(at: now), to: now + 86_400)
      let rings = ledger.round(at: now, alerts, snoozes: snoozes, zone: zone, isQuiet: isQuiet)
      ledger.begin(rings)
      ledger.finish(rings)
      ledger = AlertLedger(text: ledger.text)
      return rings.map { "\($0.alert.item.title)\($0.alert.number)" }
    }
  }

  private static func zone(_ hours: Int) -> OrgZone { OrgZone(name: "\(hours)") { _ in hours * 3_600 } }

  @Test("a date that was put off rings once, at the end")
  func snooze() throws {
    var watch = Watch(items: items("* A\n<2026-03-10 Tue 14:30>\n"))
    #expect(watch.show(at: Self.at(14)) == [])
    #expect(watch.show(at: Self.at(14, 15)) == ["A1"])
    let plan = OrgAlertPlan(OrgAlertRules(), zone: .utc)
    let date = try #require(plan.alerts(of: watch.items, after: Self.midnight, to: Self.at(24)).first).dateID
    watch.snoozes = AlertSnoozes(text: AlertSnoozes.line(date, until: Self.at(14, 40)))
    #expect(watch.show(at: Self.at(14, 30)) == [])
    #expect(watch.show(at: Self.at(14, 39)) == [])
    #expect(watch.show(at: Self.at(14, 40)) == ["A2"])
    #expect(watch.show(at: Self.at(14, 41)) == [])
    watch.snoozes = AlertSnoozes(text: AlertSnoozes.line(date, until: Self.at(15)))
    watch.items = items("* DONE A\n<2026-03-10 Tue 14:30>\n")
    #expect(watch.show(at: Self.at(15)) == [])
  }

  @Test("what is due in quiet hours is shown after them, both alerts of a date as one")
  func quiet() {
    var watch = Watch(items: items("* A\n<2026-03-10 Tue 02:00>\n* B\n<2026-03-10 Tue 07:10>\n"))
    #expect(watch.show(at: Self.at(1)) == [])
    for hour in 2..<7 { #expect(watch.show(at: Self.at(hour), isQuiet: true) == []) }
    #expect(watch.show(at: Self.at(7)) == ["A2", "B1"])
    #expect(watch.show(at: Self.at(7, 10)) == ["B2"])
  }

  @Test("in another zone, and after the clock was set back, nothing rings twice and nothing is left out")
  func zones() {
    var watch = Watch(items: items("* A\n<2026-03-10 Tue 12:00>\n* B\n<2026-03-10 Tue 16:00>\n"))
    #expect(watch.show(at: Self.at(11)) == [])
    #expect(watch.show(at: Self.at(12)) == ["A2"])
    // Further west it is 8 o'clock, and noon comes again.
    #expect(watch.show(at: Self.at(12, 30), Self.zone(-4)) == [])
    #expect(watch.show(at: Self.at(16), Self.zone(-4)) == [])
    // Further east it is 19 o'clock: the clock has skipped 16 o'clock.
    #expect(watch.show(at: Self.at(17), Self.zone(2)) == ["B2"])
    #expect(watch.show(at: Self.at(10)) == [])
    #expect(watch.show(at: Self.at(17)) == [])
  }

  @Test("an entry that is written after its time does not ring")
  func late() {
    var watch = Watch(items: [])
    #expect(watch.show(at: Self.at(14)) == [])
    #expect(watch.show(at: Self.at(14, 20)) == [])
    watch.items = items("* A\n<2026-03-10 Tue 14:10>\n* B\n<2026-03-10 Tue 14:30>\n")
    #expect(watch.show(at: Self.at(14, 21)) == [])
    #expect(watch.show(at: Self.at(14, 30)) == ["B2"])
  }
}
