import DropboxEmulator
import Foundation
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudDropbox

@Suite("Convergence of two devices over Dropbox")
struct ConvergenceTests {
  @Test("two devices have the same files after random edits, and no line is lost")
  func randomEdits() async throws {
    let dropbox = try await TestDropbox()
    let seed = UInt64.random(in: 0...(.max))
    var generator = SplitMix64(state: seed)
    let devices = [try await dropbox.device("one", at: "/notes"), try await dropbox.device("two", at: "/notes")]
    var lines: Set<String> = []
    for step in 0..<(isSoak ? 1_000 : 60) {
      let device = devices[Int.random(in: 0...1, using: &generator)]
      let path = ["a.org", "b c.org", "d/e.org", "d/f/g\u{E9}.org"].randomElement(using: &generator) ?? "a.org"
      let line = "line \(step) of \(device.name)\n"
      lines.insert(line)
      try await device.write((try await device.texts()[path] ?? "") + line, to: path)
      if Int.random(in: 0...2, using: &generator) == 0 { try await device.requireHealthyRun("seed \(seed)") }
      if Int.random(in: 0...19, using: &generator) == 0 {
        try await dropbox.emulator.control(#"{"op": "reset_cursors"}"#)
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
    let there = await dropbox.emulator.texts(below: "/notes").filter { $0.key != ".syncd-root" }
    #expect(there == texts.0, "seed \(seed)")
  }

  @Test("deletions, moves and edits arrive")
  func deletions() async throws {
    let dropbox = try await TestDropbox()
    let (one, two) = (try await dropbox.device("one", at: "/notes"), try await dropbox.device("two", at: "/notes"))
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

  @Test("many new files and many deletions need few calls")
  func manyFiles() async throws {
    let dropbox = try await TestDropbox()
    let (one, two) = (try await dropbox.device("one", at: "/notes"), try await dropbox.device("two", at: "/notes"))
    for number in 0..<250 { try await one.write("* note \(number)\n", to: "folder \(number % 7)/\(number).org") }
    try await one.requireHealthyRun("many files")
    let calls = await dropbox.emulator.calls()
    #expect(calls["files/upload", default: 0] <= 2, "one by one: \(calls)")
    #expect(calls.values.reduce(0, +) < 30, "\(calls)")
    try await two.requireHealthyRun("many files")
    #expect(try await two.texts() == one.texts())
    try await dropbox.emulator.control(#"{"op": "recount"}"#)
    for number in 0..<50 { await one.store.take(try syncPath("folder \(number % 7)/\(number).org")) }
    try await one.requireHealthyRun("many deletions")
    #expect(await dropbox.emulator.calls()["files/delete_v2"] == nil)
    try await two.requireHealthyRun("many deletions")
    #expect(try await two.texts().count == 200)
  }

  @Test("of two files whose names Dropbox treats as equal, one is renamed and reported")
  func twins() async throws {
    let dropbox = try await TestDropbox()
    let one = try await dropbox.device("one", at: "/notes")
    try await one.write("* upper\n", to: "Notes.org")
    try await one.write("* lower\n", to: "notes.org")
    try await one.write("* decomposed\n", to: "cafe\u{301}.org")
    try await one.write("* refused\n", to: "desktop.ini")
    let report = await one.sync()
    let there = await dropbox.emulator.texts(below: "/notes").filter { $0.key != ".syncd-root" }
    #expect(there.count <= 1, "\(there)")
    #expect(report.actions.contains { $0.path.description == "desktop.ini" && $0.result == .failed }, "\(report)")
    #expect(try await one.texts()["Notes.org"] == "* upper\n")
    #expect(try await one.texts()["notes.org"] == "* lower\n")
  }
}
