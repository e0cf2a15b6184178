import Foundation
import OrgKit
import ProgramTesting
import SyncKit
import Testing

@testable import BackendOrgMobile

/// Five hundred random edits of fields reach the files of real Emacs unchanged, despite concurrent pushes and pulls, and a
/// phone that is killed.
@Suite(.enabled(if: Desktop.emacs != nil, "*** SKIPPED: Emacs is not installed ***"))
struct RandomTests {
  private static let entries = 60
  private static let rounds = isSoak ? 25 : 4
  private static let edits = 500

  @Test func `five hundred random edits arrive exactly`() async throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("*** random edits with the seed \(seed) ***")
    var random = SplitMix64(state: seed)
    let desktop = try Desktop(["work.org": Self.file])
    try desktop.push("--no-ids")
    let phone = Phone(at: desktop.staging)
    try await phone.sync()
    var count = 0
    for round in 0..<Self.rounds {
      for _ in 0..<Self.edits / Self.rounds {
        var document = OrgDocument(try await phone.text("work.org"))
        count += try Self.edit(&document, &random)
        try await phone.write(document.text, to: "work.org")
      }
      // The phone is killed while it sends, and while Emacs pushes or pulls.
      let life = Life(steps: Int(random.next() % 7) + 1)
      async let dying = phone.reborn(life).sync()
      if round.isMultiple(of: 2) { try desktop.push("--no-ids") } else { _ = try? desktop.pull() }
      _ = try await dying
      let alive = phone.reborn()
      async let sending = alive.sync()
      if !round.isMultiple(of: 2) { try desktop.push("--no-ids") }
      #expect(try await sending.failure == nil)
      try await alive.sync()
      try desktop.pull()
      try desktop.push("--no-ids")
      // A change of both sides may take a second pass.
      var report = try await alive.sync()
      for _ in 0..<2 where report.result != .synced { report = try await alive.sync() }
      let there = OrgDocument(try #require(desktop.read("org/work.org")))
      let here = try await phone.text("work.org")
      #expect(
        here == there.text,
        """
        seed \(seed), round \(round), \(report)
        \(LineDiff(from: Array(here.utf8), to: Array(there.text.utf8)))
        """)
    }
    #expect(count == Self.edits)
    let result = OrgDocument(try #require(desktop.read("org/work.org")))
    #expect(result.entries.count == Self.entries)
    #expect(Self.wanted(result) == result.entries.map { $0[property: "WANTED"] ?? "" }, "seed \(seed)")
    let inbox = desktop.read("org/from-mobile.org") ?? ""
    #expect(!inbox.contains("expected") && !inbox.contains("FAILED"), "seed \(seed): \(inbox.prefix(2000))")
  }

  /// Half of the entries have an ID; the others differ in their titles.
  private static var file: String {
    "#+TITLE: Work\n#+TODO: TODO NEXT | DONE\n"
      + (0..<entries).map { number in
        let id = number.isMultiple(of: 2) ? ":ID: 00000000-0000-4000-8000-\(100_000_000_000 + number)\n" : ""
        return
          "\(number % 3 == 0 ? "*" : "**") Entry \(number)\n:PROPERTIES:\n\(id):NUMBER: \(number)\n:END:\ntext \(number)\n"
      }.joined()
  }

  /// Changes one field of one entry, and records the expected entry in the entry itself.
  private static func edit(_ document: inout OrgDocument, _ random: inout SplitMix64) throws -> Int {
    let entry = document.entries[Int(random.next() % UInt64(entries))].index
    let number = Int(random.next() % 1_000)
    switch random.next() % 5 {
    case 0: try document[entry].setKeyword([nil, "TODO", "NEXT", "DONE"][number % 4])
    case 1:
      let tags = ["a", "b", "c", "d"]
      try document[entry].setTags((0..<number % 4).map { tags[($0 * 3 + number) % 4] })
    case 2: try document[entry].setPriority(["A", "B", "C"][number % 3])
    case 3: try document[entry].setTitle("Entry \(document[entry][property: "NUMBER"] ?? "") renamed \(number)")
    default: try document[entry].setBody("text \(number)\n\n  - with a list\n")
    }
    try document[entry].setProperty("WANTED", to: look(document[entry]))
    return 1
  }

  private static func wanted(_ document: OrgDocument) -> [String] {
    document.entries.map { $0[property: "WANTED"] == nil ? "" : look($0) }
  }

  /// The text of an entry in one line.
  private static func look(_ entry: OrgEntry) -> String {
    let lines = entry.body.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    let parts = [entry.keyword ?? "", entry.priority ?? "", entry.title, entry.tags.joined(separator: ",")]
    return (parts + lines).joined(separator: "/")
  }
}
