import ArgumentParser
import SyncKit
import Testing

@testable import CommandLine

@Suite("Captured entries")
struct CapturedEntryTests {
  private let time = Timestamp(nanoseconds: 1_700_000_000_000_000_000)

  private func lines(_ text: String) throws -> [String] { try CapturedEntry(text, at: time).lines }

  @Test func `the heading is the first line that is not blank, followed by a timestamp`() throws {
    let lines = try lines("\n \nCall Ann\nabout the boat")
    #expect(lines[0] == "* Call Ann" && lines[2] == "about the boat" && lines.count == 3)
    #expect(lines[1].wholeMatch(of: /\[2023-11-1[45] (Tue|Wed) \d\d:\d\d\]/) != nil, "\(lines[1])")
  }

  @Test func `no line of the text begins another entry`() throws {
    #expect(try lines("Call Ann\n* not an entry").last == " * not an entry")
  }

  @Test(arguments: ["", " ", "\n\n"])
  func `an entry without a heading is refused`(text: String) {
    #expect(throws: ValidationError.self) { try lines(text) }
  }

  @Test(arguments: [("", ""), ("old\n", "old\n"), ("old", "old\n")])
  func `an entry begins on a new line`(old: String, expected: String) throws {
    let text = try CapturedEntry("Call Ann", at: time).appended(to: Array(old.utf8))
    #expect(String(decoding: text, as: UTF8.self).hasPrefix(expected + "* Call Ann\n["))
  }

  @Test(arguments: [("a\r\n", "\r\n"), ("a\r\nb", "\r\n"), ("a\r\nb\n", "\n"), ("a\nb\r\n", "\n"), ("\r", "\n")])
  func `an entry has the line ends of the file, and line feeds in a mixed one`(old: String, lineEnd: String) throws {
    let text = try CapturedEntry("Call Ann\nsoon", at: time).appended(to: Array(old.utf8))
    #expect(String(decoding: text, as: UTF8.self).utf8.elementsEqual(text))
    #expect(Array(text.suffix(4 + lineEnd.utf8.count)) == Array("soon\(lineEnd)".utf8))
    #expect(text.firstRange(of: Array("* Call Ann\(lineEnd)[".utf8)) != nil)
  }
}
