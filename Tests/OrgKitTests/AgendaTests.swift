import OrgKit
import Testing

/// The entries that an agenda shows, and why.
@Suite struct AgendaTests {
  private static let today = OrgDay(year: 2026, month: 1, day: 15)

  @Test func `dates convert to day numbers and back, and weeks follow ISO 8601`() {
    for number in stride(from: -800_000, through: 800_000, by: 997) {
      let (year, month, day) = OrgDay(number: number).date
      #expect(OrgDay(year: year, month: month, day: day).number == number)
    }
    #expect(OrgDay(number: 0).weekday == 4)
    #expect(OrgDay(year: 2026, month: 2, day: 31) == OrgDay(year: 2026, month: 3, day: 3))
    #expect(OrgDay(year: 2026, month: 14, day: 1) == OrgDay(year: 2027, month: 2, day: 1))
    let weeks = [(2026, 1, 1, 1), (2027, 1, 3, 53), (2027, 1, 4, 1), (2024, 12, 30, 1), (2023, 1, 1, 52)]
    for (year, month, day, week) in weeks { #expect(OrgDay(year: year, month: month, day: day).week == week) }
  }

  @Test(
    "a timestamp occurs exactly on the days on which it repeats",
    arguments: [
      ("<2026-01-05 Mon>", "2026-01-05", "2026-01-04 2026-01-12"),
      ("<2026-01-05 Mon +1w>", "2026-01-05 2026-01-12 2026-01-19", "2025-12-29 2026-01-13"),
      ("<2025-12-31 Wed .+2d/4d>", "2026-01-02 2026-01-20", "2025-12-29 2026-01-03"),
      ("<2026-01-31 Sat +1m>", "2026-03-03 2026-03-31", "2026-02-28 2026-04-30"),
      ("<2024-02-29 Thu ++1y>", "2025-03-01 2028-02-29", "2025-02-28 2028-03-01"),
      ("<2026-01-01 Thu 20:00 +36h>", "2026-01-03 2026-01-04 2026-01-06", "2026-01-02 2026-01-05"),
      ("<2026-01-05 Mon +0d>", "2026-01-05", "2026-01-06"),
    ])
  func repeats(stamp: String, hits: String, misses: String) throws {
    let stamp = try #require(OrgTimestamp(stamp))
    func days(_ text: String) -> [OrgDay] {
      text.split(separator: " ").compactMap { OrgTimestamp("<\($0)>")?.date }
    }
    #expect(days(hits).allSatisfy(stamp.falls) && !days(hits).isEmpty)
    #expect(!days(misses).contains(where: stamp.falls) && !days(misses).isEmpty)
  }

  /// The agenda of each day of a week, as text.
  private static func week(_ entry: String) -> [String] {
    let dates = OrgDates(OrgDocument(entry).entries[0])
    return (0..<7).map { offset in
      dates.occasions(on: today.advanced(by: offset), today: today).map { occasion in
        let time = [occasion.time, occasion.endTime].compactMap { $0?.description }.joined(separator: "-")
        return "\(occasion.kind)" + (time.isEmpty ? "" : " \(time)")
      }.joined(separator: ", ")
    }
  }

  @Test(
    "deadlines, scheduled entries and timestamps are on the agenda of their days",
    arguments: [
      ("* TODO A\nDEADLINE: <2026-01-20 Tue 9:30>", [0: "deadline(inDays: 5)", 5: "deadline(inDays: 0) 09:30"]),
      ("* TODO A\nDEADLINE: <2026-01-20 Tue -3d>", [5: "deadline(inDays: 0)"]),
      ("* TODO A\nDEADLINE: <2026-01-10 Sat>", [0: "deadline(inDays: -5)"]),
      ("* DONE A\nDEADLINE: <2026-01-10 Sat>", [:]),
      ("* DONE A\nSCHEDULED: <2026-01-15 Thu>", [0: "scheduled(daysAgo: 0)"]),
      (
        "* TODO A\nSCHEDULED: <2026-01-13 Tue +3d>",
        [0: "scheduled(daysAgo: 2)", 1: "scheduled(daysAgo: 3)", 4: "scheduled(daysAgo: 6)"]
      ),
      ("* TODO A\nSCHEDULED: <2026-01-14 Wed --2d>", [:]),
      ("* TODO A\nSCHEDULED: [2026-01-15 Thu]", [:]),
      ("* A <2026-01-16 Fri 10:00-11:30>", [1: "timestamp 10:00-11:30"]),
      ("* A\n<2026-01-16 Fri> and <2026-01-16 Fri 8:00>", [1: "timestamp, timestamp 08:00"]),
      (
        "* A\n<2026-01-14 Wed 9:00>--<2026-01-16 Fri 17:00>",
        [0: "range(day: 2, of: 3)", 1: "range(day: 3, of: 3) 17:00"]
      ),
      ("* A\n# <2026-01-16 Fri>\n#+begin_src sh\n<2026-01-16 Fri>\n#+end_src\n[2026-01-16 Fri]", [:]),
    ] as [(String, [Int: String])])
  func agenda(entry: String, days: [Int: String]) {
    #expect(Self.week(entry) == (0..<7).map { days[$0] ?? "" })
  }

  @Test(
    "a match selects by tags, including inherited ones, and by states",
    arguments: [
      ("work", "abcd"), ("-work", "ef"), ("work+urgent", "bd"), ("work&-urgent", "ac"), ("urgent|home", "bde"),
      ("work/TODO", "ad"), ("work/-TODO", "bc"), ("/NEXT|DONE", "be"), ("work/!", "ad"), ("/!-TODO", "e"),
      ("absent", ""), ("boss@2_%", "f"), ("work+EFFORT=\"1:00|2\"", "c"), ("EFFORT<>\"1:00|2\"-work", "ef"),
      ("-EFFORT=\"1:00|2\"+urgent", "bd"), ("TODO=\"NEXT\"|PRIORITY=\"A\"", "ef"),
    ])
  func match(text: String, letters: String) throws {
    let file = """
      #+TODO: TODO NEXT | DONE
      * TODO a :work:
      ** DONE b :urgent:
      ** c
      :PROPERTIES:
      :Effort: 1:00|2
      :END:
      *** TODO d :urgent:
      * NEXT e :home:
      * [#A] f :boss@2_%:
      """
    let match = try #require(OrgMatch(text))
    #expect(OrgDocument(file).entries.filter(match.selects).map(\.title).joined() == letters)
  }

  @Test(
    "an invalid match is refused",
    arguments: [
      "", "/", "a b", "a++b", "+", "a|", "LEVEL=2", "PRIORITY=\"A", "PRIORITY<\"A\"", "{re}", "a/b c", "a/b=c",
      "TODO<2",
    ])
  func noMatch(text: String) {
    #expect(OrgMatch(text) == nil)
  }

  @Test func `tags, categories, COMMENT and ARCHIVE are inherited`() throws {
    let file = """
      #+FILETAGS: :all:work:
      #+CATEGORY: cat
      * A :work:b:
      ** B :c:
      *** COMMENT C
      **** D
      * E :ARCHIVE:
      ** F
      * G
      :PROPERTIES:
      :CATEGORY: own
      :END:
      ** H
      """
    let entries = OrgDocument(file).entries.map { $0 }
    #expect(entries[1].inheritedTags == ["all", "work", "b"])
    #expect(entries[1].allTags == ["all", "work", "b", "c"])
    #expect(entries.filter(\.isSetAside).map(\.title) == ["C", "D", "E", "F"])
    #expect(entries.map { $0.category ?? "" } == Array(repeating: "cat", count: 6) + ["own", "own"])
  }
}
