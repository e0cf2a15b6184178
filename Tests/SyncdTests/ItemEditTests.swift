import Foundation
import ProgramTesting
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Commands that edit entries of the store.
@Suite("Edits of entries") struct ItemEditTests {
  private static let notes = """
    * Project [0/2]
    ** TODO Paint
    SCHEDULED: <2026-03-09 Mon>
    - [ ] blue
    ** TODO Plumber
    ** TODO Old
    ** Buy
    * Other

    """

  private func sandbox() throws -> Sandbox {
    let sandbox = try Sandbox()
    try sandbox.write(Self.notes, to: "org/notes.org")
    try sandbox.write("* House\n", to: "org/work.org")
    try sandbox.once()
    return sandbox
  }

  @Test("every command on the page works as it is written there")
  func page() throws {
    let sandbox = try sandbox()
    let blocks = try Documents.text("agenda.md").matches(of: /(?ms)^```[a-z]*\n(.*?)^```/).map(\.1)
    let lines = blocks.flatMap { $0.split(separator: "\n") }.filter { $0.hasPrefix("syncd ") }
    #expect(lines.count == 18)
    for line in lines {
      let words = Self.words(line.dropFirst("syncd ".count))
      let outcome = try sandbox.command(words + (words[0] == "capture" ? [] : ["--at", "2026-03-10 14:30"])).run()
      // The clock that is cancelled was stopped before.
      #expect(outcome.status == (words == ["clock", "cancel"] ? 4 : 0), "\(line): \(outcome.story)")
    }
    let text = sandbox.read("org/work.org") ?? ""
    #expect(text.contains("** DONE [#A] Paint"))
  }

  private static func words(_ line: Substring) -> [String] {
    var words = [""]
    var isQuoted = false
    for character in line {
      if character == "\"" {
        isQuoted.toggle()
      } else if character == " ", !isQuoted {
        words.append("")
      } else {
        words[words.count - 1].append(character)
      }
    }
    return words
  }

