import OrgKit
import Testing

@Suite("Reading an Org document")
struct OrgDocumentTests {
  private let document = OrgDocument(
    """
    #+title: Sample
    #+TODO: TODO(t) WAITING | DONE

    * Projects :work:
    ** WAITING [#A] Build a shed [1/2]          :garden:weekend:
       DEADLINE: <2024-05-10 Fri 10:00-11:30 +1w -2d> SCHEDULED: <2024-05-06 Mon>
       :PROPERTIES:
       :ID:       abc-1
       :CUSTOM_ID: shed
       :END:
       :LOGBOOK:
       CLOCK: [2024-05-01 Wed 10:00]--[2024-05-01 Wed 11:00] =>  1:00
       - Note taken on [2024-05-02 Thu 09:00] \\\\
         Ordered wood.
       :END:

    Some text, due <2024-06-01 Sat>.
    - [X] saw
    - [ ] nails
      - long ones
    | a | 1 |
    |---+---|
    | b | 2 |
    #+begin_src swift
    ,* no headline
    #+end_src
    *** DONE Buy wood
    * NEXT without a sequence
    * a/b
    ** c
    """)

  @Test("entries are found by ID, custom ID and path")
  func finding() {
    #expect(document.entry(id: "abc-1")?.title == "Build a shed [1/2]")
    #expect(document.entry(customID: "shed")?.id == "abc-1")
    #expect(document.entry(path: ["Projects", "Build a shed [1/2]", "Buy wood"])?.isDone == true)
    #expect(document.entry(outlinePath: "a\\/b/c")?.level == 2)
    #expect(document.entry(id: "abc") == nil)
    #expect(document.entry(outlinePath: "Projects/Nothing") == nil)
  }

  @Test("a headline is split into its parts")
  func headline() throws {
    let entry = try #require(document.entry(id: "abc-1"))
    #expect(entry.keyword == "WAITING")
    #expect(entry.priority == "A")
    #expect(entry.tags == ["garden", "weekend"])
    #expect(!entry.isDone)
    #expect(entry.parent?.title == "Projects")
    #expect(entry.children.map(\.title) == ["Buy wood"])
    #expect(document.topLevelEntries.map(\.title) == ["Projects", "NEXT without a sequence", "a/b"])
  }

  @Test("dates are read as values")
  func dates() throws {
    let entry = try #require(document.entry(id: "abc-1"))
    let deadline = try #require(entry.deadline)
    #expect(deadline.time == .init(hour: 10, minute: 0))
    #expect(deadline.endTime == .init(hour: 11, minute: 30))
    #expect(deadline.repeater == "+1w")
    #expect(deadline.delay == "-2d")
    #expect(deadline.description == "<2024-05-10 Fri 10:00-11:30 +1w -2d>")
    #expect(entry.scheduled?.description == "<2024-05-06 Mon>")
    #expect(entry.closed == nil)
    #expect(entry.activeTimestamps.map(\.description) == ["<2024-06-01 Sat>"])
  }

  @Test("a log item has all of its lines, and nothing outside the log")
  func logLines() throws {
    let log = ":LOGBOOK:\n- Note taken on [2024-05-06 Mon 10:00] \\\\\n  :x:\n- State \"DONE\" from \"TODO\"\n:END:\n"
    let entry = OrgDocument("* a\n#+name: history\n\(log)").topLevelEntries[0]
    let items = try #require(entry.blocks.first).logItems.map(\.text)
    #expect(
      items == ["- Note taken on [2024-05-06 Mon 10:00] \\\\\n  :x:", "- State \"DONE\" from \"TODO\""])
  }

  @Test("a section is split into its parts")
  func blocks() throws {
    let entry = try #require(document.entry(id: "abc-1"))
    #expect(entry.blocks.map(\.kind) == [.log, .paragraph, .list, .table, .verbatim("src")])
    let log = try #require(entry.blocks.first).logItems
    #expect(log.map(\.isClock) == [true, false])
    #expect(log[0].clockEnd?.time == .init(hour: 11, minute: 0))
    #expect(log[1].timestamp?.day == 2)
    #expect(entry.blocks[2].items.map(\.box) == [.ticked, .empty])
    #expect(entry.blocks[2].items[1].children.map(\.text) == ["long ones"])
    #expect(entry.blocks[3].rows == [["a", "1"], ["b", "2"]])
    #expect(entry.blocks[1].text == "Some text, due <2024-06-01 Sat>.")
  }

  @Test("the file's settings are read")
  func settings() {
    #expect(document.settings("TITLE") == ["Sample"])
    #expect(document.todoKeywords == ["TODO", "WAITING", "DONE"])
    #expect(document.doneKeywords == ["DONE"])
    #expect(document.preamble.map(\.kind) == [.keyword("title"), .keyword("todo")])
  }

  @Test(
    "every form of a headline is recognized",
    arguments: [
      ("* TODO", "TODO", nil, "", []),
      ("* :a:", nil, nil, "", ["a"]),
      ("* TODO :a:b:", "TODO", nil, "", ["a", "b"]),
      ("* [#B]x", nil, "B", "x", []),
      ("* [#99] x", nil, nil, "[#99] x", []),
      ("* todo x", nil, nil, "todo x", []),
      ("* x :a:b: :c:", nil, nil, "x :a:b:", ["c"]),
      ("* x :a::b:", nil, nil, "x", ["a", "b"]),
      ("*  DONE   COMMENT y  :t:  ", "DONE", nil, "y", ["t"]),
      ("* りんご :市場:", nil, nil, "りんご", ["市場"]),
    ] as [(String, String?, String?, String, [String])])
  func headlines(line: String, keyword: String?, priority: String?, title: String, tags: [String]) throws {
    let entry = try #require(OrgDocument(line).entries.first)
    #expect(entry.keyword == keyword)
    #expect(entry.priority == priority)
    #expect(entry.title == title)
    #expect(entry.tags == tags)
  }

  @Test("other lines are not headlines", arguments: ["**", "*\tx", " * x", "*x", "*************** inline"])
  func noHeadline(line: String) {
    #expect(OrgDocument(line).entries.isEmpty)
  }
}
