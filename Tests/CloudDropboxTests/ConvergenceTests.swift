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
    try await dropbox.requireConvergence(steps: isSoak ? 1_000 : 60, disturbance: #"{"op": "reset_cursors"}"#)
  }

  @Test("deletions, moves and edits arrive")
  func deletions() async throws {
    let dropbox = try await TestDropbox()
    try await dropbox.requireDeletionsArrive(at: "/notes")
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
