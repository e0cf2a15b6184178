import ArgumentParser
import SyncKit
import Testing

@testable import CommandLine

@Suite("A captured entry")
struct CapturedEntryTests {
  private let time = Timestamp(nanoseconds: 1_700_000_000_000_000_000)

  private func lines(_ text: String) throws -> [String] { try CapturedEntry(text, at: time).lines }

  @Test func `has the first line that is not blank as its heading, and a timestamp`() throws {
    let lines = try lines("\n \nCall Ann\nabout the boat")
    #expect(lines[0] == "* Call Ann" && lines[2] == "about the boat" && lines.count == 3)
    #expect(lines[1].wholeMatch(of: /\[2023-11-1[45] (Tue|Wed) \d\d:\d\d\]/) != nil, "\(lines[1])")
  }

  @Test func `has no line that begins another entry`() throws {
    #expect(try lines("Call Ann\n* not an entry").last == " * not an entry")
  }

  @Test(arguments: ["", " ", "\n\n"])
  func `needs a heading`(text: String) { #expect(throws: ValidationError.self) { try lines(text) } }

  @Test(arguments: [("", ""), ("old\n", "old\n"), ("old", "old\n")])
  func `begins on a line of its own`(old: String, expected: String) throws {
    let text = try CapturedEntry("Call Ann", at: time).appended(to: Array(old.utf8))
    #expect(String(decoding: text, as: UTF8.self).hasPrefix(expected + "* Call Ann\n["))
  }
}
