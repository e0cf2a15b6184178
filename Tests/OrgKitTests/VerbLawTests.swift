import OrgKit
import Testing

/// What holds for every verb, whatever Org does in detail.
@Suite("Laws of verbs") struct VerbLawTests {
  private static let text = """
    #+title: Notes
    * Project [0/2] :work:
    ** TODO [#B] Paint   :home:
    SCHEDULED: <2026-03-09 Mon +1w>
    :PROPERTIES:
    :ID:       p1
    :END:
    - [ ] blue
    - [X] red
    ** TODO Plumber
    * Other

    """

  private func context(_ settings: OrgSettings = [:], notes: [OrgNote] = []) -> OrgContext {
    OrgContext(
      now: OrgMoment(year: 2026, month: 3, day: 10, hour: 14, minute: 30), settings: settings, notes: notes
    ) { "new" }
  }

  private func files(_ text: String = text) -> OrgFileSet {
    OrgFileSet(["a.org": Array(text.utf8), "b.org": Array("* B\n".utf8)])
  }

  private func text(_ files: inout OrgFileSet, _ path: String = "a.org") -> String {
    String(decoding: files[path] ?? [], as: UTF8.self)
  }

  private let paint = OrgPlace(file: "a.org", entry: .id("p1"))

  @Test(
    "a refusal changes nothing",
    arguments: [
      OrgVerb.todo(.state("LATER")), .priority(.set("Z")), .note, .tags(.set(["a b"])), .checkbox(.toggle),
      .refile(OrgRefile(to: .named("nowhere"))), .clockOut(), .move(by: 5), .insertItem("x"),
      .capture(OrgCapture(key: "x")),
      .schedule(.delay),
    ])
  func refusals(verb: OrgVerb) throws {
    var set = files()
    let place = verb == .checkbox(.toggle) ? OrgPlace(file: "a.org", entry: .path(["Other"])) : paint
    #expect(throws: Refusal.self) { try apply(verb, to: place, in: &set, context()) }
    #expect(set.changed.isEmpty && text(&set) == Self.text)
  }

  @Test("bytes outside the entry and the cookies of its parents stay")
  func untouched() throws {
    var set = files()
    _ = try apply(.tags(.change(add: ["x"], remove: [])), to: paint, in: &set, context())
    let (old, new) = (Self.text.split(separator: "\n"), text(&set).split(separator: "\n"))
    #expect(old.count == new.count)
    #expect(zip(old, new).filter { $0 != $1 }.count == 1)
    #expect(set.changed == ["a.org"])
  }

  @Test("refile there and back gives the old bytes")
  func refile() throws {
    var set = files()
    let plumber = OrgPlace(file: "a.org", entry: .path(["Project", "Plumber"]))
    _ = try apply(
      .refile(OrgRefile(to: .place(OrgPlace(file: "b.org", entry: .first)))), to: plumber, in: &set, context())
    #expect(text(&set, "b.org") == "* B\n** TODO Plumber\n")
    let back = OrgPlace(file: "b.org", entry: .path(["B", "Plumber"]))
    _ = try apply(
      .refile(OrgRefile(to: .place(OrgPlace(file: "a.org", entry: .path(["Project"]))))), to: back, in: &set, context())
    #expect(text(&set) == Self.text && text(&set, "b.org") == "* B\n")
  }

  @Test("a copy gets a new ID, and the original keeps its own")
  func copy() throws {
    var set = files()
    let target = OrgPlace(file: "b.org", entry: .first)
    _ = try apply(.refile(OrgRefile(to: .place(target), isCopy: true)), to: paint, in: &set, context())
    #expect(text(&set) == Self.text)
    #expect(text(&set, "b.org").contains(":ID:       new"))
  }

  @Test("a date tree has no blank lines unless the file has them")
  func dateTree() throws {
    var set = files("* 2025\n** 2025-12 December\n*** 2025-12-31 Wednesday\n")
    let day = OrgDay(year: 2026, month: 3, day: 10)
    _ = try apply(.dateTree(day, text: "x"), to: OrgPlace(file: "a.org", entry: .preamble), in: &set, context())
    #expect(text(&set).hasSuffix("Wednesday\n* 2026\n** 2026-03 March\n*** 2026-03-10 Tuesday\nx\n"))
  }

