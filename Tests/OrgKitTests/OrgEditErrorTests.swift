import OrgKit
import Testing

@Suite("Edits that Org would read differently")
struct OrgEditErrorTests {
  struct Refusal: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var source = "* TODO [#A] Title :a:\n:PROPERTIES:\n:ID: x\n:END:\nText.\n"
    let apply: @Sendable (inout OrgEntry) throws -> Void
    let reason: OrgEditError.Reason
  }

  static let refusals = [
    Refusal(
      testDescription: "an undeclared keyword", apply: { try $0.setKeyword("not a state") },
      reason: .undeclaredKeyword(declared: ["TODO", "NEXT", "WAITING", "DONE", "CANCELLED"])),
    Refusal(
      testDescription: "a keyword of another file", source: "#+TODO: OPEN | CLOSED\n* A\n",
      apply: { try $0.setKeyword("TODO") }, reason: .undeclaredKeyword(declared: ["OPEN", "CLOSED"])),
    Refusal(
      testDescription: "no keyword above a title that begins with one", source: "* TODO DONE x\n",
      apply: { try $0.setKeyword(nil) }, reason: .readsDifferently),
    Refusal(testDescription: "a priority of words", apply: { try $0.setPriority("high") }, reason: .notAPriority),
    Refusal(testDescription: "a priority out of range", apply: { try $0.setPriority("65") }, reason: .notAPriority),
    Refusal(testDescription: "an empty priority", apply: { try $0.setPriority("") }, reason: .notAPriority),
    Refusal(
      testDescription: "no priority before another one", source: "* [#A] [#B] x\n", apply: { try $0.setPriority(nil) },
      reason: .readsDifferently),
    Refusal(
      testDescription: "a title that ends in a tag", source: "* A\n", apply: { try $0.setTitle("B :x:") },
      reason: .readsDifferently),
    Refusal(
      testDescription: "a title that begins with a keyword", source: "* A\n", apply: { try $0.setTitle("TODO B") },
      reason: .readsDifferently),
    Refusal(
      testDescription: "a title that begins with a priority", source: "* A\n", apply: { try $0.setTitle("[#B] B") },
      reason: .readsDifferently),
    Refusal(
      testDescription: "a title that begins with COMMENT", apply: { try $0.setTitle("COMMENT B") },
      reason: .readsDifferently),
    Refusal(testDescription: "a title of 2 lines", apply: { try $0.setTitle("A\nB") }, reason: .controlCharacter),
    Refusal(testDescription: "a title with NUL", apply: { try $0.setTitle("A\0B") }, reason: .controlCharacter),
    Refusal(
      testDescription: "no tags behind a title that ends in one", source: "* A :b: :c:\n",
      apply: { try $0.setTags([]) },
      reason: .readsDifferently),
    Refusal(
      testDescription: "no COMMENT before another one", source: "* COMMENT COMMENT x\n",
      apply: { try $0.setComment(false) }, reason: .readsDifferently),
    Refusal(testDescription: "a tag of words", apply: { try $0.setTags(["a", "b c"]) }, reason: .notATag("b c")),
    Refusal(testDescription: "a tag with a hyphen", apply: { try $0.setTags(["a-b"]) }, reason: .notATag("a-b")),
    Refusal(testDescription: "an empty tag", apply: { try $0.setTags([""]) }, reason: .notATag("")),
    Refusal(
      testDescription: "31 February", apply: { try $0.setScheduled(OrgTimestamp(year: 2024, month: 2, day: 31)) },
      reason: .notATimestamp),
    Refusal(
      testDescription: "29 February of another year",
      apply: { try $0.setDeadline(OrgTimestamp(year: 2100, month: 2, day: 29)) }, reason: .notATimestamp),
    Refusal(
      testDescription: "a month too many", apply: { try $0.setClosed(OrgTimestamp(year: 2024, month: 13, day: 1)) },
      reason: .notATimestamp),
    Refusal(
      testDescription: "a year beyond all calendars",
      apply: { try $0.setClosed(OrgTimestamp(year: .max, month: .min, day: 1)) }, reason: .notATimestamp),
    Refusal(
      testDescription: "half past 24",
      apply: { try $0.setScheduled(OrgTimestamp(year: 2024, month: 2, day: 1, time: .init(hour: 24, minute: 30))) },
      reason: .notATimestamp),
    Refusal(
      testDescription: "a malformed repeater",
      apply: { entry in
        var date = OrgTimestamp(year: 2024, month: 2, day: 1)
        date.repeater = "each week>"
        try entry.setScheduled(date)
      }, reason: .notATimestamp),
    Refusal(testDescription: "a key of words", apply: { try $0.setProperty("a b", to: "c") }, reason: .notAKey),
    Refusal(testDescription: "no key", apply: { try $0.setProperty("", to: "c") }, reason: .notAKey),
    Refusal(testDescription: "a key of 2 lines", apply: { try $0.setProperty("a\nb", to: "c") }, reason: .notAKey),
    Refusal(testDescription: "the key END", apply: { try $0.setProperty("end", to: "c") }, reason: .notAKey),
    Refusal(
      testDescription: "a value of 2 lines", apply: { try $0.setProperty("ID", to: "a\n:END:") },
      reason: .controlCharacter),
    Refusal(
      testDescription: "a text that begins with properties", source: "* A\n",
      apply: { try $0.setBody(":PROPERTIES:\n:ID: y\n:END:") }, reason: .readsDifferently),
    Refusal(
      testDescription: "a text that begins with dates", source: "* A\n",
      apply: { try $0.setBody("SCHEDULED: <2024-05-06 Mon>") }, reason: .readsDifferently),
    Refusal(
      testDescription: "no dates above a text that begins with some",
      source: "* A\nDEADLINE: <2024-05-06 Mon>\nCLOSED: x\n",
      apply: { try $0.setDeadline(nil) }, reason: .readsDifferently),
  ]

  @Test("an edit that Org would read differently is refused and changes nothing", arguments: refusals)
  func refuses(_ refusal: Refusal) throws {
    var document = OrgDocument(refusal.source)
    let place = try #require(document.entries.first).index
    let error = #expect(throws: OrgEditError.self) { try refusal.apply(&document[place]) }
    #expect(error?.reason == refusal.reason)
    #expect(document.text == refusal.source)
    let other = document.append("* Other")
    #expect(throws: OrgEditError.self) {
      try document.edit { edits in
        try edits[other].setTitle("Another")
        try refusal.apply(&edits[place])
      }
    }
    #expect(document.text == refusal.source + "* Other\n")
  }

  @Test("an error says what failed, why, and what to do")
  func message() throws {
    var entry = try #require(OrgDocument("* A\n").entries.first)
    let error = #expect(throws: OrgEditError.self) { try entry.setTags(["a b"]) }
    #expect(error?.description == "Cannot set the tags to \"a b\": \"a b\" is not a tag; use letters, digits and _@#%")
  }

  @Test("many edits at once have the result of single edits", arguments: ["\n", "\r\n"], [0, 1, 2, 3])
  func batch(lineEnd: String, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let source = (0..<40).map { "* TODO Entry \($0) :t:\(lineEnd)\(lineEnd)text \($0)\(lineEnd)** Child\(lineEnd)" }
    var single = OrgDocument(source.joined() + "* Last")
    var batch = single
    try batch.edit { edits in
      for number in 0..<200 {
        let place = try #require(edits.document.entries.randomElement(using: &random)).index
        try Self.edit(&edits[place], number)
        try Self.edit(&single[place], number)
        #expect(edits[place].bytes == single[place].bytes)
      }
      #expect(edits.document.entries.count == single.entries.count)
    }
    #expect(batch == single)
  }

  private static func edit(_ entry: inout OrgEntry, _ number: Int) throws(OrgEditError) {
    switch number % 9 {
    case 0: try entry.setTitle("Title \(number)")
    case 1: try entry.setKeyword(entry.keyword == "DONE" ? nil : "DONE")
    case 2: try entry.setTags(["a", "b\(number)"])
    case 3: try entry.setDeadline(OrgTimestamp(year: 2024, month: 5, day: number % 28 + 1))
    case 4: try entry.setProperty("N", to: "\(number)")
    case 5: try entry.setBody("one\n\ntwo \(number)\n")
    case 6: try entry.setComment(!entry.isComment)
    case 7: try entry.setPriority("B")
    default: entry.content = Array("raw \(number)".utf8)
    }
  }
}
