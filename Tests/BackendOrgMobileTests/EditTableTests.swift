import Foundation
import OrgKit
import ProgramTesting
import SyncKit
import Testing

@testable import BackendOrgMobile

/// One capture file with every kind of edit, with an old value that matches, is missing, or differs: real Emacs pulls it, our
/// desktop applies it, and the resulting files must be equal, as must the rejected edits in the inbox and the reasons.
@Suite(.enabled(if: Desktop.emacs != nil, "*** SKIPPED: Emacs is not installed ***"))
struct EditTableTests {
  /// An edit of the first entry of a separate file, or of the entry that `link` refers to.
  struct Case {
    var kind: String
    var old: String?
    var new: String?
    var link = "olp:FILE:Title"
    var file = Self.usual
    /// The text of the capture file, instead of all that.
    var text: String?

    static let usual = """
      #+TITLE: A file
      #+TODO: TODO NEXT | DONE CANCELLED
      * TODO [#A] Title :a:b:
      text
      ** Child
      * Target
      ** Last [1/2]
      * Twin
      * twin
      * With ID
      :PROPERTIES:
      :ID:       ID-FILE
      :END:

      """

    /// The part of the capture file, if the file has this name.
    func capture(_ name: String) -> String {
      if let text { return text.replacing("FILE", with: name) }
      func part(_ title: String, _ value: String?) -> String { value.map { "** \(title) value\n\($0)\n" } ?? "" }
      let head = "* F(\(kind)) [[\(link.replacing("FILE", with: name))][Title]]\n"
      return head + part("Old", old) + part("New", new?.replacing("FILE", with: name)) + "** End of edit\n"
    }
  }

  /// The kinds of the specification, the matching value and the new one.
  private static let kinds: [(kind: String, old: String, new: String)] = [
    ("edit:todo", "TODO", "NEXT"), ("edit:todo", "TODO", "DONE"), ("edit:todo", "TODO", ""),
    ("edit:todostate", "TODO", "CANCELLED"), ("edit:todo", "TODO", "DONEARCHIVE"), ("edit:tags", ":a:b:", ":a:b:c:"),
    ("edit:tags", "a:b", "x:y"), ("edit:tags", ":a:b:", ""), ("edit:priority", "A", "B"),
    ("edit:heading", "Title", "Other"),
    ("edit:body", "text", "new text\nof two lines"), ("edit:addheading", "", "TODO New child :x:\nwith text"),
    ("edit:refile", "", "olp:FILE:Target"), ("edit:delete", "", ""), ("edit:archive", "", ""),
    ("edit:archive-sibling", "", ""),
  ]

  private static let others = [
    // Existing values, and impossible ones.
    Case(kind: "edit:todo", old: "NEXT", new: "TODO"), Case(kind: "edit:todo", old: "TODO", new: "NONSENSE"),
    Case(kind: "edit:todo", old: "TODO", new: "next"), Case(kind: "edit:tags", old: "x", new: "a:b"),
    Case(kind: "edit:tags", old: "a:b", new: "b:c"), Case(kind: "edit:tags", old: "a:b", new: "a"),
    Case(kind: "edit:priority", old: "B", new: "A"), Case(kind: "edit:priority", old: "A", new: "c"),
    Case(kind: "edit:priority", old: "A", new: "Z"), Case(kind: "edit:heading", old: "x", new: "Title"),
    Case(kind: "edit:heading", old: "title", new: "Other"), Case(kind: "edit:heading", old: "Title", new: ""),
    Case(kind: "edit:heading", old: "Title", new: "Other :new:"),
    Case(kind: "edit:heading", old: "Title", new: "TODO Other"),
    Case(kind: "edit:heading", old: "Last [1/2]", new: "Last one [1/2]", link: "olp:FILE:target/LAST"),
    Case(kind: "edit:heading", old: "Target", new: "Other\nsecond line", link: "olp:FILE:Target"),
    Case(kind: "edit:body", old: "  text  \n\n", new: "new"), Case(kind: "edit:body", old: "x", new: "text"),
    Case(kind: "edit:body", old: "", new: "new", link: "olp:FILE:Target"),
    Case(kind: "edit:body", new: "new", link: "olp:FILE:Target"),
    Case(kind: "edit:body", old: "text", new: "new\n:DRAWER:\nx\n:END:\n\n"),
    Case(
      kind: "edit:body", old: ":PROPERTIES:\n:ID: ID-FILE\n:END:", new: "SCHEDULED: <2026-03-01 Sun>\n",
      link: "olp:FILE:With ID"),
    Case(kind: "edit:addheading", new: "At the end", link: "olp:FILE"),
    Case(kind: "edit:addheading", new: "", link: "olp:FILE:Twin"),
    Case(kind: "edit:addheading", new: "New", link: "olp:FILE:Target/Last"),
    Case(kind: "edit:refile", new: "olp:FILE"), Case(kind: "edit:refile", new: "olp:FILE:Nowhere"),
    Case(kind: "edit:refile", new: "id:ID-FILE"),
    Case(kind: "edit:refile", new: "olp:FILE:Title", link: "olp:FILE:Target"),
    // Links.
    Case(kind: "edit:todo", old: "", new: "DONE", link: "id:ID-FILE"),
    Case(kind: "edit:todo", new: "DONE", link: "id:nobody"),
    Case(kind: "edit:todo", new: "DONE", link: "olp:FILE:Twin"),
    Case(kind: "edit:todo", new: "DONE", link: "olp:FILE:Nowhere"),
    Case(kind: "edit:todo", old: "TODO", new: "DONE", link: "olp:FILE:title"),
    Case(kind: "edit:todo", new: "DONE", link: "olp:FILE:Title/Child/"),
    Case(kind: "edit:todo", new: "DONE", link: "olp:FILE:%54itle/Child"),
    Case(kind: "edit:delete", link: "olp:FILE:Nowhere"), Case(kind: "edit:archive", link: "id:nobody"),
    // Forms of the command.
    Case(kind: "edit:nonsense", old: "TODO", new: "DONE"), Case(kind: "edit", old: "TODO", new: "DONE"),
    Case(kind: "nonsense", old: "TODO", new: "DONE"), Case(kind: "EDIT:todo", old: "TODO", new: "DONE"),
    Case(kind: "", text: "* F() [[olp:FILE:Title][Title]]\nlook at this\n** and this\n"),
    Case(kind: "", text: "* F() [[olp:FILE:Title]]\n"), Case(kind: "", text: "* F(:x) [[id:ID-FILE]]\n\nnote\n"),
    Case(
      kind: "",
      text:
        "* A capture\nwith text\n** F(edit:todo) [[olp:FILE:Title][Title]]\n*** Old value\nTODO\n*** New value\nDONE\n"),
    Case(kind: "", text: "*   f(edit:todo)\t[[olp:FILE:Title\n** New value\nDONE\n* F(edit:todo)[[olp:FILE:Title]]\n"),
    Case(kind: "", text: "* F(edit:todo) [[olp:FILE:Title]]\n** New value\nDONE\n** Old value\nTODO\n"),
    Case(kind: "", text: "* TODO F(edit:todo) [[olp:FILE:Title]]\n** Old value\nTODO\n** New value\nDONE\n"),
    Case(
      kind: "", text: "* Captured\n[2026-01-14 Wed 08:01]\nrest\n** Note ID: 8D0C2F6E-0000-4000-8000-00000000000A\n"),
  ]