  @Test("an edit of two files is one step, which undo takes back")
  func undo() throws {
    let sandbox = try sandbox()
    try sandbox.command(["refile", "notes.org::Project/Paint", "work.org::House"]).succeed()
    #expect(sandbox.read("org/work.org")?.contains("** TODO Paint") ?? false)
    let log = try sandbox.syncd("log", "-l", "1")
    #expect(
      log.text.contains("work.org: edited with `syncd refile`") && log.text.contains("notes.org: edited"),
      "\(log.story)")
    try sandbox.command(["undo", "last"]).succeed()
    #expect(sandbox.read("org/notes.org") == Self.notes && sandbox.read("org/work.org") == "* House\n")
  }

  @Test("@last names the entry that the last command made or changed, wherever it is now")
  func last() throws {
    let sandbox = try sandbox()
    #expect(try sandbox.syncd("todo", "set", "DONE", "@last").status == 4)
    try sandbox.command(["new", "notes.org::Project", "Brushes", "--child"]).succeed()
    try sandbox.command(["todo", "set", "TODO", "@last"]).succeed()
    try sandbox.command(["title", "@last", "Two brushes"]).succeed()
    // Another program moves the lines.
    try sandbox.write("* New\n" + (sandbox.read("org/notes.org") ?? ""), to: "org/notes.org")
    try sandbox.command(["move", "@last", "--up", "1"]).succeed()
    try sandbox.command(["refile", "@last", "work.org::House"]).succeed()
    let edit = try sandbox.command(["tag", "@last", "+shop", "--json"]).succeed()
    #expect(edit.text.contains(#""file": "work.org""#) && edit.text.contains(#""line": 2"#), "\(edit.story)")
    #expect(sandbox.read("org/work.org")?.hasPrefix("* House\n** TODO Two brushes") ?? false)
    // A preview changes nothing, also not what the last entry is.
    try sandbox.command(["todo", "set", "DONE", "notes.org::Project/Paint", "-n"]).succeed()
    try sandbox.command(["delete", "@last"]).succeed()
    #expect(sandbox.read("org/work.org") == "* House\n")
    let gone = try sandbox.syncd("todo", "set", "DONE", "@last")
    #expect(gone.status == 4 && gone.err.contains("House/Two brushes, is not in work.org now"), "\(gone.story)")
    try sandbox.command(["capture", "Buy", "milk"]).succeed()
    try sandbox.command(["todo", "set", "TODO", "@last"]).succeed()
    #expect(sandbox.read("org/inbox.org")?.contains("* TODO Buy milk") ?? false)
  }

  @Test("@last is refused if several entries could be it")
  func lastOfSeveral() throws {
    let sandbox = try sandbox()
    try sandbox.command(["tag", "notes.org::Other", "+a"]).succeed()
    try sandbox.write("* Other\n* First\n* Other\n", to: "org/notes.org")
    let outcome = try sandbox.syncd("delete", "@last")
    #expect(outcome.status == 4 && outcome.err.contains("2 entries are called Other"), "\(outcome.story)")
    #expect(sandbox.read("org/notes.org") == "* Other\n* First\n* Other\n")
  }

  @Test("@clock names the entry with the running clock")
  func clock() throws {
    let sandbox = try sandbox()
    #expect(try sandbox.syncd("note", "@clock", "text").status == 4)
    try sandbox.command(["clock", "in", "notes.org::Project/Buy"]).succeed()
    try sandbox.command(["title", "@clock", "Buy all"]).succeed()
    #expect(sandbox.read("org/notes.org")?.contains("** Buy all\n") ?? false)
  }

  @Test("--dry-run shows the lines and changes nothing; a refusal changes nothing")
  func nothing() throws {
    let sandbox = try sandbox()
    let preview = try sandbox.syncd("todo", "set", "DONE", "notes.org::Project/Plumber", "-n")
    #expect(preview.status == 0 && preview.text.contains("** DONE Plumber"), "\(preview.story)")
    #expect(try sandbox.syncd("todo", "set", "LATER", "notes.org::Project/Plumber").status == 2)
    #expect(try sandbox.syncd("todo", "set", "DONE", "notes.org::Nothing").status == 4)
    #expect(sandbox.read("org/notes.org") == Self.notes)
  }

  @Test(
    "an entry that does not exist is answered with the nearest headings",
    arguments: [
      ("notes.org::Paint", "did you mean notes.org::Project/Paint?"),
      ("notes.org::Project/Plumer", "did you mean notes.org::Project/Plumber?"),
      ("note.org::Project", "did you mean notes.org?"),
    ])
  func nearest(selector: String, suggestion: String) throws {
    let outcome = try sandbox().syncd("todo", "set", "DONE", selector)
    #expect(outcome.status == 4 && outcome.err.contains(suggestion), "\(outcome.story)")
  }

  @Test(
    "what could be several entries or items, or none, is refused, and nothing is changed",
    arguments: [
      (["todo", "set", "DONE", "twice.org::List/Same"], 2, "twice.org:3, twice.org:12"),
      (["todo", "set", "DONE", "twice.org:99"], 4, "twice.org has no line 99: it has 13 lines"),
      (["check", "twice.org:1", "mil"], 2, "\"milk powder\", \"milk\""),
      (["schedule", "twice.org::List", "20261224"], 2, "\"20261224\" is not understood"),
      (["deadline", "twice.org::Other", "2026-02-30"], 2, "2026-02-30 is not a day that exists"),
      (["schedule", "twice.org::Other", "31 feb"], 2, "-02-31 is not a day that exists"),
      (["schedule", "twice.org::Other", "2026-W54"], 2, "week 54 of 2026 is not a day that exists"),
      (["schedule", "twice.org::Other", "fri +1w"], 2, "for a repeater, use --repeat"),
      (["schedule", "twice.org::Other", "fri", "--repeat", "soon"], 2, "soon is not a repeater"),
      (["deadline", "twice.org::Other", "fri", "--warn", "3"], 2, "3 is not a warning period"),
      (["property", "twice.org::Other", "DEADLINE", "foo"], 2, "\"foo\" is not understood"),
      (["agenda", "--from", "31 apr"], 2, "-04-31 is not a day that exists"),
      (["todo", "set", "DONE", "id:same"], 2, "2 entries have the ID same: twice.org:5, twice2.org:1"),
      (["refile", "twice.org::Other", "id:same"], 2, "2 entries have the ID same"),
      (["share", "id:same"], 2, "2 entries have the ID same"),
      (["share", "twice.org::Missing"], 4, "no heading Missing in twice.org"),
      (["note", "@clock", "x"], 2, "the clocks of 2 entries run: twice.org:5, twice2.org:1"),
      (["todo", "set", "DONE", "secret.org.gpg:1"], 2, "secret.org.gpg is encrypted"),
      (["todo", "set", "DONE", "secret.org.age"], 2, "secret.org.age is encrypted"),
      (["refile", "twice.org::Other", "secret.org.gpg"], 2, "secret.org.gpg is encrypted"),
      (["share", "secret.org.gpg::A"], 2, "secret.org.gpg is encrypted"),
      (["agenda", "--from", "tomorow"], 2, "\"tomorow\" is not understood"),
      (["title", "twice.org::Other", " "], 2, "the title has no text"),
      (["new", "twice.org::Other", ""], 2, "the title has no text"),
      (["new", "twice.org::Other", "x", "--before", "--child"], 2, "--before goes with neither --child nor --task"),
      (["note", "twice.org::Other", "-"], 2, "the note has no text"),
      (["log", "--limit", "0"], 2, "--limit takes a number from 1"),
    ])
  func unclear(words: [String], status: Int32, message: String) throws {
    let sandbox = try sandbox()
    let text = """
      * List
      - [ ] milk powder
      ** Same
      - [ ] milk
      * Other
      ** Same
      * List
      ** Same
      one

      """.replacing("* Other\n", with: "* Other\n\(Self.copied)")
    try sandbox.write(["org/twice.org": text, "org/twice2.org": "* Copy\n\(Self.copied)", "org/secret.org.gpg": "x"])
    let outcome = try sandbox.command(words).run()
    #expect(outcome.status == status && outcome.err.contains(message), "\(outcome.story)")
    #expect(sandbox.read("org/twice.org") == text && sandbox.read("org/secret.org.gpg") == "x")
  }

  /// What an entry and its copy have.
  private static let copied = ":PROPERTIES:\n:ID:       same\n:END:\nCLOCK: [2026-03-10 Tue 14:00]\n"

  @Test(
    "an edit knows the states by which search and agenda read a file",
    arguments: [
      (String?.none, "NEXT", "WAITING", "CANCELLED"),
      (#"{"org-todo-keywords": ["TODO", "DOING", "|", "OVER"]}"#, "DOING", "TODO", "OVER"),
      (#"{"org-todo-keywords": [["'sequence", "TODO", "DOING(d)", "|", "OVER"]]}"#, "DOING", "TODO", "OVER"),
    ])
  func states(variables: String?, present: String, other: String, done: String) throws {
    let sandbox = try sandbox()
    if let variables { try sandbox.write(variables, to: "org.json") }
    let text = "* Calls\n** \(present) Call Bob\n"
    try sandbox.write(text, to: "org/calls.org")
    #expect(try sandbox.syncd("search", "it.todo b.calls").text.contains("calls.org:2  \(present) Call Bob"))
    try sandbox.command(["todo", "set", other, "calls.org::Calls/Call Bob"]).succeed()
    #expect(sandbox.read("org/calls.org") == "* Calls\n** \(other) Call Bob\n")
    try sandbox.command(["todo", "set", done, "calls.org:2"]).succeed()
    #expect(sandbox.read("org/calls.org") == "* Calls\n** \(done) Call Bob\n")
    let refused = try sandbox.syncd("todo", "set", "LATER", "calls.org:2")
    #expect(refused.status == 2 && refused.err.contains(present), "\(refused.story)")
    let nearest = try sandbox.syncd("todo", "set", done, "calls.org::Call Bob")
    #expect(nearest.err.contains("did you mean calls.org::Calls/Call Bob?"), "\(nearest.story)")
  }

  @Test("a new child is the last one, and the text of its parent stays where it is")
  func lastChild() throws {
    let sandbox = try sandbox()
    let parent = "* Trip [0/1]\nBy train.\n** TODO Tickets\n"
    try sandbox.write(parent + "* Other\n", to: "org/trip.org")
    try sandbox.command(["new", "trip.org::Trip", "Packing", "--child"]).succeed()
    #expect(sandbox.read("org/trip.org") == parent + "** Packing\n* Other\n")
    try sandbox.command(["new", "trip.org::Trip", "Hotel", "--child", "--task"]).succeed()
    let counted = parent.replacing("[0/1]", with: "[0/2]")
    #expect(sandbox.read("org/trip.org") == counted + "** Packing\n** TODO Hotel\n* Other\n")
    try sandbox.command(["new", "trip.org::Trip/Packing", "Boots", "--child"]).succeed()
    #expect(sandbox.read("org/trip.org") == counted + "** Packing\n*** Boots\n** TODO Hotel\n* Other\n")
  }

  @Test("a note can come from another program")
  func noteFromInput() throws {
    let sandbox = try sandbox()
    try sandbox.write("one\ntwo\n", to: "note.txt")
    let input = try FileHandle(forReadingFrom: URL(filePath: sandbox.path("note.txt")))
    var command = sandbox.command(["note", "notes.org::Other", "-"])
    command.input = input.fileDescriptor
    try command.succeed()
    let text = sandbox.read("org/notes.org") ?? ""
    #expect(text.contains("one\n") && text.contains("two\n"), "\(text)")
  }

  @Test(
    "a mistake in the file of Org variables names the file and what is wrong",
    arguments: [
      (#"{"a": 1, "b": }"#, "it is not valid JSON; `python3 -m json.tool "), ("[1]", "it is another JSON value"),
      (#"{"org-log-done": {"x": 5}}"#, "the value of org-log-done is not a value of Org"),
    ])
  func variables(text: String, message: String) throws {
    let sandbox = try sandbox()
    try sandbox.write(text, to: "org.json")
    let outcome = try sandbox.syncd("agenda")
    #expect(
      outcome.status == 8 && outcome.err.contains("org.json is not") && outcome.err.contains(message),
      "\(outcome.story)")
  }

  @Test("an item is found by its whole text even if another one begins with it")
  func wholeItem() throws {
    let sandbox = try sandbox()
    try sandbox.write("* Shop\n- [ ] milk powder\n- [ ] milk\n", to: "org/shop.org")
    try sandbox.command(["check", "shop.org::Shop", "milk"]).succeed()
    #expect(sandbox.read("org/shop.org") == "* Shop\n- [ ] milk powder\n- [X] milk\n")
  }

  @Test("an entry with a conflict is refused with the way to resolve it")
  func conflict() throws {
    let sandbox = try sandbox()
    let text = "* TODO Talk :CONFLICT:\n:CONFLICT:\n- [X] title: Talk\n- [ ] title: Speech\n:END:\n"
    try sandbox.write(text, to: "org/talk.org")
    let outcome = try sandbox.syncd("todo", "set", "DONE", "talk.org::Talk")
    #expect(outcome.status == 2 && outcome.err.contains("line 1 of talk.org has an unresolved conflict"))
    #expect(outcome.err.contains("syncd resolve") && sandbox.read("org/talk.org") == text)
  }

  @Test("a file with unsaved changes in Emacs is not touched")
  func editor() throws {
    let sandbox = try sandbox()
    try FileManager.default.createSymbolicLink(
      atPath: sandbox.path("org/.#notes.org"), withDestinationPath: "ann@elsewhere.example.1:1")
    let outcome = try sandbox.syncd("title", "notes.org::Other", "New")
    #expect(outcome.status == 10, "\(outcome.story)")
    #expect(sandbox.read("org/notes.org") == Self.notes)
  }

  @Test("an inbox with unsaved changes in Emacs gets no entry, with or without a service", arguments: [false, true])
  func inboxInEditor(hasService: Bool) throws {
    let sandbox = try sandbox()
    try sandbox.write("* Old\n", to: "org/inbox.org")
    let service = hasService ? try sandbox.command([]).start() : nil
    if service != nil { try sandbox.wait("the first pass") { sandbox.read("home/inbox.org") == "* Old\n" } }
    let lock = sandbox.path("org/.#inbox.org")
    try FileManager.default.createSymbolicLink(atPath: lock, withDestinationPath: "ann@elsewhere.example.1:1")
    let refused = try sandbox.syncd("capture", "New")
    #expect(
      refused.status == 10 && refused.err.contains("inbox.org has unsaved changes in an editor"), "\(refused.story)")
    #expect(refused.err.contains("--wait 30s") && sandbox.read("org/inbox.org") == "* Old\n")
    let waiting = try sandbox.command(["capture", "New", "--wait", "1h"]).start()
    try FileManager.default.removeItem(atPath: lock)
    let outcome = try waiting.wait()
    #expect(outcome.status == 0, "\(outcome.story)")
    #expect(sandbox.read("org/inbox.org")?.hasPrefix("* Old\n* New\n[") ?? false)
    service?.kill(SIGTERM)
    _ = try service?.wait()
  }

  @Test("an inbox whose lines end in carriage returns keeps them, with or without a service", arguments: [false, true])
  func carriageReturns(hasService: Bool) throws {
    let sandbox = try sandbox()
    try sandbox.write("* Old\r\nold\r\n", to: "org/inbox.org")
    let service = hasService ? try sandbox.command([]).start() : nil
    if service != nil { try sandbox.wait("the first pass") { sandbox.read("home/inbox.org") != nil } }
    try sandbox.command(["capture", "New\ntext"]).succeed()
    try sandbox.command(["refile", "notes.org::Other", "inbox.org::Old"]).succeed()
    let lines = sandbox.read("org/inbox.org")?.components(separatedBy: "\r\n") ?? []
    #expect(lines.count == 7 && lines[2] == "** Other" && lines[3] == "* New" && lines[5] == "text", "\(lines)")
    #expect(!lines.joined().contains("\n"), "\(lines)")
    service?.kill(SIGTERM)
    _ = try service?.wait()
  }

  @Test("an entry whose refile is killed anywhere is in exactly one file after the next pass")
  func kill() throws {
    var place = 1
    while true {
      let sandbox = try sandbox()
      let words = ["refile", "notes.org::Project/Paint", "work.org::House"]
      let status = try sandbox.command(words, environment: ["SYNCD_FAILPOINTS": "*=kill@nth(\(place))"]).run().status
      let between = (sandbox.read("org/notes.org") ?? "") + (sandbox.read("org/work.org") ?? "")
      #expect(between.contains("TODO Paint"), "lost at place \(place)")
      try sandbox.once()
      let copies = ["notes.org", "work.org"].filter { sandbox.read("org/\($0)")?.contains("TODO Paint") ?? false }
      #expect(copies.count == 1, "\(copies) at place \(place)")
      if status == 0 { break }
      #expect(status == 137)
      place += isSoak ? 1 : 3
    }
    print("*** a refile was killed at places up to \(place) ***")
  }
}
