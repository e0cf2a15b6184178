import OrgKit
import Testing

@Suite("Line merges")
struct LineMergeTests {
  @Test(
    "a change of one side is applied, and equal changes of both sides once",
    arguments: [
      ("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n", "A\nb\nC\n"),
      ("a\nb\nc\n", "a\nc\n", "a\nb\nc\nd\n", "a\nc\nd\n"),
      ("a\nb\nc\n", "a\nX\nc\n", "a\nX\nc\n", "a\nX\nc\n"),
      ("", "a\n", "", "a\n"),
      ("a\n", "", "a\n", ""),
      ("a\nb\nc", "A\nb\nc", "a\nb\nc\n", "A\nb\nc\n"),
    ])
  func clean(base: String, ours: String, theirs: String, expected: String) {
    #expect(merge(base, ours, theirs).content == Array(expected.utf8))
    #expect(merge(base, theirs, ours).content == Array(expected.utf8))
  }

  @Test(
    "different changes of both sides, also of adjacent lines, conflict",
    arguments: [
      ("a\nb\nc\n", "a\nX\nc\n", "a\nY\nc\n"),
      ("a\nb\n", "A\nb\n", "a\nB\n"),
      ("a\n", "a\nb\n", "a\nc\n"),
      ("a\n", "", "b\n"),
    ])
  func conflicts(base: String, ours: String, theirs: String) {
    #expect(!merge(base, ours, theirs).isClean)
    #expect(!merge(base, theirs, ours).isClean)
  }

  @Test("markers are on lines of their own, even after a line without a line end")
  func markers() {
    let marked = merge("a", "b", "c").marked(with: .init(ours: "o", base: "", theirs: "t"))
    #expect(String(decoding: marked, as: UTF8.self) == "<<<<<<< o\nb\n|||||||\na\n=======\nc\n>>>>>>> t\n")
  }

  @Test("markers use the line ends of the text")
  func markersOfWindows() {
    let marked = merge("x\r\na\r\n", "x\r\nb\r\n", "x\r\nc\r\n").marked()
    #expect(String(decoding: marked, as: UTF8.self).unicodeScalars.filter { $0 == "\r" }.count == 8)
  }

  @Test("identity, agreement and symmetry hold for random texts", arguments: 0..<300 as Range<UInt64>)
  func laws(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let base = randomLines(&random)
    let (ours, theirs) = (edited(base, &random), edited(base, &random))
    let (b, x, y) = (joined(base), joined(ours), joined(theirs))
    #expect(LineMerge(base: b, ours: x, theirs: b).content == x)
    #expect(LineMerge(base: b, ours: b, theirs: y).content == y)
    #expect(LineMerge(base: b, ours: x, theirs: x).content == x)
    #expect(LineMerge(base: b, ours: x, theirs: y).content == LineMerge(base: b, ours: y, theirs: x).content)
  }

  @Test("a merge ends in time if all lines are equal or none is", .timeLimit(.minutes(5)))
  func bounded() {
    let many = 40_000
    let same = Array(repeating: "same", count: many)
    let mixed = (0..<many).map { $0 % 7 == 0 ? "odd \($0)" : "same \($0 % 3)" }
    let reversed = Array(mixed.reversed())
    for (x, y) in [(same, mixed), (mixed, reversed)] {
      _ = LineMerge(base: joined(same), ours: joined(x), theirs: joined(y)).marked()
      _ = LineMerge(base: joined(mixed), ours: joined(x), theirs: joined(y)).marked()
    }
  }

  private func merge(_ base: String, _ ours: String, _ theirs: String) -> LineMerge {
    LineMerge(base: Array(base.utf8), ours: Array(ours.utf8), theirs: Array(theirs.utf8))
  }
}

func randomLines(_ random: inout SeededGenerator) -> [String] {
  (0..<Int.random(in: 0...60, using: &random)).map { _ in "line \(Int.random(in: 0...400, using: &random))" }
}

/// Inserts, removes and replaces a few short runs of lines.
func edited(_ lines: [String], _ random: inout SeededGenerator) -> [String] {
  var lines = lines
  for _ in 0..<Int.random(in: 0...4, using: &random) {
    let start = Int.random(in: 0...lines.count, using: &random)
    let end = min(lines.count, start + Int.random(in: 0...3, using: &random))
    let new = (0..<Int.random(in: 0...2, using: &random)).map { _ in "new \(Int.random(in: 0...9, using: &random))" }
    lines.replaceSubrange(start..<end, with: new)
  }
  return lines
}