  static let cases: [Case] =
    kinds.flatMap { kind, old, new in
      [
        Case(kind: kind, old: old, new: new), Case(kind: kind, old: nil, new: new), Case(kind: kind, old: "", new: new),
        Case(kind: kind, old: kind == "edit:tags" ? ":z:" : "changed", new: new),
      ]
    } + others

  @Test func `our desktop applies a capture file as Emacs does`() throws {
    var files = Dictionary(
      uniqueKeysWithValues: Self.cases.enumerated().map { number, edit in
        ("case\(number).org", edit.file.replacing("FILE", with: "case\(number).org"))
      })
    let change = try Self.phonesChange()
    files["\(change.path)"] = change.old?.string
    let desktop = try Desktop(files)
    let requests = EditPlan([change], EditPlan.Options(todoLines: ["TODO | DONE"], device: "phone")).requests
    let capture = Self.cases.enumerated().map { $1.capture("case\($0).org") }.joined() + requests.map(\.string).joined()
    try desktop.write(capture, to: "staging/mobileorg.org")
    try desktop.write("", to: "staging/checksums.dat")
    let report = try desktop.pull("--now", "2026-01-15 09:00:00")
    #expect(report.contains { $0.hasPrefix("counts: ") }, "\(report)")

    let inbox = try #require(SyncPath("from-mobile.org"))
    let staged = try Dictionary(uniqueKeysWithValues: files.map { (try #require(SyncPath($0)), Array($1.utf8)) })
    let intake = Intake(
      Array(capture.utf8), staged: staged, inbox: inbox, todoLines: ["TODO | DONE"], known: [],
      time: "2026-01-15 09:00:00")
    for (path, old) in staged.sorted(by: { $0.key < $1.key }) {
      let theirs = OrgDocument(try #require(desktop.bytes("org/\(path)")), todoKeywords: ["TODO DONE"])
      let ours = OrgDocument(intake.files[path]?.new ?? old, todoKeywords: ["TODO DONE"])
      #expect(EffectTests.outline(ours) == EffectTests.outline(theirs), "\(Self.edit(path))")
      let archive = try #require(SyncPath("\(path)_archive"))
      let archived = [intake.files[archive]?.new, desktop.bytes("org/\(archive)")].map { text in
        OrgDocument(text ?? []).entries.map(\.title)
      }
      #expect(archived[0] == archived[1], "\(Self.edit(path))")
    }
    #expect(
      intake.files[inbox]?.new.string.split(separator: "\n")
        == desktop.read("org/from-mobile.org")?.split(separator: "\n"))
    // All of the phone's own changes were applied.
    let result = OrgDocument(try #require(desktop.read("org/\(change.path)")))
    #expect(MobileTests.sorted(result) == MobileTests.sorted(OrgDocument(change.new)))
  }

  private static func edit(_ path: SyncPath) -> String {
    guard let number = Int("\(path)".dropFirst(4).prefix { $0.isNumber }) else { return "\(path)" }
    return "\(path): " + cases[number].capture("\(path)")
  }

  /// Changes of every kind that our phone finds edits for.
  private static func phonesChange() throws -> EditPlan.Change {
    var document = OrgDocument(MobileTests.work)
    let old = document.bytes
    try document[document.place("Write the report")].setKeyword("DONE")
    try document[document.place("Write the report")].setTags(["c", "a", "b"])
    try document[document.place("Write the report")].setBody("  Another line")
    try document[document.place("Priority")].setPriority("A")
    try document[document.place("Rename me")].setTitle("Renamed: a/b [50%] 50%ab")
    try document[document.place("Child one")].setKeyword("NEXT")
    try document[document.place("Child two")].setScheduled(OrgTimestamp("<2026-03-01 Sun>"))
    document.append("* TODO New child :x:\nwith text", below: try document.place("Target"))
    document.move(try document.place("Moves"), below: try document.place("Target"))
    document.remove(try document.place("Goes away"))
    return EditPlan.Change(path: try #require(SyncPath("phone.org")), old: old, new: document.bytes)
  }
}
