import Foundation
import OrgKit
import ProgramTesting
import SettingsRegistry
import SyncKit
import SyncKitTesting
import Synchronization
import Testing

@testable import BackendOrgMobile

/// The agenda views: our desktop's compared with real Emacs', and phones that change entries through them.
@Suite struct AgendaTests {
  static let work = """
    #+TITLE: Work
    #+TODO: TODO NEXT WAITING | DONE CANCELLED
    #+FILETAGS: :work:

    * TODO [#A] Write the report                                         :urgent:
      SCHEDULED: <2026-01-15 Thu>
      :LOGBOOK:
      - State "TODO"       from              [2026-01-10 Sat 10:00]
      :END:
      First line of the body.
      - a list item

      \tAfter a tab.
    ** NEXT Collect data
    ** DONE Ask Bob
       CLOSED: [2026-01-10 Sat 10:00]
    * Meetings <2026-01-16 Fri 14:00>
    ** TODO [#C] Prepare slides: draft/final [1/2]                            :slides:
       DEADLINE: <2026-01-20 Tue>
       :PROPERTIES:
       :ID:       11111111-2222-4333-8444-555555555555
       :END:
       Text below the drawer.
    * Plain note
    * TODO Overdue
    DEADLINE: <2026-01-03 Sat> SCHEDULED: <2026-01-01 Thu>
    * COMMENT TODO Not this
    ** TODO Nor this

    """
  static let home = """
    * TODO Buy milk                                                      :errand:
      Grüße, naïve café
      2
      3
      4
      5
      6
      7
      8
      9
      10
      11
    * Holidays
    <2026-01-17 Sat>--<2026-01-19 Mon>
    * TODO Standup
    SCHEDULED: <2026-01-12 Mon 9:30-9:45 +1d>
    * Chess :club:
    :PROPERTIES:
    :CATEGORY: fun
    :END:
    <2026-01-08 Thu 19:00 +1w>
    * Old :ARCHIVE:
    ** TODO Long gone

    """

  private static func clock(_ day: Int) -> Runtime {
    var runtime = Runtime.real
    // Noon in UTC is the same day in nearly every time zone.
    runtime.now = { Timestamp(seconds: 1_768_478_400 + Int64(day) * 86_400) }
    return runtime
  }

