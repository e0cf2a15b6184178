import OrgKit
import Testing

/// The agenda of a day and of a week as Emacs shows it. What is expected was recorded from Org 9.5 in batch mode, with the
/// clock at Tuesday 10 March 2026, 14:30.
@Suite struct AgendaViewTests {
  private static let home = """
    * TODO Run
    SCHEDULED: <2026-03-08 Sun .+2d/4d>
    :PROPERTIES:
    :STYLE:    habit
    :END:
    :LOGBOOK:
    - State "DONE"       from "TODO"       [2026-03-06 Fri 18:00]
    - State "DONE"       from "TODO"       [2026-03-03 Tue 07:12]
    :END:
    * TODO Read
    SCHEDULED: <2026-03-10 Tue ++1d>
    :PROPERTIES:
    :STYLE: habit
    :END:
    - State "DONE"       from "TODO"       [2026-03-09 Mon 22:00]
    - State "DONE"       from "TODO"       [2026-03-07 Sat 22:00]

    """

  private static let work = """
    #+TODO: TODO NEXT WAIT | DONE
    #+CATEGORY: work
    #+FILETAGS: :job:
    * TODO [#A] Report
    DEADLINE: <2026-03-12 Thu>
    * TODO Overdue
    DEADLINE: <2026-03-05 Thu>
    * TODO Late start
    SCHEDULED: <2026-03-06 Fri>
    * NEXT Call at ten
    SCHEDULED: <2026-03-10 Tue 10:00>
    * DONE Finished
    SCHEDULED: <2026-03-10 Tue>
    * Meeting
    <2026-03-10 Tue 09:00-10:30>
    * Conference
    <2026-03-09 Mon>--<2026-03-11 Wed>
    * Standup
    <2026-03-02 Mon 08:45 +1d>
    * TODO Far
    DEADLINE: <2026-04-30 Thu -60d>
    * TODO Delayed
    SCHEDULED: <2026-03-08 Sun -3d>
    * COMMENT Hidden
    <2026-03-10 Tue>
    * Archived :ARCHIVE:
    <2026-03-10 Tue>
    * Birthday
    %%(diary-anniversary 3 10 1980) Ada is %d
    * Class
    <%%(diary-float t 2 2) 18:00-19:00>

    """

  private func agenda(
    _ files: [String: String], _ settings: OrgSettings = [:], release: OrgRelease = .org95
  ) -> OrgAgenda {
    let set = OrgFileSet(files.mapValues { Array($0.utf8) })
    let folder = OrgFolder(set, settings)
    return OrgAgenda(
      folder.items, now: OrgMoment(year: 2026, month: 3, day: 10, hour: 14, minute: 30), settings: settings,
      groups: folder.groups, states: folder.states, release: release, text: folder.text)
  }

  private func lines(_ rows: [OrgAgendaRow]) -> [String] { rows.map { AgendaLine.text(of: $0) } }

