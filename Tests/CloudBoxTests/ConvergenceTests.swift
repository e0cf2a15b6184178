import BoxEmulator
import Foundation
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudBox

@Suite("Convergence of two devices over Box")
struct ConvergenceTests {
  @Test(
    "two devices have the same files after random edits, and no line is lost",
    arguments: [#"{"op": "events"}"#, #"{"op": "events", "duplicate": true, "shuffle": true}"#])
  func randomEdits(events: String) async throws {
    let box = try await TestBox()
    try await box.emulator.control(events)
    let seed = UInt64.random(in: 0...(.max))
    var generator = SplitMix64(state: seed)
    let devices = [try await box.device("one", at: "/notes"), try await box.device("two", at: "/notes")]
    var lines: Set<String> = []
    for step in 0..<(isSoak ? 1_000 : 60) {
      let device = devices[Int.random(in: 0...1, using: &generator)]
      let path = ["a.org", "b c.org", "d/e.org", "d/f/g\u{E9}.org"].randomElement(using: &generator) ?? "a.org"
      let line = "line \(step) of \(device.name)\n"
      lines.insert(line)
      try await device.write((try await device.texts()[path] ?? "") + line, to: path)
      if Int.random(in: 0...2, using: &generator) == 0 { try await device.requireHealthyRun("seed \(seed)") }
      if Int.random(in: 0...19, using: &generator) == 0 {
        try await box.emulator.control(#"{"op": "event", "type": "COLLAB_ADD_COLLABORATOR"}"#)
      }
    }
    for device in devices + devices { try await device.requireHealthyRun("seed \(seed)") }
    let texts = try await (devices[0].texts(), devices[1].texts())
    #expect(texts.0 == texts.1, "seed \(seed)")
    let live = Set(texts.0.values.flatMap { $0.split(separator: "\n").map { "\($0)\n" } })
    #expect(lines.subtracting(live) == [], "seed \(seed)")
    for device in devices {
      let quiet = await device.sync()
      #expect(!quiet.didSomething && quiet.result == .synced, "seed \(seed): \(quiet)")
    }
    let there = await box.emulator.texts(below: "/notes").filter { $0.key != ReservedName.marker }
    #expect(there == texts.0, "seed \(seed)")
  }

  @Test("deletions, moves and edits arrive")
  func deletions() async throws {
    let box = try await TestBox()
    let (one, two) = (try await box.device("one", at: "/notes"), try await box.device("two", at: "/notes"))
    for name in ["keep.org", "delete.org", "edit.org", "old/move.org"] { try await one.write("* \(name)\n", to: name) }
    for device in [one, two] { try await device.requireHealthyRun("first") }
    #expect(try await two.texts() == one.texts())
    await one.store.take(try syncPath("delete.org"))
    await one.store.take(try syncPath("old/move.org"))
    try await one.write("* old/move.org\n", to: "new/move.org")
    try await two.write("* edited\n", to: "edit.org")
    for device in [one, two, one] { try await device.requireHealthyRun("second") }
    let expected = ["keep.org": "* keep.org\n", "edit.org": "* edited\n", "new/move.org": "* old/move.org\n"]
    #expect(try await one.texts() == expected)
    #expect(try await two.texts() == expected)
  }

  @Test("a first pass costs one request per file, and a pass over nothing changed is one request")
  func requests() async throws {
    let box = try await TestBox()
    let (one, two) = (try await box.device("one", at: "/notes"), try await box.device("two", at: "/notes"))
    for number in 0..<40 { try await one.write("* note \(number)\n", to: "folder \(number % 3)/\(number).org") }
    try await one.requireHealthyRun("many files")
    let calls = await box.emulator.calls()
    #expect(calls["POST /files/content"] == 41 && calls["POST /folders"] == 4, "\(calls)")
    try await two.requireHealthyRun("many files")
    #expect(try await two.texts() == one.texts())
    for _ in 0..<2 { try await one.requireHealthyRun("preparing") }
    try await box.emulator.control(#"{"op": "recount"}"#)
    try await one.requireHealthyRun("nothing new")
    #expect(await box.emulator.calls() == ["GET /events": 1])
    #expect(await box.emulator.tokenLeaks() == 0, "a token was sent to the host of the contents")
  }

  @Test("of two files whose names Box treats as equal, one is renamed and reported")
  func twins() async throws {
    let box = try await TestBox()
    let one = try await box.device("one", at: "/notes")
    try await one.write("* upper\n", to: "Notes.org")
    try await one.write("* lower\n", to: "notes.org")
    try await one.write("* refused\n", to: "blank ")
    let report = await one.sync()
    let there = await box.emulator.texts(below: "/notes").filter { $0.key != ReservedName.marker }
    #expect(there.count <= 1, "\(there)")
    #expect(report.actions.contains { $0.path.description == "blank " && $0.result == .failed }, "\(report)")
    #expect(try await one.texts()["Notes.org"] == "* upper\n")
    #expect(try await one.texts()["notes.org"] == "* lower\n")
  }
}