  @Test(
    "agenda views match those of Emacs",
    .enabled(if: Desktop.emacs != nil, "*** SKIPPED: Emacs is not installed ***"))
  func asEmacs() throws {
    let desktop = try Desktop(["work.org": Self.work, "home.org": Self.home])
    let commands = """
      (setq org-mobile-agendas 'custom org-agenda-use-time-grid nil
            org-todo-keywords '((sequence "TODO" "NEXT" "WAITING" "|" "DONE" "CANCELLED"))
            org-agenda-custom-commands
            '(("a" "Agenda" agenda "" ((org-agenda-span 7) (org-agenda-start-on-weekday nil)))
              ("t" "All TODO" alltodo)
              ("a2" "Agenda of 1 day" agenda "" ((org-agenda-span 1)))
              ("m" "work-slides/!" tags "work-slides/!")
              ("m2" "club" tags "club")))
      """
    try desktop.push("--no-ids", "--now", "2026-01-15 12:00:00", "--eval", commands)
    let today = OrgDay(year: 2026, month: 1, day: 15)
    let views = try ["7 days", "todo", "1 day", "match work-slides/!", "match club"].map {
      try #require(AgendaView(text: $0))
    }
    let parts = try [("home.org", Self.home), ("work.org", Self.work)].map { name, text in
      AgendaPart(
        OrgDocument(Array(text.utf8), todoKeywords: ["TODO NEXT WAITING | DONE CANCELLED"]),
        at: try #require(SyncPath(name)), views, today: today)
    }
    let ours = AgendaText(views, parts, today: today).bytes.string
    let theirs = try #require(desktop.read("staging/agendas.org"))
    #expect(Self.normal(ours) == Self.normal(theirs))
  }

  /// The text without the alignment of tags, and without the slash that Emacs puts before titles of the first level.
  private static func normal(_ agendas: String) -> [String] {
    agendas.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.replacing(#/ +(:[^ ]+:<before>)/#) { " \($0.1)" }
        .replacing(#/(ORIGINAL_ID: olp:[^:]+:)\//#) { String($0.1) }
    }.map(String.init)
  }

  @Test func `a phone edits entries in an agenda view, and our desktop applies the edits`() async throws {
    let place = try Desktop()
    let desktop = Phone("desk", at: place.staging, role: .desktop, runtime: Self.clock(0))
    try await desktop.write(Self.work, to: "work.org")
    try await desktop.write(Self.home, to: "sub/home.org")
    #expect(try await desktop.sync().result == .synced)
    let agendas = try #require(place.read("staging/agendas.org"))
    #expect(agendas.contains(":ORIGINAL_ID: 11111111-2222-4333-8444-555555555555\n"))
    #expect(agendas.contains(":ORIGINAL_ID: olp:sub/home.org:Buy milk\n"))
    #expect(place.read("staging/index.org")?.contains("* [[file:agendas.org][Agenda Views]]\n") == true)
    // A phone of another vendor, which copies the link from the view.
    try place.write(
      """
      * F(edit:todo) [[id:11111111-2222-4333-8444-555555555555][Prepare slides]]
      ** Old value
      TODO
      ** New value
      DONE
      ** End of edit
      * F(edit:tags) [[olp:sub/home.org:Buy milk][Buy milk]]
      ** Old value
      errand
      ** New value
      errand:soon
      ** End of edit

      """, to: "staging/mobileorg.org")
    #expect(try await desktop.sync().result == .synced)
    #expect(try await desktop.text("work.org").contains("** DONE [#C] Prepare slides"))
    #expect(try await desktop.text("sub/home.org").contains(":errand:soon:"))
    #expect(await !desktop.names.contains("inbox.org"))
    // Our phone: the view is a file in its store.
    let phone = Phone(at: place.staging)
    #expect(try await phone.sync().result == .synced)
    let view = try await phone.text("agendas.org")
    #expect(view.contains("***  DONE [#C] Prepare slides") && !view.contains("\n**  DONE"))
    let changed = view.replacing("TODO [#A] Write the report", with: "NEXT [#B] Write it")
      .replacing(":errand:soon:", with: ":errand:").replacing("TODO Overdue", with: "DONE Overdue")
    try await phone.write(changed, to: "agendas.org")
    #expect(try await phone.sync().counts.failed == 0)
    // The entries are changed in their own files at once.
    let report = try await phone.sync()
    #expect(report.result == .waiting, "\(report)")
    #expect(try await phone.text("work.org").contains("* NEXT [#B] Write it"))
    #expect(try await phone.text("work.org").contains("* DONE Overdue"))
    #expect(try await phone.text("agendas.org") == changed)
    #expect(try await desktop.sync().result == .synced)
    #expect(try await desktop.text("work.org").contains("* NEXT [#B] Write it"))
    #expect(try await desktop.text("sub/home.org").contains(":errand:\n"))
    #expect(try await phone.sync().result == .synced)
    #expect(try await phone.text("agendas.org").contains("NEXT [#B] Write it"))
    #expect(try await phone.text("work.org") == desktop.text("work.org"))
    #expect(try await phone.sync().didSomething == false)
    #expect(try await desktop.sync().didSomething == false)
  }

  @Test(
    "Emacs applies an edit that a phone made in one of its agenda views",
    .enabled(if: Desktop.emacs != nil, "*** SKIPPED: Emacs is not installed ***"), arguments: [true, false],
    [nil, "p4ss \"w$rd\" é"])
  func throughEmacs(hasIDs: Bool, password: String?) async throws {
    let desktop = try Desktop(["work.org": Self.work, "sub/home.org": Self.home], password: password)
    let words = ["--now", "2026-01-15 12:00:00"] + (hasIDs ? [] : ["--no-ids"])
    try desktop.push(words)
    let phone = Phone(at: desktop.staging, password: password)
    #expect(try await phone.sync().result == .synced)
    let view = try await phone.text("agendas.org")
    #expect(view.contains("ORIGINAL_ID: olp:") == !hasIDs)
    let changed = view.replacing("TODO [#A] Write the report", with: "WAITING [#A] Write it all")
      .replacing("TODO Buy milk ", with: "[#A] Buy milk ").replacing(":urgent:<before>", with: ":urgent:now:<before>")
    try await phone.write(changed, to: "agendas.org")
    for _ in 1...2 { #expect(try await phone.sync().counts.failed == 0) }
    let wanted = OrgDocument(try await phone.text("work.org"))
    let pull = try desktop.pull()
    #expect(pull.contains { $0.hasSuffix("flags=0 errors=0") }, "\(pull)")
    let work = OrgDocument(try #require(desktop.read("org/work.org")))
    let entry = work[try work.place("Write it all")]
    #expect(entry.keyword == "WAITING" && entry.priority == "A" && entry.tags == ["urgent", "now"])
    #expect(MobileTests.sorted(work) == MobileTests.sorted(wanted))
    #expect(desktop.read("org/sub/home.org")?.contains("* [#A] Buy milk") == true)
    try desktop.push(words)
    #expect(try await phone.sync().result == .synced)
    #expect(try await phone.text("agendas.org").contains("WAITING [#A] Write it all"))
    #expect(try await phone.sync().didSomething == false)
  }

  @Test
  func `an edit that an agenda view cannot carry is reported and changes nothing, and a reverted edit disappears`()
    async throws
  {
    let place = try Desktop()
    let desktop = Phone("desk", at: place.staging, role: .desktop, runtime: Self.clock(0))
    try await desktop.write(Self.work, to: "work.org")
    try await desktop.sync()
    let phone = Phone(at: place.staging)
    try await phone.sync()
    let view = try await phone.text("agendas.org")
    let bad = [
      view.replacing("First line", with: "Another line"), view + "* New\n", String(view.prefix(view.count / 2)),
      view.replacing(":work::urgent:", with: ":play::urgent:"), view.replacing("** Friday", with: "** Freitag"),
      view.replacing("TODO Overdue", with: "DONE Overdue").replacing(
        "DONE Overdue :work::<before>work:<", with: "NEXT Overdue :work::<before>work:<"),
      "",
    ]
    for text in bad {
      try await phone.write(text, to: "agendas.org")
      let report = try await phone.sync()
      #expect(report.counts.failed == 1, "\(text)")
      #expect(
        report.actions.contains {
          $0.detail.contains("in the entry's own file") || $0.detail.contains("has changed since")
        })
      #expect(place.read("staging/mobileorg.org") == "\n")
    }
    // Removing it is reported, and it is restored unless the settings exclude it.
    try await phone.remove("agendas.org")
    #expect(try await phone.sync().actions.contains { $0.detail.contains("exclude") })
    try await phone.write(view.replacing("TODO Overdue", with: "NEXT Overdue"), to: "agendas.org")
    for _ in 1...2 { try await phone.sync() }
    #expect(place.read("staging/mobileorg.org")?.contains("F(edit:todo) [[olp:work.org:Overdue][Overdue]]") == true)
    try await phone.write(view, to: "agendas.org")
    for _ in 1...2 { try await phone.sync() }
    #expect(place.read("staging/mobileorg.org") == "\n")
    #expect(try await phone.text("work.org") == Self.work)
    #expect(try await phone.sync().result == .synced)
  }

  @Test func `agenda views are written again only after a change`() async throws {
    let place = try Desktop()
    let desktop = Phone("desk", at: place.staging, role: .desktop, runtime: Self.clock(0))
    try await desktop.write(Self.work, to: "work.org")
    try await desktop.sync()
    let first = try #require(place.read("staging/agendas.org"))
    let list = try #require(place.read("staging/checksums.dat"))
    #expect(list.hasSuffix("\(ChecksumList.digest(of: Array(first.utf8), digits: 32))  agendas.org\n"))
    let moments = Life()
    try await desktop.reborn(moments).sync()
    #expect(moments.moments == 0, "something was written")
    // Another day: the archive has the files, so none is read.
    try place.write("* TODO Not this\n", to: "staging/work.org")
    let next = desktop.reborn(runtime: Self.clock(1))
    _ = try await next.remote().recover()
    let second = try #require(place.read("staging/agendas.org"))
    #expect(second.contains("** Friday     16 January 2026\n") && !second.contains("** Thursday   15 January"))
    #expect(second.contains("Write the report") && !second.contains("Not this"))
    try place.write(Self.work, to: "staging/work.org")
    // Other settings.
    let other = next.reborn(agendas: [.match("slides")])
    try await other.sync()
    #expect(
      place.read("staging/agendas.org")?.hasPrefix(
        "#+READONLY\n* Match: slides<after>KEYS=m TITLE: slides</after>\n**  TODO") == true)
    // No views: existing ones are no longer listed.
    try await other.reborn(agendas: []).sync()
    #expect(place.read("staging/index.org")?.contains("agendas.org") == false)
    #expect(place.read("staging/checksums.dat")?.contains("agendas.org") == false)
    let quiet = Life()
    try await other.reborn(quiet, agendas: []).sync()
    #expect(quiet.moments == 0)
  }

  @Test(
    "an agenda view is written as text",
    arguments: [
      ("7 days", "7 days"), ("1 day", "1 day"), ("1 days", "1 day"), ("todo", "todo"),
      ("match a+b/TODO", "match a+b/TODO"),
    ])
  func settings(text: String, written: String) {
    #expect(AgendaView(text: text)?.text == written)
  }

  @Test(
    "an invalid agenda view is refused",
    arguments: ["", "agenda", "0 days", "367 days", "7", "days 7", "todo 3", "match", "match LEVEL=2", "match a b"])
  func noSettings(text: String) {
    #expect(AgendaView(text: text) == nil)
  }
}
