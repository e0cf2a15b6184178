import OrgKit
import Testing

@Suite("Differences between two versions")
struct OrgDiffTests {
  @Test("a diff reports fields, moves, additions and removals")
  func changes() {
    let diff = compare(
      """
      #+title: A
      * Inbox
      ** TODO Fix the gate :home:
      SCHEDULED: <2024-05-06 Mon>
      :PROPERTIES:
      :ID: g
      :END:
      The latch slips.
      ** Old
      * Projects
      """,
      """
      #+title: A
      * Inbox
      * Projects
      ** DONE Fix the gate :home:garden:
      :PROPERTIES:
      :ID: g
      :Effort: 1:00
      :END:
      The latch slips.
      It rains.
      ** New
      """)
    #expect(
      diff.description == """
        ~ Projects/Fix the gate (was Inbox/Fix the gate)
            keyword: TODO → DONE
            tags: home → home garden
            property EFFORT: + 1:00
            + It rains.
            scheduled: - <2024-05-06 Mon>
        + Projects/New
            title: + New
        - Inbox/Old
            title: - Old
        """)
    #expect(diff.changes.map(\.kind) == [.changed, .added, .removed])
    #expect(diff.changes[0].movedFrom == ["Inbox", "Fix the gate"])
  }

  @Test("a moved entry has no changed fields, and unchanged entries are not reported")
  func moveOnly() {
    let diff = compare("* A\n** B\ntext\n* C\n", "* A\n* C\n** B\ntext\n")
    #expect(diff.changes.map(\.path) == [["C", "B"]])
    #expect(diff.changes[0].movedFrom == ["A", "B"])
    #expect(diff.changes[0].fields.isEmpty)
    #expect(compare("* A\n", "* A\n").changes.isEmpty)
    #expect(compare("* A  :t:\n", "* A :t:\n\n").changes.isEmpty)
  }

  @Test("changes of the preamble are reported without a path")
  func preamble() {
    let diff = compare("#+title: A\n* B\n", "#+title: C\n* B\n")
    #expect(
      diff.description == """
        ~ (top of the file)
            - #+title: A
            + #+title: C
        """)
  }

  private func compare(_ old: String, _ new: String) -> OrgDiff {
    OrgDiff(from: Array(old.utf8), to: Array(new.utf8))
  }
}
