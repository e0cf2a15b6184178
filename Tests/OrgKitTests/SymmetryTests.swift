import OrgKit
import Testing

/// Merges whose result once depended on the order of the sides, or could have.
@Suite("Symmetry of merges")
struct SymmetryTests {
  @Test(
    "exchanging the sides changes nothing in these merges",
    arguments: [
      // Two runs of new blocks with the same total text, divided into blocks differently.
      Example(
        base: "* a\n", ours: "* a\n*************** bc\n", theirs: "* a\n*************** b\nc\n",
        merged: "* a\n*************** b\nc\n*************** bc\n"),
      Example(
        base: "* ", ours: "* \n*************** ENDCLOCK: [2024-01-01 Mon 10:00]",
        theirs: "* \n*************** ENDCLOCK: [2024-01-01 Mon 10:\n00]",
        merged:
          "* \n*************** ENDCLOCK: [2024-01-01 Mon 10:\n00]\n*************** ENDCLOCK: [2024-01-01 Mon 10:00]"
      ),
      // A set of words after a key, with leading spaces that both sides changed.
      Example(
        base: "* a\n:PROPERTIES:\n:ROAM_REFS: a\n:END:\n", ours: "* a\n:PROPERTIES:\n:ROAM_REFS:  a b\n:END:\n",
        theirs: "* a\n:PROPERTIES:\n:ROAM_REFS:   a c\n:END:\n",
        merged: "* a\n:PROPERTIES:\n:ROAM_REFS:   a b c\n:END:\n"),
      // A set that one side cleared, with its leading space.
      Example(
        base: "* a\n:PROPERTIES:\n:ROAM_REFS: a\n:END:\n", ours: "* a\n:PROPERTIES:\n:ROAM_REFS:\n:END:\n",
        theirs: "* a\n:PROPERTIES:\n:ROAM_REFS: a b\n:END:\n", merged: "* a\n:PROPERTIES:\n:ROAM_REFS: b\n:END:\n"),
      Example(
        base: "#+filetags: :a:\n", ours: "#+filetags:\n", theirs: "#+filetags: :a:b:\n", merged: "#+filetags: :b:\n"),
    ])
  func exchanged(example: Example) {
    let versions = Versions(
      base: Array(example.base.utf8), ours: Array(example.ours.utf8), theirs: Array(example.theirs.utf8))
    for merge in [versions.merged(), versions.exchanged.merged()] {
      #expect(merge.status == .clean)
      #expect(merge.content.map(text) == example.merged)
    }
  }

  struct Example: Sendable {
    var base: String
    var ours: String
    var theirs: String
    var merged: String
  }
}
