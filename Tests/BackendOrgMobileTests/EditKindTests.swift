import OrgKit
import ProgramTesting
import SyncKit
import Testing

@testable import BackendOrgMobile

/// Every kind of edit with an old value that matches, one that is missing, and one that no longer matches.
@Suite struct EditKindTests {
  private static let file = "* TODO [#A] Title :a:b:\ntext\n* Target\n* Last\n"

  /// An edit, the resulting first entry, and whether it depends on the old value.
  struct Case: CustomTestStringConvertible, Sendable {
    var kind: Edit.Kind
    var old: String
    var new: String
    var result: String
    var isGuarded = true

    var testDescription: String { kind.rawValue }
  }

  static let cases = [
    Case(kind: .todo, old: "TODO", new: "DONE", result: "* DONE [#A] Title :a:b:\ntext\n* Target\n* Last\n"),
    Case(kind: .tags, old: ":a:b:", new: ":c:", result: "* TODO [#A] Title :c:\ntext\n* Target\n* Last\n"),
    Case(kind: .priority, old: "A", new: "B", result: "* TODO [#B] Title :a:b:\ntext\n* Target\n* Last\n"),
    Case(kind: .heading, old: "Title", new: "Other", result: "* TODO [#A] Other :a:b:\ntext\n* Target\n* Last\n"),
    Case(kind: .body, old: "text", new: "new\n", result: "* TODO [#A] Title :a:b:\nnew\n* Target\n* Last\n"),
    Case(
      kind: .addheading, old: "", new: "Child", result: "* TODO [#A] Title :a:b:\ntext\n** Child\n* Target\n* Last\n",
      isGuarded: false),
    Case(
      kind: .refile, old: "", new: "olp:work.org:Target", result: "* Target\n** TODO [#A] Title :a:b:\ntext\n* Last\n",
      isGuarded: false),
    Case(kind: .delete, old: "", new: "", result: "* Target\n* Last\n", isGuarded: false),
    Case(kind: .archive, old: "", new: "", result: "* Target\n* Last\n", isGuarded: false),
    Case(
      kind: .archiveSibling, old: "", new: "",
      result: "* Target\n* Last\n* Archive :ARCHIVE:\n** TODO [#A] Title :a:b:\ntext\n", isGuarded: false),
    Case(
      kind: .flag, old: "", new: "look\n",
      result:
        "* TODO [#A] Title :a:b:FLAGGED:\n:PROPERTIES:\n:THEFLAGGINGNOTE: look\\n\n:END:\ntext\n* Target\n* Last\n",
      isGuarded: false),
  ]

  @Test("an edit whose old value matches is applied", arguments: cases)
  func fits(edit: Case) throws {
    #expect(try apply(edit, old: edit.old) == edit.result)
  }

  @Test(
    "an edit whose old value is missing or different changes nothing", arguments: cases, ["", "other"])
  func doesNotFit(edit: Case, old: String) throws {
    guard edit.isGuarded else {
      #expect(try apply(edit, old: old) == edit.result)
      return
    }
    #expect(throws: BackendOrgMobile.OrgFiles.Objection.self) { try apply(edit, old: old) }
  }

  @Test("an edit that was already applied succeeds and changes nothing", arguments: cases.filter(\.isGuarded))
  func isDoneAlready(edit: Case) throws {
    #expect(
      try apply(edit, old: "whatever", to: edit.result, title: edit.kind == .heading ? "Other" : "Title") == edit.result
    )
  }

  private func apply(_ edit: Case, old: String, to file: String = file, title: String = "Title") throws -> String {
    let path = try #require(SyncPath("work.org"))
    var files = OrgFiles([path: Array(file.utf8)], todoLines: ["TODO | DONE"])
    let command = Edit(
      kind: edit.kind, link: .outline(file: path.bytes, path: [Array(title.utf8)]), title: Array(title.utf8),
      old: Array(old.utf8), new: Array(edit.new.utf8))
    // The command in the form of the capture file, and as parsed from it.
    let pieces = CaptureReader(command.bytes).pieces
    guard pieces.count == 1, case .edit(let read, _) = pieces[0] else {
      throw TestFailure("expected an edit, found \(pieces)")
    }
    try files.apply(read)
    return try #require(files[path]).text
  }
}
