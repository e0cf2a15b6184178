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
    try await box.requireConvergence(
      steps: isSoak ? 1_000 : 60, disturbance: #"{"op": "event", "type": "COLLAB_ADD_COLLABORATOR"}"#)
  }

  @Test("deletions, moves and edits arrive")
  func deletions() async throws {
    let box = try await TestBox()
    try await box.requireDeletionsArrive(at: "/notes")
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