  @Test("a template with Lisp code is refused, and names the line")
  func lisp() throws {
    var set = files()
    let settings: OrgSettings = [
      "org-capture-templates": [
        ["t", "T", .symbol("entry"), [.symbol("file"), "b.org"], "* %(shell-command \"x\") %?"]
      ]
    ]
    let refusal = #expect(throws: Refusal.self) {
      try apply(.capture(OrgCapture(key: "t", text: "x")), to: OrgPlace(file: "b.org"), in: &set, context(settings))
    }
    #expect(refusal?.kind == .needsEmacs && refusal?.description.contains("shell-command") ?? false)
  }

  @Test("a time that the change to summer time skips moves on by the gap")
  func summerTime() throws {
    // Berlin: from 2 to 3 o'clock on 29 March 2026.
    let zone = OrgZone(name: "Europe/Berlin") { $0 < 1_774_746_000 ? 3600 : 7200 }
    var set = files("* TODO A <2026-03-28 Sat 02:30 ++1d>\n")
    var context = context()
    context.zone = zone
    context.now = OrgMoment(year: 2026, month: 3, day: 28, hour: 12)
    _ = try apply(.todo(.state("DONE")), to: OrgPlace(file: "a.org"), in: &set, context)
    #expect(text(&set).hasPrefix("* TODO A <2026-03-29 Sun 03:30 ++1d>"))
    #expect(
      zone.minutes(
        from: OrgMoment(year: 2026, month: 3, day: 28, hour: 23, minute: 50),
        to: OrgMoment(year: 2026, month: 3, day: 29, hour: 4, minute: 10)) == 200)
  }

  @Test("a month without the day runs over, and a hint says so")
  func shortMonth() throws {
    var set = files("* A <2026-01-31 Sat>\n")
    let effects = try apply(.shiftTimestamp(by: 1, .month), to: OrgPlace(file: "a.org"), in: &set, context())
    #expect(text(&set) == "* A <2026-03-03 Tue>\n")
    #expect(effects.contains { if case .hint = $0 { true } else { false } })
  }

  private static let conflicted = """
    * Project [0/1]
    ** TODO Talk  :CONFLICT:
    :CONFLICT:
    - [X] title: Talk
    - [ ] title: Speech
    :END:
    ** TODO Plumber
    * Code
    <<<<<<< ours
    ** TODO Mine
    =======
    ** TODO Theirs
    >>>>>>> theirs
    ** Below
    * Free
    ======= is not a marker of its own
    * TODO About :CONFLICTS:

    """

  @Test(
    "an entry with a conflict in it or around it is not changed",
    arguments: [
      (["Project", "Talk"], OrgVerb.todo(.state("DONE"))), (["Code", "Mine"], .tags(.set(["x"]))),
      (["Code", "Theirs"], .delete), (["Code"], .createID), (["Project"], .archive(.subtree)),
      (["Project"], .sort(OrgSort(by: "a"))),
      (["Free"], .paste(to: OrgPlace(file: "a.org", entry: .path(["Code", "Theirs"])), below: false)),
    ])
  func conflicts(path: [String], verb: OrgVerb) throws {
    var set = files(Self.conflicted)
    let refusal = #expect(throws: Refusal.self) {
      try apply(verb, to: OrgPlace(file: "a.org", entry: .path(path)), in: &set, context())
    }
    #expect(refusal?.kind == .conflict)
    #expect(set.changed.isEmpty && text(&set) == Self.conflicted)
  }

  @Test(
    "entries beside a conflict are changed",
    arguments: [["Project", "Plumber"], ["Free"], ["About"], ["Code", "Below"]])
  func besideConflicts(path: [String]) throws {
    var set = files(Self.conflicted)
    _ = try apply(.todo(.state("DONE")), to: OrgPlace(file: "a.org", entry: .path(path)), in: &set, context())
    #expect(text(&set).contains("DONE \(path[path.count - 1])"))
  }
}
