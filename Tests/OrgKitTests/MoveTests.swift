import OrgKit
import Testing

/// Merges of a deletion with a move, and of two moves, whose right result is known because the lines are numbered.
@Suite("Moves against deletions and other moves")
struct MoveTests {
  @Test("what one side deleted and the other moved is gone or flagged", arguments: MovePlace.all)
  func deleted(place: MovePlace) {
    for seed in 0..<UInt64(100) {
      var document = MoveDocument(place, seed)
      let (base, moved) = (document.lines, document.moved())
      var versions = Versions(base: place.text(base), ours: place.text(document.without()), theirs: place.text(moved))
      // In half of the documents the sides also add lines of their own.
      if seed.isMultiple(of: 2) {
        versions.ours = place.text(document.extended(document.without()))
        versions.theirs = place.text(document.extended(moved))
      }
      let merge = versions.merged()
      #expect(merge.status != .keepBoth)
      if merge.status == .clean { #expect(document.count(in: merge) == 0, "\(place) \(seed)") }
    }
  }

  @Test("what both sides moved is there once or flagged", arguments: MovePlace.all)
  func moved(place: MovePlace) {
    for seed in 0..<UInt64(100) {
      var document = MoveDocument(place, seed)
      let versions = Versions(
        base: place.text(document.lines), ours: place.text(document.moved()), theirs: place.text(document.moved()))
      let merge = versions.merged()
      #expect(merge.status != .keepBoth)
      if merge.status == .clean { #expect(document.count(in: merge) == 1, "\(place) \(seed)") }
    }
  }

  @Test("a move does not conflict with other edits, also if lines are repeated", arguments: MovePlace.all)
  func unrelated(place: MovePlace) {
    for seed in 0..<UInt64(100) {
      var document = MoveDocument(place, seed)
      let moved = document.moved()
      // The other side deletes one of two equal lines in a text of its own.
      let text = "* Other\n\nDone for now.\n\nWe wait.\n\nDone for now.\n"
      let shorter = "* Other\n\nDone for now.\n\nWe wait.\n"
      let merge = OrgMerge.merge(
        base: place.text(document.lines) + text.utf8, ours: place.text(moved) + text.utf8,
        theirs: place.text(document.lines) + shorter.utf8)
      #expect(merge.status == .clean && merge.content == place.text(moved) + shorter.utf8, "\(place) \(seed)")
    }
  }
}

/// How the lines of a document are written, in one or more groups.
struct MovePlace: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// The text above each group, and below.
  let (above, below): (String, String)
  /// The text around each line.
  let (before, behind): (String, String)
  let groups: Int

  init(
    _ name: String, above: String = "", before: String = "", behind: String = ".", below: String = "", groups: Int = 1
  ) {
    testDescription = name
    (self.above, self.before, self.behind, self.below, self.groups) = (above, before, behind, below, groups)
  }

  static let all = [
    MovePlace("lines"), MovePlace("lines of three entries", groups: 3),
    MovePlace("lines of paragraphs", below: "\nThe end of this part.\n\n", groups: 3),
    MovePlace("paragraphs", before: "\n", groups: 2),
    MovePlace("items", before: "- "), MovePlace("items of three entries", before: "- ", groups: 3),
    MovePlace("tasks in a list", before: "- [ ] "), MovePlace("sub-items", above: "- One\n", before: "  - ", groups: 2),
    MovePlace("rows", before: "| ", behind: " | 1 |"),
    MovePlace("rows of two tables", before: "| ", behind: " | 1 |", groups: 2),
    MovePlace("entries", before: "** ", behind: ""),
    MovePlace("entries of three parents", before: "** ", behind: "", groups: 3),
    MovePlace("deeper entries", above: "** Inner\n", before: "*** TODO ", behind: "", groups: 2),
    MovePlace("code", above: "#+begin_src sh\n", below: "#+end_src\n"),
    MovePlace("verse", above: "#+begin_verse\n", below: "#+end_verse\n"),
    MovePlace("quote", above: "#+begin_quote\n", below: "#+end_quote\n"),
    MovePlace("fixed width", before: ": "), MovePlace("comment", before: "# "),
    MovePlace("drawer", above: ":NOTES:\n", below: ":END:\n"),
    MovePlace("text of an item", above: "- Item\n", before: "  ", below: "- End\n"),
  ]

  func text(_ lines: [[String]]) -> [UInt8] {
    let parts = lines.enumerated().map { number, lines in
      "* Part \(number)\n" + above + lines.map { before + $0 + behind + "\n" }.joined() + below
    }
    return Array(parts.joined().utf8)
  }
}

/// A document of numbered lines, one of which moves.
struct MoveDocument {
  private(set) var lines: [[String]]
  private let line: String
  private let home: (group: Int, place: Int)
  private var random: SeededGenerator

  init(_ place: MovePlace, _ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let words = ["river", "lamp", "stone", "cave", "letter", "window", "garden", "bread", "salt", "train"]
    var count = 0
    // Short lines, and long ones.
    let length = seed % 3
    var lines: [[String]] = []
    for _ in 0..<place.groups {
      lines.append([])
      for _ in 0..<Int.random(in: 2...5, using: &random) {
        count += 1
        let extra = (0..<length).map { _ in words[Int.random(in: 0..<words.count, using: &random)] }
        lines[lines.count - 1].append((["Line\(count)"] + extra).joined(separator: " "))
      }
    }
    let group = Int.random(in: 0..<place.groups, using: &random)
    let home = (group: group, place: Int.random(in: 0..<lines[group].count, using: &random))
    line = lines[home.group][home.place]
    (self.lines, self.home, self.random) = (lines, home, random)
  }

  /// The lines without the one that moves.
  func without() -> [[String]] {
    var lines = lines
    lines[home.group].remove(at: home.place)
    return lines
  }

  /// The lines with the one at another place, in another group if there are several.
  mutating func moved() -> [[String]] {
    var moved = without()
    let groups = lines.indices.filter { lines.count == 1 || $0 != home.group }
    let group = groups[Int.random(in: 0..<groups.count, using: &random)]
    let places = (0...moved[group].count).filter { group != home.group || $0 != home.place }
    moved[group].insert(line, at: places[Int.random(in: 0..<places.count, using: &random)])
    return moved
  }

  /// Returns the lines with a new one in the last group.
  mutating func extended(_ lines: [[String]]) -> [[String]] {
    var lines = lines
    lines[lines.count - 1].append("New\(Int.random(in: 0..<1_000_000, using: &random)) at the end")
    return lines
  }

  /// Returns the number of occurrences of the line in a result.
  func count(in merge: OrgMerge.Result) -> Int {
    text(merge.content ?? []).split(separator: "\n").count { written in
      guard let found = written.firstRange(of: line) else { return false }
      // `Line1` is not in `Line10`.
      return found.upperBound == written.endIndex || !(written[found.upperBound].isNumber)
    }
  }
}
