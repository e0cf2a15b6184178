import OrgKit
import Testing

/// Entries as an iCalendar document; what is expected was recorded from ox-icalendar of Org 9.5.
@Suite struct CalendarExportTests {
  private func calendar(_ text: String, _ settings: OrgSettings = [:]) -> [String] {
    let folder = OrgFolder(OrgFileSet(["notes.org": Array(text.utf8)]), settings)
    let export = CalendarExport(
      settings, now: OrgMoment(year: 2026, month: 3, day: 10, hour: 14, minute: 30), zone: .utc
    ) { _ in "new" }
    return export.components(Array(folder.items.joined()), text: folder.body)
  }

  @Test("a timestamp becomes an event with rule, place, text and categories")
  func event() {
    let text =
      "* Meeting about coffee <2026-03-13 Fri 09:00-10:00 +1w> :home:\n:PROPERTIES:\n:ID: e1\n:LOCATION: Vienna, Ring\n:END:\nBring; it.\n"
    #expect(
      calendar(text) == [
        "BEGIN:VEVENT", "DTSTAMP:20260310T143000Z", "UID:TS1-e1", "DTSTART:20260313T090000", "DTEND:20260313T100000",
        "RRULE:FREQ=WEEKLY;INTERVAL=1", "SUMMARY:Meeting about coffee <2026-03-13 Fri 09:00 +1w>–<2026-03-13 Fri 1",
        " 0:00 +1w>", "LOCATION:Vienna\\, Ring", "DESCRIPTION:Bring\\; it.", "CATEGORIES:home,notes", "END:VEVENT",
      ])
  }

  @Test("a date without a time lasts a day, one without an end two hours")
  func ends() {
    let lines = calendar("* A\n<2026-03-31 Tue>\n<2026-03-31 Tue 23:00>\n<2026-03-01 Sun>--<2026-03-03 Tue>\n")
    #expect(
      lines.filter { $0.hasPrefix("DT") && !$0.hasPrefix("DTSTAMP") } == [
        "DTSTART;VALUE=DATE:20260331", "DTEND;VALUE=DATE:20260401", "DTSTART:20260331T230000", "DTEND:20260401T010000",
        "DTSTART;VALUE=DATE:20260301", "DTEND;VALUE=DATE:20260304",
      ])
  }

  @Test("a deadline without a task is an event, a task is one only on request")
  func planning() {
    let text =
      "* A\nDEADLINE: <2026-03-12 Thu>\n* TODO [#A] B\nDEADLINE: <2026-03-12 Thu> SCHEDULED: <2026-03-11 Wed 10:00>\n* DONE C\n"
    #expect(calendar(text).filter { $0.hasPrefix("UID") } == ["UID:DL-new"])
    let tasks = calendar(
      text, ["org-icalendar-include-todo": true, "org-icalendar-use-deadline": [.symbol("todo-due")]])
    #expect(
      tasks.filter { !$0.hasPrefix("DTSTAMP") } == [
        "BEGIN:VTODO", "UID:TODO-new", "DTSTART:20260311T100000", "DUE;VALUE=DATE:20260312", "SUMMARY:B",
        "CATEGORIES:notes",
        "SEQUENCE:1", "PRIORITY:1", "STATUS:NEEDS-ACTION", "END:VTODO",
      ])
  }
}
