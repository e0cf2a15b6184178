import OrgKit
import Testing

@Suite("Editing an Org document")
struct OrgEditingTests {
  private static let source = """
    # a comment

    * TODO One                                                          :a:
      SCHEDULED: <2024-05-06 Mon>
      :PROPERTIES:
      :ID:       x
      :END:
    Text.

    ** Child
    * Two
    """

  /// A change to the first entry, and the lines that it removes and adds.
  struct Change: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let apply: @Sendable (inout OrgEntry) throws -> Void
    let removed: [String]
    let added: [String]
  }

  static let changes = [
    Change(
      testDescription: "title", apply: { try $0.setTitle(" Another one ") },
      removed: ["* TODO One                                                          :a:"],
      added: ["* TODO Another one                                                  :a:"]),
    Change(
      testDescription: "keyword", apply: { try $0.setKeyword("DONE") },
      removed: ["* TODO One                                                          :a:"],
      added: ["* DONE One                                                          :a:"]),
    Change(
      testDescription: "no keyword", apply: { try $0.setKeyword(nil) },
      removed: ["* TODO One                                                          :a:"],
      added: ["* One                                                               :a:"]),
    Change(
      testDescription: "priority", apply: { try $0.setPriority("B") },
      removed: ["* TODO One                                                          :a:"],
      added: ["* TODO [#B] One                                                     :a:"]),
    Change(
      testDescription: "tags", apply: { try $0.setTags(["a", "b"]) },
      removed: ["* TODO One                                                          :a:"],
      added: ["* TODO One                                                        :a:b:"]),
    Change(
      testDescription: "no tags", apply: { try $0.setTags([]) },
      removed: ["* TODO One                                                          :a:"], added: ["* TODO One"]),
    Change(
      testDescription: "scheduled", apply: { try $0.setScheduled(OrgTimestamp("<2024-05-07 Tue 09:30>")) },
      removed: ["  SCHEDULED: <2024-05-06 Mon>"], added: ["  SCHEDULED: <2024-05-07 Tue 09:30>"]),
    Change(
      testDescription: "deadline", apply: { try $0.setDeadline(OrgTimestamp(year: 2024, month: 6, day: 1)) },
      removed: ["  SCHEDULED: <2024-05-06 Mon>"],
      added: ["  DEADLINE: <2024-06-01 Sat> SCHEDULED: <2024-05-06 Mon>"]),
    Change(
      testDescription: "no date", apply: { try $0.setScheduled(nil) },
      removed: ["  SCHEDULED: <2024-05-06 Mon>"], added: []),
    Change(
      testDescription: "property", apply: { try $0.setProperty("id", to: "y") }, removed: ["  :ID:       x"],
      added: ["  :ID:       y"]),
    Change(
      testDescription: "new property", apply: { try $0.setProperty("Effort", to: "1:00") }, removed: [],
      added: ["  :Effort:   1:00"]),
    Change(
      testDescription: "last property", apply: { try $0.setProperty("ID", to: nil) },
      removed: ["  :PROPERTIES:", "  :ID:       x", "  :END:"], added: []),
    Change(
      testDescription: "body", apply: { try $0.setBody("New.\n* no entry\n") }, removed: ["Text."],
      added: ["New.", " * no entry"]),
    Change(testDescription: "nothing", apply: { try $0.setTitle("One") }, removed: [], added: []),
  ]

  @Test("an edit changes only its own lines", arguments: changes, ["\n", "\r\n"])
  func change(change: Change, lineEnd: String) throws {
    var document = OrgDocument(
      Self.source.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: lineEnd))
    let before = document.text
    var entry = try #require(document.entries.first)
    try change.apply(&entry)
    document = entry.document
    let difference = lines(document.text, lineEnd).difference(from: lines(before, lineEnd))
    #expect(difference.removals.map(\.line) == change.removed)
    #expect(difference.insertions.map(\.line) == change.added)
  }

  @Test("edits change a document in place")
  func inPlace() throws {
    var document = OrgDocument(Self.source)
    let place = try #require(document.entry(path: ["One", "Child"])).index
    try document[place].setKeyword("NEXT")
    try document[place].setTags(["x"])
    try document[place].setProperty("ID", to: "z")
    try document[place].setClosed(OrgTimestamp("[2024-05-06 Mon 10:00]"))
    #expect(
      document[place].subtree.elementsEqual(
        "** NEXT Child :x:\nCLOSED: [2024-05-06 Mon 10:00]\n:PROPERTIES:\n:ID:       z\n:END:\n".utf8))
  }

  @Test("entries are added, removed and moved, with their levels adapted")
  func structure() throws {
    var document = OrgDocument(Self.source)
    let two = try #require(document.entry(path: ["Two"])).index
    let new = document.append("TODO Three\ntext", below: two)
    #expect(document[new].path == ["Two", "Three"])
    #expect(document[new].body == "text")
    let one = try #require(document.entry(id: "x")).index
    let moved = document.move(one, below: try #require(document.entry(path: ["Two"])).index)
    #expect(document[moved].path == ["Two", "One"])
    #expect(document[moved].children.map(\.level) == [3])
    #expect(document.move(moved, below: document[moved].children[0].index) == moved)
    document.remove(moved)
    #expect(document.text == "# a comment\n* Two\n** TODO Three\ntext\n")
  }

  @Test("text is appended to a file without a final newline")
  func append() {
    var document = OrgDocument("* A")
    document.append("B")
    #expect(document.text == "* A\n* B")
    var empty = OrgDocument("")
    empty.append("B")
    #expect(empty.text == "* B\n")
  }

  @Test(
    "bare headlines can be given every part",
    arguments: [
      ("* ", "* TODO [#A] Title :t:"), ("* COMMENT x", "* TODO [#A] COMMENT Title :t:"),
      ("* :u:", "* TODO [#A] Title :t:"),
      ("* [#C] y", "* TODO [#A] Title :t:"),
    ])
  func bare(line: String, expected: String) throws {
    var entry = try #require(OrgDocument(line).entries.first)
    try entry.setTitle("Title")
    try entry.setTags(["t"])
    try entry.setPriority("A")
    try entry.setKeyword("TODO")
    #expect(entry.document.text == expected)
  }

  private func lines(_ text: String, _ end: String) -> [String] {
    text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { String($0.last == UInt8(ascii: "\r") && end == "\r\n" ? $0.dropLast() : $0) ?? "" }
  }
}

extension CollectionDifference.Change {
  fileprivate var line: ChangeElement {
    switch self {
    case .insert(_, let line, _), .remove(_, let line, _): line
    }
  }
}
