import OrgKit
import Testing

/// The examples of the guide *Editing, comparing and merging* must work.
@Suite("The OrgKit guide")
struct GuideTests {
  @Test("the steps of the guide give the results that it shows")
  func guide() throws {
    let base = OrgDocument(
      """
      * Inbox
      ** TODO Mend the gate
      :PROPERTIES:
      :ID:       gate-1
      :END:
      The latch slips.
      * Projects
      """)
    #expect(base.entry(id: "gate-1")?.path == ["Inbox", "Mend the gate"])
    #expect(base.entry(id: "gate-1")?.body == "The latch slips.")

    var mine = base
    let place = try #require(mine.entry(id: "gate-1")).index
    try mine[place].setKeyword("DONE")
    try mine[place].setClosed(OrgTimestamp(year: 2024, month: 5, day: 6, isActive: false))

    try mine.edit { edits in
      for entry in edits.document.entries where entry.isDone { try edits[entry.index].setPriority(nil) }
    }

    var yours = base
    let projects = try #require(yours.entry(path: ["Projects"])).index
    let moved = yours.move(place, below: projects)
    try yours[moved].setBody(yours[moved].body + "\nNeeds an M6 bolt.")
    #expect(
      OrgDiff(from: base.bytes, to: yours.bytes).description == """
        ~ Projects/Mend the gate (was Inbox/Mend the gate)
            + Needs an M6 bolt.
        """)

    let merge = OrgMerge.merge(base: base.bytes, ours: mine.bytes, theirs: yours.bytes)
    #expect(merge.status == .clean)
    #expect(
      merge.content.map(text) == """
        * Inbox
        * Projects
        ** DONE Mend the gate
        CLOSED: [2024-05-06 Mon]
        :PROPERTIES:
        :ID:       gate-1
        :END:
        The latch slips.
        Needs an M6 bolt.

        """)
  }
}
