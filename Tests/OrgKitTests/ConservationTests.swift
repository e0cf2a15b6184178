import Testing

@testable import OrgKit

@Suite("The proof that nothing is lost")
struct ConservationTests {
  private static let base = "* Title\n:PROPERTIES:\n:ID: x\n:END:\nOne line here.\n1. [ ] item [0/2]\n| a |  1 |\n"

  @Test(
    "the proof accepts every result that a merge may have",
    arguments: [
      // Both sides added a line; both lines are in the result.
      (base + "ours\n", base + "theirs\n", base + "ours\ntheirs\n"),
      // A line was changed word by word on both sides.
      (
        base.replacing("One line", with: "One new line"), base.replacing("here", with: "there"),
        base.replacing("One line here", with: "One new line there")
      ),
      // Numbers, ticks, counts and padding are not content.
      (
        base + "x\n", base,
        base.replacing("1. [ ] item [0/2]\n| a |  1 |", with: "2. [X] item [1/2]\n| a | 1 |") + "x\n"
      ),
      // One side deleted a line that the other did not change.
      (
        base.replacing("One line here.\n", with: ""), base + "x\n", base.replacing("One line here.\n", with: "") + "x\n"
      ),
    ])
  func holds(ours: String, theirs: String, merged: String) {
    #expect(proof(ours, theirs, merged).holds)
    #expect(proof(theirs, ours, merged).holds)
  }

  @Test(
    "the proof fails if something is missing",
    arguments: [
      // An addition of one side.
      (base + "ours\n", base + "theirs\n", base + "theirs\n"),
      // A word of a changed line.
      (base.replacing("One line", with: "One new line"), base.replacing("here", with: "there"), base),
      // A line that neither side changed.
      (base + "ours\n", base + "theirs\n", base.replacing("One line here.\n", with: "") + "ours\ntheirs\n"),
      // A changed cell.
      (base.replacing("  1 |", with: " 25 |"), base + "x\n", base + "x\n"),
    ])
  func fails(ours: String, theirs: String, merged: String) {
    #expect(!proof(ours, theirs, merged).holds)
    #expect(!proof(theirs, ours, merged).holds)
  }

  @Test(
    "the proof fails if something that one side deleted returns",
    arguments: [
      // A line that one side deleted and the other did not change.
      (base.replacing("One line here.\n", with: ""), base + "x\n", base + "x\n"),
      // A word of a line.
      (base.replacing("One line", with: "One"), base + "x\n", base + "x\n"),
      // A property, an item, a row.
      (base.replacing(":ID: x\n", with: ""), base + "y\n", base + "y\n"),
      (base.replacing("1. [ ] item [0/2]\n", with: ""), base + "x\n", base + "x\n"),
      (base.replacing("| a |  1 |\n", with: ""), base + "x\n", base + "x\n"),
    ])
  func returns(ours: String, theirs: String, merged: String) {
    #expect(!proof(ours, theirs, merged).holds)
    #expect(!proof(theirs, ours, merged).holds)
  }

  @Test("equal lines are counted, so that each side may delete another one of two")
  func repeated() {
    let (base, one, other) = ("* a\nmilk\neggs\nmilk\n", "* a\neggs\nmilk\n", "* a\nmilk\neggs\n")
    #expect(proof(one, other, "* a\neggs\n", base: base).holds)
    #expect(!proof(one, other, base, base: base).holds)
    #expect(!proof(one, base, base, base: base).holds)
  }

  @Test("a marked conflict may have the text of both sides")
  func disputed() {
    let (one, other) = ("* a\nred\n", "* a\ngreen\n")
    let texts = ["* a\nblue\n", one, other, "* a\nred\ngreen\n", "* a\n"].map { Array($0.utf8)[...] }
    let kept = Conservation(
      base: texts[0], ours: texts[1], theirs: texts[2], merged: texts[3], decided: texts[4], derived: [])
    #expect(kept.holds)
    let lost = Conservation(
      base: texts[0], ours: texts[1], theirs: texts[2], merged: texts[1], decided: texts[4], derived: [])
    #expect(!lost.holds)
  }

  @Test("a value that a rule dropped on purpose may be missing")
  func derived() {
    let lost = proof(Self.base + "CLOSED: [2024-01-02]\n", Self.base, Self.base, derived: ["CLOSED: [2024-01-02]"])
    #expect(lost.holds)
  }

  @Test(
    "a line of one side's deletion and the other's move, or of two moves, is one too many",
    arguments: [
      // Deleted and moved; kept at the old place and moved.
      ("The one line", ["a"], [], ["a"], ["a"], 1), ("The one line", ["a"], ["a"], ["a"], ["a", "a"], 1),
      // Both sides deleted the same one of two; each deleted one.
      ("The one line", ["a", "a"], ["a"], ["a"], ["a"], 0), ("The one line", ["a", "a"], ["a"], ["a"], [], 0),
      // A short line that is repeated.
      ("Yes", ["a", "a"], ["a"], ["a", "a"], ["a", "a"], 0), ("Yes", ["a"], [], ["a"], ["a"], 1),
      // Both sides added it.
      ("The one line", [], ["a"], ["a"], ["a", "a"], 0),
    ])
  func moved(line: String, base: [String], ours: [String], theirs: [String], result: [String], excess: Int) {
    func lines(_ copies: [String]) -> [[MovableLine?]] { [copies.map { _ in MovableLine(Array(line.utf8)[...]) }] }
    let versions = Three(base: lines(base), ours: lines(ours), theirs: lines(theirs))
    #expect((LineBalance(versions, result: lines(result)).excess.first?.value.count ?? 0) == excess)
  }

  @Test(
    "lines that occur everywhere are not counted",
    arguments: ["", "#+end_src", ":END:", "}", "-----", "|---+---|"])
  func anonymous(line: String) { #expect(MovableLine(Array(line.utf8)[...]) == nil) }

  @Test("SHA-256 digests match published values")
  func digest() {
    #expect(SHA256(Array("abc".utf8)).shortName == "ba7816bf")
    #expect(SHA256([]).shortName == "e3b0c442")
    #expect(SHA256(Array(repeating: UInt8(ascii: "a"), count: 1000)).shortName == "41edece4")
  }

  private func proof(
    _ ours: String, _ theirs: String, _ merged: String, base: String = Self.base, derived: [String] = []
  )
    -> Conservation
  {
    let texts = [base, ours, theirs, merged].map { Array($0.utf8)[...] }
    return Conservation(
      base: texts[0], ours: texts[1], theirs: texts[2], merged: texts[3], decided: texts[3], derived: derived)
  }
}
