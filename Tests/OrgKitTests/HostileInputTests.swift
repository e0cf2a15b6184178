import Foundation
import OrgKit
import ProgramTesting
import Testing

/// Inputs that no person writes must take time proportional to their size, and never crash.
@Suite("Hostile inputs")
struct HostileInputTests {
  /// An input with a higher cost does not finish at all.
  private static let limit = TimeLimitTrait.timeLimit(.minutes(30))
  private static let rounds = isSoak ? 20_000 : 400

  @Test("deeply nested and very wide structures are read and merged in time", limit, arguments: Hostile.all)
  func merges(input: Hostile) {
    let base = input.text
    let document = OrgDocument(base)
    #expect(document.bytes == base)
    _ = document.entries.reduce(0) { $0 + $1.blocks.count + $1.tags.count }
    let merge = OrgMerge.merge(
      base: base, ours: Array("* new\n".utf8) + base, theirs: base + Array("\n* other\n".utf8))
    #expect(merge.content != nil)
  }

  @Test("text that the sides add at different places is in the result", limit, arguments: Hostile.all)
  func mergesInside(input: Hostile) {
    let base = Array(input.text.prefix(20_000))
    var (ours, theirs) = (base, base)
    ours.insert(contentsOf: "one".utf8, at: base.count / 3)
    theirs.insert(contentsOf: "two".utf8, at: base.count / 3 * 2)
    let merge = OrgMerge.merge(base: base, ours: ours, theirs: theirs)
    let content = merge.content.map(text) ?? ""
    #expect(content.contains("one") && content.contains("two"))
  }

  @Test("a line too long for a paragraph is merged as a whole", limit)
  func longLine() {
    let base = Array(String(repeating: "word ", count: 250_000).utf8)
    let merge = OrgMerge.merge(base: base, ours: Array("one ".utf8) + base, theirs: base + Array("two".utf8))
    #expect(merge.status == .conflict)
    #expect(merge.content.map { $0.count > 2 * base.count } == true)
  }

  @Test("arbitrary bytes merge without a crash, with the same result for exchanged sides")
  func arbitrary() {
    var random = SeededGenerator(seed: 3)
    let alphabet = Array("* \n-:#+[]|aB1\t\r".utf8) + [0xFF, 0xE2]
    func bytes() -> [UInt8] {
      (0..<Int.random(in: 0...120, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? 0 }
    }
    for _ in 0..<Self.rounds {
      let versions = Versions(base: bytes(), ours: bytes(), theirs: bytes())
      let (merge, exchanged) = (versions.merged(), versions.exchanged.merged())
      #expect(merge.content == exchanged.content)
      #expect(merge.status == exchanged.status)
    }
  }
}

/// A large, regular text.
struct Hostile: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let text: [UInt8]

  init(_ name: String, _ text: String) {
    testDescription = name
    self.text = Array(text.utf8)
  }

  static let all = [
    Hostile("2,000 levels of stars", (1...2000).map { String(repeating: "*", count: $0) + " x\n" }.joined()),
    Hostile("levels down and up", String(repeating: "* a\n*** b\n** c\n************** d\n", count: 2000)),
    Hostile("100,000 tags", "* x :" + String(repeating: "t:", count: 100_000) + "\n"),
    Hostile("one long line", String(repeating: "word ", count: 200_000)),
    Hostile("one long title", "* " + String(repeating: "word ", count: 50_000)),
    Hostile("open blocks", String(repeating: "#+begin_a\n:D:\n#+begin_b\n", count: 3000)),
    Hostile("loose keywords", String(repeating: "#+name: x\n", count: 10_000)),
    Hostile("deep list", (0..<1000).map { String(repeating: " ", count: $0) + "- x\n" }.joined()),
    Hostile("same titles", String(repeating: "* TODO same\n", count: 10_000)),
    Hostile("brackets", "* " + String(repeating: "[", count: 50_000) + "\n" + String(repeating: "[2", count: 50_000)),
    Hostile("table", String(repeating: "|", count: 20_000) + "\n" + String(repeating: "| a ", count: 5_000)),
    Hostile("clocks", String(repeating: "CLOCK: [2024-01-01 Mon 10:00]\n", count: 5000)),
  ]
}
