import Foundation
import ProgramTesting
import SyncKit
import Testing

/// `syncd blame`, with the real program.
@Suite("Blame finds the last change of each entry") struct BlameTests {
  private struct Blame: Decodable {
    var entries: [Entry]
    struct Entry: Decodable {
      var path: [String], pass: Int?, author: String, remote: String?, isOldest: Bool
      private enum CodingKeys: String, CodingKey {
        case path, pass, author, remote
        case isOldest = "or-earlier"
      }
      var text: String {
        "\(path.joined(separator: "/")): \(pass ?? 0)\(isOldest ? "?" : "") \(author)\(remote.map { " \($0)" } ?? "")"
      }
    }
  }

  private func blame(_ sandbox: Sandbox, _ subject: String = "a.org") throws -> [String] {
    let outcome = try sandbox.syncd("blame", "--json", subject)
    #expect(try JSONSchema("blame").mistakes(in: JSONSerialization.jsonObject(with: outcome.out)) == [])
    return try outcome.json(Blame.self).entries.map(\.text)
  }

  @Test("edits on both sides, merges, moves, restored and unsynced edits are distinguished")
  func kinds() throws {
    let sandbox = try Sandbox(settings: "device = \"laptop\"")
    try sandbox.write("#+TITLE: T\n* A\na\n* B\nb\n** C\nc\n* D\nd\n", to: "org/a.org")
    try sandbox.once()
    try sandbox.write("#+TITLE: T\n* A\na\n* B\nb\n** C\nC\n* D\nd\n", to: "home/a.org")
    try sandbox.once()
    // A merge: A by the store, D by the remote, B by both.
    try sandbox.write("#+TITLE: T\n* A\nA\n* TODO B\nb\n** C\nC\n* D\nd\n", to: "org/a.org")
    try sandbox.write("#+TITLE: T\n* A\na\n* B\nB\n** C\nC\n* D\nD\n", to: "home/a.org")
    try sandbox.settle()
    let passes = try #require(try sandbox.syncd("log", "a.org").text.firstMatch(of: /pass (\d+) .* merged with home/)).1
    #expect(
      try blame(sandbox) == [
        ": 1 store", "A: \(passes) store", "B: \(passes) both home", "B/C: 2 remote home", "D: \(passes) remote home",
      ])
    #expect(try blame(sandbox, "a.org::*B") == ["B: \(passes) both home", "B/C: 2 remote home"])
    // A moved entry was not changed.
    let text = try #require(sandbox.read("org/a.org"))
    try sandbox.write(text.replacing("** C\nC\n", with: "") + "* C\nC\n* New\n", to: "org/a.org")
    #expect(try blame(sandbox).suffix(2) == ["C: 2 remote home", "New: 0 store"])
    let lines = try sandbox.syncd("blame", "a.org").text
    #expect(lines.contains("not synced yet  laptop  New") && lines.contains("home: "), "\(lines)")
    // A deleted and restored entry is as old as before.
    try sandbox.once()
    try sandbox.remove("org/a.org")
    try sandbox.once()
    try sandbox.syncd("restore", "a.org")
    #expect(try blame(sandbox).contains("C: 2 remote home"))
    try sandbox.write("text\n", to: "org/b.txt")
    #expect(try sandbox.syncd("blame", "b.txt").status == 2 && sandbox.syncd("blame", "no.org").status == 4)
    #expect(try sandbox.syncd("blame", "a.org::*No").status == 4)
  }

  @Test("what the history does not record is not claimed")
  func unknown() throws {
    let sandbox = try Sandbox()
    // Equal on both sides at the first contact.
    try sandbox.write(["org/a.org": "* A\na\n* B\nb\n", "home/a.org": "* A\na\n* B\nb\n"])
    try sandbox.once()
    #expect(try blame(sandbox) == ["A: 0? unknown", "B: 0? unknown"])
    #expect(try sandbox.syncd("blame", "a.org").text.contains("no recorded change  A"))
    try sandbox.write("* A\na\n* B\nB\n", to: "org/a.org")
    let pass = try sandbox.once().pass
    #expect(try blame(sandbox) == ["A: \(pass)? unknown", "B: \(pass)? unknown"])
  }

  @Test("random edits of both sides are found in their passes", arguments: [1, 2])
  func random(seed: UInt64) throws {
    var generator = SplitMix64(state: seed)
    let sandbox = try Sandbox()
    let count = 12
    var texts = (0..<count).map { "* Entry \($0)\nfirst text of \($0)\n" }
    var expected = (0..<count).map { "Entry \($0): 1 store" }
    try sandbox.write(texts.joined(), to: "org/a.org")
    #expect(try sandbox.once().pass == 1)
    for step in 2...9 {
      var sides = [texts, texts]
      let pass = try #require(try sandbox.syncd("log", "-l", "1").text.firstMatch(of: /pass (\d+)/)).1
      let next = try #require(Int(pass)) + 1
      for entry in 0..<count where Int.random(in: 0..<4, using: &generator) == 0 {
        let side = Int.random(in: 0...1, using: &generator)
        texts[entry] += "more of \(entry) in \(step)\n"
        sides[side][entry] = texts[entry]
        expected[entry] = "Entry \(entry): \(next) \(side == 0 ? "store" : "remote home")"
      }
      try sandbox.write(["org/a.org": sides[0].joined(), "home/a.org": sides[1].joined()])
      try sandbox.settle()
      #expect(sandbox.store["a.org"] == texts.joined())
      #expect(try blame(sandbox) == expected, "seed \(seed), step \(step)")
    }
  }
}