  @Test("a day shows everything in Org's order, with the time grid")
  func day() {
    let rows = agenda(["home.org": Self.home, "work.org": Self.work]).days(span: .day)
    #expect(
      lines(rows) == [
        "Day-agenda (W11):",
        "Tuesday    10 March 2026",
        "               8:00...... ----------------",
        "  work:        8:45...... Standup                                         :job::",
        "  work:        9:00-10:30 Meeting                                         :job::",
        "  work:       10:00...... Scheduled:  NEXT Call at ten                    :job::",
        "              10:00...... ----------------",
        "              12:00...... ----------------",
        "              14:00...... ----------------",
        "              14:30...... now - - - - - - - - - - - - - - - - - - - - - - - - -",
        "              16:00...... ----------------",
        "              18:00...... ----------------",
        "              20:00...... ----------------",
        "  work:       In   2 d.:  TODO [#A] Report                                :job::",
        "  work:       Sched. 4x:  TODO Late start                                 :job::",
        "  work:       Scheduled:  DONE Finished                                   :job::",
        "  work:        5 d. ago:  TODO Overdue                                    :job::",
        "  work:       (2/3):  Conference                                          :job::",
        "  work:       In  51 d.:  TODO Far                                        :job::",
        "  work:       Ada is 46                                                   :job::",
        "  home:       TODO Run                                *  *   !",
        "  home:       TODO Read                                   * *!",
      ])
    #expect(rows.compactMap(\.urgency) == [1000, 1000, 1099, 1998, 1103, 1099, 1005, 1000, 949, 1170, 1100])
  }

  @Test("the graph of a habit has Org's colours")
  func habit() {
    let graphs = agenda(["home.org": Self.home]).days(span: .day).compactMap(\.habit)
    #expect(graphs.map(\.marks) == ["              *  *   !       ", "                  * *!       "])
    #expect(graphs.map(\.colours) == ["CCCCCCCCCCCCCCcCRrCRRaOOOOOO.", "CCCCCCCCCCCCCCCCCCrAoaOOOOOO."])
  }

  @Test("settings hide done tasks, shorten warnings and remove the grid")
  func settings() {
    let settings: OrgSettings = [
      "org-agenda-skip-scheduled-if-done": true, "org-deadline-warning-days": 1, "org-agenda-use-time-grid": false,
    ]
    let titles = agenda(["work.org": Self.work], settings).days(span: .day).compactMap { $0.item?.title }
    #expect(titles == ["Standup", "Meeting", "Call at ten", "Late start", "Overdue", "Conference", "Far", "Birthday"])
  }

  @Test("a week begins on Monday, and days other than today have no reminders")
  func week() {
    let rows = agenda(["work.org": Self.work]).days(span: .week)
    let days = rows.filter { $0.kind == .day }.map(\.heading)
    #expect(days.first == "Monday      9 March 2026 W11")
    #expect(days.count == 7)
    let thursday = rows.filter { $0.isEntry && $0.day?.iso == "2026-03-12" }
    #expect(
      lines(thursday).map { $0.prefix(34).description } == [
        "  work:        8:45...... Standup ", "  work:       Deadline:   TODO [#A",
      ])
  }

  @Test("a diary expression with a time in a timestamp is shown as in Org 9.7, not as in 9.5")
  func expressionWithTime() {
    let files = ["work.org": Self.work]
    #expect(!agenda(files).days(span: .day).contains { $0.item?.title == "Class" })
    let row = agenda(files, release: .org97).days(span: .day).first { $0.item?.title == "Class" }
    #expect(row?.time == OrgTimestamp.Time(hour: 18, minute: 0))
  }

  @Test("log mode shows closing times, clocks and state changes")
  func log() {
    let text = """
      * DONE Task
      CLOSED: [2026-03-10 Tue 09:00]
      :LOGBOOK:
      - State "DONE"       from "TODO"       [2026-03-10 Tue 09:00]
      CLOCK: [2026-03-10 Tue 08:00]--[2026-03-10 Tue 08:50] =>  0:50
      :END:

      """
    let settings: OrgSettings = [
      "org-agenda-start-with-log-mode": true, "org-agenda-use-time-grid": false,
      "org-agenda-log-mode-items": [.symbol("closed"), .symbol("clock"), .symbol("state")],
    ]
    let rows = agenda(["notes.org": text], settings).days(span: .day).filter(\.isEntry)
    #expect(rows.map(\.kind) == [.clock, .closed, .state])
    #expect(rows.map(\.extra) == ["Clocked:   (0:50)", "Closed:    ", "State:     (DONE)"])
    #expect(rows[0].duration == 50)
  }

  /// Each expression with its text, and whether it applies to Tuesday 10 March 2026.
  private static let expressions: [(String, String?)] = [
    ("%%(diary-anniversary 3 10 1990) Bob is %d", "Bob is 36"),
    ("%%(org-anniversary 1956 3 10) the %d%s", "the 70th"),
    ("%%(diary-anniversary 3 10 1990) %d, %d%s", nil),
    ("%%(diary-float t 2 2) second Tuesday", "second Tuesday"),
    ("%%(diary-float t 2 -1) last Tuesday", nil),
    ("%%(diary-float 3 2 2 1) after the first", "after the first"),
    ("%%(diary-block 3 1 2026 3 12 2026) trip", "trip"),
    ("%%(org-block 2026 3 11 2026 3 12) later", nil),
    ("%%(diary-cyclic 3 3 1 2026) number %d", "number 3"),
    ("%%(org-class 2026 1 1 2026 6 1 2) class", "class"),
    ("%%(org-class 2026 1 1 2026 6 1 2 11) not in week 11", nil),
    ("%%(diary-date t 10 t) the tenth", "the tenth"),
    ("%%(org-date 2026 3 '(9 10)) listed", "listed"),
    ("%%(org-date 2026 3 (9 10)) not quoted", nil),
    ("%%(my-function) other", "needs Emacs: (my-function)"),
  ]

  @Test("diary expressions apply as in Emacs; others are not evaluated", arguments: expressions)
  func expression(line: String, expected: String?) {
    let rows = agenda(["notes.org": "* Entry\n\(line)\n"], ["org-agenda-use-time-grid": false]).days(span: .day)
    #expect(rows.filter(\.isEntry).map(\.heading) == [expected].compactMap(\.self))
  }

  @Test("stuck projects are those without a next action")
  func stuck() throws {
    let text =
      "#+TODO: TODO NEXT | DONE\n* House :project:\n** TODO a\n* Boat :project:\n** b\n* Car :project:\n** NEXT c\n"
    let settings: OrgSettings = ["org-stuck-projects": ["+project/-DONE", ["NEXT"], .none, ""]]
    let rows = try agenda(["notes.org": text], settings).stuck()
    #expect(rows.compactMap { $0.item?.path.joined(separator: "/") } == ["House", "House/a", "Boat", "Boat/b"])
  }

  @Test("a custom view shows its blocks one below the other")
  func custom() throws {
    let settings: OrgSettings = [
      "org-agenda-custom-commands": [
        [
          "d", "Day",
          [
            [.symbol("agenda"), "", [[.symbol("org-agenda-span"), 1]]],
            [.symbol("tags-todo"), "job-DEADLINE={.}"],
            [.symbol("todo"), "NEXT"],
          ],
        ]
      ]
    ]
    let rows = try #require(try agenda(["work.org": Self.work], settings).custom("d"))
    #expect(
      rows.filter { $0.kind == .header }.map(\.heading) == [
        "Day-agenda (W11):", "Headlines with TAGS match: job-DEADLINE={.}", "Global list of TODO items of type: NEXT",
      ])
    #expect(
      rows.filter { $0.kind == .tagsMatch }.compactMap { $0.item?.title } == ["Late start", "Call at ten", "Delayed"])
    #expect(try agenda([:]).custom("x") == nil)
  }
}
