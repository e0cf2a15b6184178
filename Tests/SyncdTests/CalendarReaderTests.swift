import Foundation
import ProgramTesting
import Testing

/// The Python that has the readers: Debian installs them for the system's Python, which need not be the first.
private let python = ["/usr/bin/python3", "python3"].first { python in
  (try? Command([python, "-c", "import dateutil, icalendar, vobject"]).run().status) == 0
}

/// `syncd calendar export`, read by two other implementations of RFC 5545, whose repetitions python-dateutil computes.
@Suite(
  "The calendar in other programs",
  .enabled(
    if: python != nil, "*** python3-icalendar and python3-vobject are not installed: the calendar is not tested ***"))
struct CalendarReaderTests {
  private static let notes = """
    * Meeting; with, \\ a backslash :home:
    :PROPERTIES:
    :ID: e1
    :LOCATION: Vienna, Ring
    :END:
    <2026-03-10 Tue 09:00-10:30 +1w>
    A first line; and, a comma.
    An extraordinarily long second line with äöü 漢字 that has to be folded more than once, because it has more than 150 octets.
    * Holiday
    <2026-03-28 Sat>--<2026-03-31 Tue>
    * Tax
    DEADLINE: <2026-04-01 Wed +1y>
    * Medicine <2026-03-09 Mon 08:00 +3d>
    * Rent
    <2026-01-15 Thu +1m>
    * TODO [#A] Report
    SCHEDULED: <2026-03-11 Wed 10:00> DEADLINE: <2026-03-12 Thu>
    * Late <2026-03-31 Tue 23:30>

    """

  /// Prints, for each reader, a line with title, start, end, place and text of each event, and the days of its repetitions.
  private static let reader = """
    import sys, datetime as d, icalendar, vobject
    from dateutil import rrule
    data = open(sys.argv[1], "rb").read()
    def days(start, rule):
        if not isinstance(start, d.datetime): start = d.datetime(start.year, start.month, start.day)
        end = d.datetime(2026, 7, 1)
        found = rrule.rrulestr(rule, dtstart=start).between(d.datetime(2026, 3, 1), end) if rule else [start]
        return " ".join(f"{day:%Y-%m-%d}" for day in found)
    def show(name, summary, start, end, place, text, rule):
        print("|".join([name, str(summary), str(start), str(end), str(place), str(text).replace("\\n", "/"), days(start, rule)]))
    calendar = icalendar.Calendar.from_ical(data)
    assert not calendar.errors, calendar.errors
    for event in calendar.walk("VEVENT"):
        rule = event.get("RRULE")
        show("icalendar", event["SUMMARY"], event.decoded("DTSTART"), event.decoded("DTEND"), event.get("LOCATION", ""),
             event.get("DESCRIPTION", ""), rule and rule.to_ical().decode())
    for task in calendar.walk("VTODO"): print("icalendar task", task["SUMMARY"], task["STATUS"], task["PRIORITY"], task.decoded("DUE"))
    component = vobject.readOne(data.decode())
    value = lambda event, key: event.contents[key][0].value if key in event.contents else ""
    for event in component.vevent_list:
        show("vobject", event.summary.value, event.dtstart.value, event.dtend.value, value(event, "location"),
             value(event, "description"), value(event, "rrule"))
    for task in component.vtodo_list: print("vobject task", task.summary.value, task.status.value, task.priority.value, task.due.value)
    """

  @Test("two readers find the same titles, times, places, texts and repetitions, and those are the agenda's")
  func readers() throws {
    let sandbox = try Sandbox()
    try sandbox.write(Self.notes, to: "org/notes.org")
    let export = try sandbox.command(
      ["calendar", "export", "--todo", "--at", "2026-03-10 14:30"], environment: ["TZ": "Europe/Vienna"]
    ).succeed()
    #expect(export.text.contains("X-WR-TIMEZONE:Europe/Vienna\r\n") && export.text.contains("DTSTAMP:20260310T133000Z"))
    try sandbox.write(export.text, to: "notes.ics")
    let found = try Command([python ?? "python3", "-c", Self.reader, sandbox.path("notes.ics")]).succeed().text
    let lines = found.split(separator: "\n").map(String.init)
    let first = lines.filter { $0.hasPrefix("icalendar") }.map { String($0.dropFirst("icalendar".count)) }
    let second = lines.filter { $0.hasPrefix("vobject") }.map { String($0.dropFirst("vobject".count)) }
    #expect(first == second && first.count == 7, "\(found)\n\(export.text)")
    for text in [
      "|Meeting; with, \\ a backslash|2026-03-10 09:00:00|2026-03-10 10:30:00|Vienna, Ring|<2026-03-10 Tue 09:00-10:30 +1w>/A first line; and, a comma./An",
      "äöü 漢字 that has to be folded", "|Holiday|2026-03-28|2026-04-01|", "|DL: Tax|2026-04-01|2026-04-02|",
      "|2026-03-31 23:30:00|2026-04-01 01:30:00|", " task Report NEEDS-ACTION 1 2026-03-12",
    ] {
      #expect(first.contains { $0.contains(text) }, "\(text)\n\(found)")
    }
    for title in ["Meeting", "Medicine", "Rent"] {
      let line = try #require(first.first { $0.hasPrefix("|\(title)") })
      let days = try Self.agendaDays(of: title, sandbox)
      #expect(days == line.split(separator: "|").last.map(String.init), "\(title): \(found)")
    }
  }

  private struct Agenda: Decodable {
    struct Row: Decodable { var date: String?, text: String? }
    var rows: [Row]
  }

  /// The days from March to June on which the agenda shows an entry.
  private static func agendaDays(of title: String, _ sandbox: Sandbox) throws -> String {
    let words = ["agenda", "122", "--from", "2026-03-01", "--json", "--at", "2026-02-28 12:00"]
    let rows = try sandbox.command(words).succeed().json(Agenda.self).rows
    return rows.filter { $0.text?.contains(title) ?? false }.compactMap(\.date).joined(separator: " ")
  }
}
