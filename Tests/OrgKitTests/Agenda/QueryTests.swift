import OrgKit
import Testing

/// Which entries a query or a match selects.
@Suite struct QueryTests {
  private static let text = """
    #+TODO: TODO NEXT | DONE
    #+FILETAGS: :file:
    #+TAGS: [ GTD : Control ]
    * TODO [#A] Alpha :work:
    SCHEDULED: <2026-03-09 Mon> DEADLINE: <2026-03-20 Fri>
    :PROPERTIES:
    :num: 12
    :COORDINATES: 48.2082,16.3738
    :END:
    Body with straße.
    ** NEXT Beta :home:
    DEADLINE: <2026-03-11 Wed>
    * DONE Gamma :Control:
    CLOSED: [2026-03-10 Tue 09:00]
    :PROPERTIES:
    :BEFORE: Go to town
    :END:
    * Delta
    <2026-03-12 Thu>
    CLOCK example.com

    """

  private func titles(_ query: String) throws -> [String] {
    let set = OrgFileSet(["gtd/notes.org": Array(Self.text.utf8)])
    let folder = OrgFolder(set, [:])
    return try OrgQuery(query).select(
      Array(folder.items.joined()), now: OrgMoment(year: 2026, month: 3, day: 10, hour: 14), groups: folder.groups,
      text: folder.text
    ).map(\.title)
  }

  private static let queries: [(String, [String])] = [
    ("", ["Alpha", "Beta", "Gamma", "Delta"]),
    ("i.next", ["Beta"]), (".i.next it.todo", ["Alpha"]), ("it.done", ["Gamma"]), ("it.none", ["Delta"]),
    ("i.todo or i.next", ["Alpha", "Beta"]), ("(i.todo or i.done) t.work", ["Alpha"]),
    (".(it.todo)", ["Gamma", "Delta"]),
    ("t.work", ["Alpha", "Beta"]), ("tn.work", ["Alpha"]), ("t.file", ["Alpha", "Beta", "Gamma", "Delta"]),
    ("b.notes", ["Alpha", "Beta", "Gamma", "Delta"]), ("file.*.org p.a", ["Alpha"]),
    ("p.b", ["Beta", "Gamma", "Delta"]),
    ("ps.b", []), ("s.today", ["Alpha"]), ("s.eq.today", []), ("d.le.1d", ["Beta"]), ("d.gt.1d", ["Alpha"]),
    ("d.none", ["Gamma", "Delta"]), ("d.ne.none", ["Alpha", "Beta"]), ("c.today", ["Gamma"]), ("e.2d", ["Delta"]),
    ("prop.num", ["Alpha"]), ("prop.num.12", ["Alpha"]), ("prop.num.13", []),
    ("near.48.2,16.37,2km", ["Alpha"]), ("near.50,16,2km", []), ("before.\"go to town\"", ["Gamma"]),
    ("straße", ["Alpha"]), ("\"example.com\"", ["Delta"]), ("path.alpha", ["Alpha", "Beta"]),
    ("it.todo o.d", ["Beta", "Alpha"]), ("it.todo .o.d", ["Alpha", "Beta"]),
    ("todo:NEXT", ["Beta"]), ("tags:work heading:alp", ["Alpha"]), ("deadline:to=1", ["Beta"]),
    ("priority:A", ["Alpha"]),
    ("match:work-home", ["Alpha"]), ("match:GTD", ["Gamma"]), ("match:\"num>5\"", ["Alpha"]),
    ("match:BEFORE=\"Go to town\"", ["Gamma"]), ("match:+work+TODO=\"NEXT\"", ["Beta"]),
    (".match:TODO=\"NEXT\" tn.work", ["Alpha"]),
    ("(match:TODO=\"NEXT\")", ["Beta"]), ("match:DEADLINE<\"<2026-03-12>\" it.todo", ["Beta"]), ("match:num=\"1\"", []),
    ("match:\"BEFORE=\\\"Go to town\\\"\"", ["Gamma"]), ("match:ITEM={^\\(Al\\|De\\)} t.work", ["Alpha"]),
    ("match:ITEM={a m}", []), ("match:\"work/NEXT\"", ["Beta"]),
  ]

  @Test("a query selects by Orgzly's words, org-ql's spellings and Org's matches", arguments: queries)
  func select(query: String, expected: [String]) throws {
    #expect(try titles(query) == expected)
  }

  @Test(
    "an unknown operator is an error with its column",
    arguments: [("i.todo x.y", 8), ("foo:bar", 1), ("s.soon", 1), ("(t.a", 5), ("o.x", 1)])
  func unknown(query: String, column: Int) {
    #expect { try titles(query) } throws: { ($0 as? OrgQueryError)?.column == column }
  }

  /// Matches in Org's syntax; recorded from Org 9.5.
  private static let matches: [(String, [String])] = [
    ("work", ["Alpha", "Beta"]), ("work-home", ["Alpha"]), ("{^[wh]}-home", ["Alpha"]), ("GTD", ["Gamma"]),
    ("work|Control", ["Alpha", "Beta", "Gamma"]), ("LEVEL=2", ["Beta"]), ("PRIORITY=\"A\"", ["Alpha"]),
    ("num>5", ["Alpha"]),
    ("num=\"12\"", ["Alpha"]), ("/NEXT|DONE", ["Beta", "Gamma"]), ("/!-NEXT", ["Alpha"]), ("TODO=\"\"", ["Delta"]),
    ("DEADLINE<\"<2026-03-12>\"", ["Beta"]), ("DEADLINE<\"<+1w>\"", ["Beta"]), ("CLOSED>\"<today>\"", ["Gamma"]),
    ("ITEM={eta}", ["Beta"]), ("+work+LEVEL<2", ["Alpha"]),
  ]

  @Test("a match selects as in Emacs", arguments: matches)
  func match(match: String, expected: [String]) throws {
    let folder = OrgFolder(OrgFileSet(["notes.org": Array(Self.text.utf8)]), [:])
    let now = OrgMoment(year: 2026, month: 3, day: 10, hour: 14)
    let matcher = try OrgMatcher(match, groups: folder.groups, now: now)
    #expect(folder.items.joined().filter(matcher.selects).map(\.title) == expected)
  }

  @Test("a link leads to its target, name, headline, property or line")
  func links() throws {
    let notes =
      "* A\n:PROPERTIES:\n:CUSTOM_ID: sec\n:END:\n<<target>> here\n#+name: tab\n| 1 |\n* B\n:PROPERTIES:\n:ID: b1\n:END:\n"
    let folder = OrgFolder(
      OrgFileSet(["notes.org": Array(notes.utf8), "sub/other.org": Array("* X\n** Y\n".utf8)]), [:])
    let lines = try [
      "*B", "#sec", "target", "id:b1", "tab", "B", "file:sub/other.org::*Y", "file:sub/other.org::2", "[[tab][x]]",
    ].map {
      try folder.target(of: OrgLink($0), from: "notes.org").line
    }
    #expect(lines == [8, 1, 5, 8, 6, 8, 2, 2, 6])
    #expect(throws: Refusal.self) { try folder.target(of: OrgLink("*Missing"), from: "notes.org") }
    #expect(OrgLink("bug:12", abbreviations: ["bug": "https://x.org/%s/"]).kind == .external("https://x.org/12/"))
  }
}
