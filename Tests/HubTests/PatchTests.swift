import Foundation
import ProgramTesting
import SyncKit
import Testing

@testable import Hub

/// The effects of patches on the files.
@Suite("Patches") struct PatchTests {
  private static let notes = """
    * TODO Rent :home:
    DEADLINE: <2026-11-25 Wed>
    :PROPERTIES:
    :EFFORT:   0:10
    :END:
    :LOGBOOK:
    - Note taken on [2026-01-01 Thu 10:00] \\\\
      early
    :END:
    Pay by bank.
    - [ ] Milk
    - [X] Bread
    * Errands
    ** TODO Other
    text
    * Target

    """

  private func device() throws -> TestDevice {
    try HubFolder(["notes.org": Self.notes, "b.org": "* There\n"]).device()
  }

  @Test("an entry has what its file says")
  func item() async throws {
    let device = try device()
    let item = await device.send("GET", "/items/\(try await device.id("Rent"))").json
    #expect(item["body"] == "Pay by bank.\n- [ ] Milk\n- [X] Bread")
    #expect(item["deadline"] == "<2026-11-25 Wed>" && item["todo"] == "TODO" && item["tags"] == ["home"])
    #expect(item["checkboxes"] == [["state": "off", "text": "Milk"], ["state": "on", "text": "Bread"]])
    let parent = await device.send("GET", "/items/\(try await device.id("Errands"))").json
    #expect(parent["children"]?.line.contains("\"Other\"") ?? false)
    let agenda = await device.send("GET", "/agenda?from=2026-11-25&days=2").json
    #expect(agenda["days"]?.line.contains("2026-11-26") ?? false)
    #expect(await device.send("GET", "/items?q=t.home").json["items"]?.line.contains("Rent") ?? false)
    #expect(await device.send("GET", "/items?q=zz.9").status == 422)
    #expect(await device.send("GET", "/targets").json["targets"]?.line.contains("notes.org/Errands/Other") ?? false)
  }

  @Test("all fields of an entry can be changed at once, and the rest stays byte for byte")
  func fields() async throws {
    let device = try device()
    let results = try await device.batch(
      1,
      """
      {"op": "edit", "id": "\(try await device.id("Rent"))", "fields": {
        "title": {"old": "Rent", "new": "Pay the rent"}, "priority": {"old": null, "new": "A"},
        "deadline": {"old": "<2026-11-25 Wed>", "new": null}, "scheduled": {"old": null, "new": "<2026-12-01 Tue 10:00 +1w>"},
        "tags": {"add": ["bank"], "remove": ["home"]}, "properties": {"EFFORT": {"old": "0:10", "new": "0:20"}},
        "body": {"old": "Pay by bank.\\n- [ ] Milk\\n- [X] Bread", "new": "Pay in cash."}}}
      """)
    #expect(results[0]["result"] == "applied", "\(results[0].line)")
    #expect(results[0]["item"]?["title"] == "Pay the rent")
    let text = device.folder.text("notes.org") ?? ""
    #expect(text.hasPrefix("* TODO [#A] Pay the rent") && text.contains(":bank:") && !text.contains(":home:"))
    #expect(text.contains("SCHEDULED: <2026-12-01 Tue 10:00 +1w>") && !text.contains("DEADLINE"))
    #expect(text.contains(":EFFORT:   0:20") && text.contains("  early\n:END:\nPay in cash.\n* Errands\n"), "\(text)")
    #expect(text.hasSuffix("* Errands\n** TODO Other\ntext\n* Target\n"))
    // The identifier that the device had still leads to the entry.
    let again = try await device.batch(
      2, #"{"op": "note", "id": "\#(try results[0]["for"].string)", "text": "done"}"#)
    #expect(again[0]["result"] == "applied" && again[0]["item"]?["title"] == "Pay the rent", "\(again[0].line)")
  }

  @Test("a field with another value than the device had is a conflict, and nothing of the patch is carried out")
  func conflict() async throws {
    let device = try device()
    let id = try await device.id("Rent")
    let results = try await device.batch(
      1,
      """
      {"op": "edit", "id": "\(id)", "fields": {
        "title": {"old": "Rant", "new": "Lease"}, "priority": {"old": null, "new": "A"}}},
      {"op": "edit", "id": "\(id)", "fields": {"todo": {"old": "TODO", "new": "DONE"}}}
      """)
    #expect(results[0]["result"] == "conflict" && results[0]["fields"]?["title"]?["hubs"] == "Rent")
    #expect(results[1]["result"] == "applied")
    #expect(device.folder.text("notes.org")?.hasPrefix("* DONE Rent") ?? false)
  }

  @Test(
    "a text that is not a date is refused with the member, and nothing is written",
    arguments: [
      "foo", "2026-13-45", "<2026-11-31 Tue 99:99>", "<2026-02-30 Mon>", "31 feb", "2026-12-01 foo", "2026-12-01 +1foo",
    ])
  func dates(text: String) async throws {
    let device = try device()
    for (patch, pointer) in [
      (
        #"{"op": "edit", "id": "\#(try await device.id("Rent"))", "fields": {"deadline": {"old": "<2026-11-25 Wed>", "new": "\#(text)"}}}"#,
        "fields/deadline/new"
      ),
      (
        #"{"op": "add", "fields": {"title": {"new": "New"}, "scheduled": {"new": "\#(text)"}}}"#, "fields/scheduled/new"
      ),
      (
        #"{"op": "add", "fields": {"title": {"new": "New"}, "properties": {"Deadline": {"new": "\#(text)"}}}}"#,
        "fields/properties/Deadline/new"
      ),
    ] {
      let answer = await device.send(
        "POST", "/batches", #"{"client": "client-1", "number": 1, "patches": [\#(patch)]}"#)
      #expect(
        answer.status == 422 && answer.json["errors"]?.line.contains("/patches/0/\(pointer)") ?? false,
        "\(answer.json.line)")
    }
    #expect(device.folder.text("notes.org") == Self.notes && device.folder.text("inbox.org") == nil)
  }

  @Test("dates as people type them, and timestamps with any name of the day, are taken")
  func typedDates() async throws {
    let device = try device()
    let edit = { (old: String, new: String) in
      #"{"op": "edit", "id": "\#(try await device.id("Rent"))", "fields": {"deadline": {"old": "\#(old)", "new": "\#(new)"}}}"#
    }
    #expect(
      try await device.batch(1, try await edit("<2026-11-25 Wed>", "<2027-02-28 So 10:00 .+1w -2d>"))[0]["result"]
        == "applied")
    #expect(device.folder.text("notes.org")?.contains("DEADLINE: <2027-02-28 Sun 10:00 .+1w -2d>\n") ?? false)
    #expect(
      try await device.batch(2, try await edit("<2027-02-28 Sun 10:00 .+1w -2d>", "2027-03-01 Mon +1d"))[0]["result"]
        == "applied")
    #expect(device.folder.text("notes.org")?.contains("DEADLINE: <2027-03-01 Mon +1d -2d>\n") ?? false)
  }

  @Test("an identifier that entries of several files have names none of them")
  func copies() async throws {
    let entry = "* TODO Copy\n:PROPERTIES:\n:ID:       same\n:END:\n"
    let device = try HubFolder(["a.org": entry, "b.org": entry]).device()
    let results = try await device.batch(
      1, #"{"op": "edit", "id": "same", "fields": {"todo": {"old": "TODO", "new": "DONE"}}}"#)
    #expect(results[0]["result"] == "refused" && results[0].line.contains("a.org:1, b.org:1"), "\(results[0].line)")
    #expect(device.folder.text("a.org") == entry && device.folder.text("b.org") == entry)
  }

  @Test("the present revision allows a change without old values, another one does not")
  func revision() async throws {
    let device = try device()
    let item = try await device.item("Rent")
    let edit = { (title: String) in
      try #"{"op": "edit", "id": "\#(item["id"].string)", "revision": "\#(item["revision"].string)", "#
        + #""fields": {"title": {"new": "\#(title)"}}}"#
    }
    #expect(try await device.batch(1, try edit("First"))[0]["result"] == "applied")
    #expect(try await device.batch(2, try edit("Second"))[0]["result"] == "conflict")
    #expect(try await device.batch(3, try edit("First"))[0]["result"] == "unchanged")
  }

  @Test("texts that changed on both sides are merged by lines")
  func merged() async throws {
    let device = try device()
    let results = try await device.batch(
      1,
      """
      {"op": "edit", "id": "\(try await device.id("Rent"))", "fields": {
        "body": {"old": "Pay by bank.\\n- [ ] Milk\\n- [ ] Bread", "new": "Pay in cash.\\n- [ ] Milk\\n- [ ] Bread"}}}
      """)
    #expect(results[0]["result"] == "merged", "\(results[0].line)")
    #expect(device.folder.text("notes.org")?.contains("Pay in cash.\n- [ ] Milk\n- [X] Bread\n") ?? false)
  }

  @Test("entries are added to the inbox, to a file and below an entry, and later patches find them")
  func add() async throws {
    let device = try device()
    let results = try await device.batch(
      1,
      """
      {"op": "add", "id": "n1", "fields": {"title": {"new": "Call %t Ann"}, "body": {"new": "soon\\n* no heading"}}},
      {"op": "add", "id": "n2", "target": "\(ItemID.file("b.org"))", "fields": {"title": {"new": "In b"}}},
      {"op": "add", "id": "n3", "target": "\(try await device.id("Errands"))", "fields": {
        "title": {"new": "Child"}, "todo": {"new": "TODO"}, "tags": {"add": ["x"]}, "deadline": {"new": "2026-12-24"}}}
      """)
    #expect(results.map { $0["result"] } == ["applied", "applied", "applied"], "\(results.map(\.line))")
    let inbox = device.folder.text("inbox.org") ?? ""
    #expect(inbox.hasPrefix("* Call %t Ann\n[") && inbox.hasSuffix("]\nsoon\n * no heading\n"), "\(inbox)")
    #expect(device.folder.text("b.org") == "* There\n* In b\n")
    let text = device.folder.text("notes.org") ?? ""
    #expect(text.contains("** TODO Other\ntext\n** TODO Child"), "\(text)")
    #expect(text.contains("DEADLINE: <2026-12-24 Thu>\n* Target"), "\(text)")
    #expect(results[2]["item"]?["path"] == ["Errands", "Child"])
  }

  @Test("a template of Org adds what it describes, and says what it asks for")
  func template() async throws {
    let org =
      #"{"org-capture-templates": {"lisp": "((\"t\" \"Task\" entry (file \"b.org\") \"* TODO %? (%^{Where})\"))"}}"#
    let device = try HubFolder(["b.org": ""], org: org).device()
    #expect(await device.send("GET", "/templates").json["templates"]?.line.contains("\"Task\"") ?? false)
    let results = try await device.batch(
      1,
      #"{"op": "add", "template": "t", "text": "Buy", "answers": ["shop"]}, {"op": "add", "template": "t", "text": "x"}"#
    )
    #expect(results[0]["result"] == "applied", "\(results[0].line)")
    #expect(results[1]["result"] == "refused" && results[1]["question"] == true, "\(results[1].line)")
    #expect(device.folder.text("b.org") == "* TODO Buy (shop)\n")
  }

  @Test("an entry moves to another file and is archived, and its earlier identifiers still lead to it")
  func move() async throws {
    let device = try device()
    let id = try await device.id("Other")
    let results = try await device.batch(
      1,
      """
      {"op": "move", "id": "\(id)", "to": "\(try await device.id("There"))"},
      {"op": "edit", "id": "\(id)", "fields": {"title": {"old": "Other", "new": "Moved"}}}
      """)
    #expect(results.map { $0["result"] } == ["applied", "applied"], "\(results.map(\.line))")
    #expect(results[0]["item"]?["title"] == "Moved")
    #expect(device.folder.text("b.org") == "* There\n** TODO Moved\ntext\n")
    #expect(device.folder.text("notes.org")?.hasSuffix("* Errands\n* Target\n") ?? false)
    let missing = await device.send("GET", "/items/\(id)")
    #expect(missing.status == 404 && missing.json["id"] == results[1]["id"])
    #expect(try await device.batch(2, #"{"op": "archive", "id": "\#(id)"}"#)[0]["result"] == "applied")
    #expect(device.folder.text("b.org") == "* There\n")
    #expect(device.folder.text("b.org_archive")?.contains("* TODO Moved") ?? false)
  }

  @Test("an entry is removed only as the device has seen it")
  func remove() async throws {
    let device = try device()
    let item = await device.send("GET", "/items/\(try await device.id("Errands"))").json
    let patch =
      #"{"op": "remove", "id": "\#(try item["id"].string)", "revision": "\#(try item["subtreeRevision"].string)"}"#
    try device.folder.write(
      Self.notes.replacing("** TODO Other\ntext\n", with: "** TODO Other\nnews\n"), to: "notes.org")
    #expect(try await device.batch(1, patch)[0]["result"] == "conflict")
    try device.folder.write(Self.notes, to: "notes.org")
    #expect(try await device.batch(2, patch)[0]["result"] == "applied")
    #expect(device.folder.text("notes.org")?.contains("Errands") == false)
  }

  @Test("boxes are ticked, and the clock starts and stops")
  func check() async throws {
    let device = try device()
    let id = try await device.id("Rent")
    let results = try await device.batch(
      1,
      """
      {"op": "check", "id": "\(id)", "item": "Milk", "new": true}, {"op": "check", "id": "\(id)", "item": "Bread", "new": true},
      {"op": "check", "id": "\(id)", "item": "Wine", "new": true}, {"op": "clock-in", "id": "\(id)"}
      """)
    #expect(results.map { $0["result"] } == ["applied", "unchanged", "refused", "applied"], "\(results.map(\.line))")
    #expect(device.folder.text("notes.org")?.contains("- [X] Milk\n- [X] Bread\n") ?? false)
    #expect(await device.send("GET", "/clock").json["running"]?["item"]?["title"] == "Rent")
    #expect(
      try await device.batch(2, #"{"op": "clock-out"}, {"op": "clock-out"}"#).map { $0["result"] } == [
        "applied", "refused",
      ])
    #expect(await device.send("GET", "/clock").json["running"] == .null)
  }

  @Test("of two boxes of which one begins like the other, the one with the whole text is ticked")
  func beginning() async throws {
    let device = try HubFolder(["a.org": "* Shopping\n- [X] Buy milk\n- [ ] Buy\n"]).device()
    let id = try await device.id("Shopping")
    let results = try await device.batch(1, #"{"op": "check", "id": "\#(id)", "item": "Buy", "new": true}"#)
    #expect(results.map { $0["result"] } == ["applied"])
    #expect(device.folder.text("a.org") == "* Shopping\n- [X] Buy milk\n- [X] Buy\n")
  }

  @Test("a clock is stopped on the entry on which it runs, and on no other")
  func otherClock() async throws {
    let device = try HubFolder(["a.org": "* TODO One\n* TODO Two\n"]).device()
    let (one, two) = try await (device.id("One"), device.id("Two"))
    let started = try await device.batch(1, #"{"op": "clock-in", "id": "\#(two)"}"#)[0]
    #expect(try started["item"]?["clock"]?["running"].string.hasPrefix("[") ?? false, "\(started.line)")
    #expect(try await device.item("One")["clock"] == .null)
    #expect(try await device.batch(2, #"{"op": "clock-out", "id": "\#(one)"}"#)[0]["result"] == "refused")
    #expect(await device.send("GET", "/clock").json["running"]?["item"]?["title"] == "Two")
    let stopped = try await device.batch(3, #"{"op": "clock-out", "id": "\#(two)"}"#)[0]
    #expect(stopped["result"] == "applied" && stopped["item"]?["clock"] == .null, "\(stopped.line)")
  }

  @Test("what no file has is gone, and one patch that fails does not stop the others")
  func gone() async throws {
    let device = try device()
    let results = try await device.batch(
      1,
      """
      {"op": "note", "id": "xaaaaaaaabbbbbbbbbbbbbbbb", "text": "x"}, {"op": "archive", "id": "none"},
      {"op": "edit", "id": "\(try await device.id("Rent"))", "fields": {"todo": {"old": "TODO", "new": "LATER"}}},
      {"op": "move", "id": "\(try await device.id("Errands"))", "to": "\(try await device.id("Other"))"},
      {"op": "edit", "id": "\(try await device.id("Target"))", "fields": {"title": {"old": "Target", "new": "Goal"}}}
      """)
    #expect(
      results.map { $0["result"] } == ["gone", "gone", "refused", "refused", "applied"], "\(results.map(\.line))")
    #expect(device.folder.text("notes.org") == Self.notes.replacing("* Target", with: "* Goal"))
  }

  @Test("a patch of a file with unsaved changes in Emacs is left out, and the others are carried out")
  func locked() async throws {
    let device = try device()
    try FileManager.default.createSymbolicLink(
      atPath: device.folder.scratch.path + "/org/.#b.org", withDestinationPath: "ann@elsewhere.example.1:1")
    let results = try await device.batch(
      1,
      """
      {"op": "edit", "id": "\(try await device.id("There"))", "fields": {"title": {"old": "There", "new": "New"}}},
      {"op": "move", "id": "\(try await device.id("Other"))", "to": "\(ItemID.file("b.org"))"},
      {"op": "edit", "id": "\(try await device.id("Target"))", "fields": {"title": {"old": "Target", "new": "Goal"}}}
      """)
    #expect(results.map { $0["result"] } == ["locked", "locked", "applied"], "\(results.map(\.line))")
    #expect(device.folder.text("b.org") == "* There\n")
    #expect(device.folder.text("notes.org") == Self.notes.replacing("* Target", with: "* Goal"))
  }

  @Test(
    "an invalid patch is refused as a whole, with the member that is wrong",
    arguments: [
      (#"{"op": "edit"}"#, ["/patches/0/id", "/patches/0/fields"]),
      (#"{"op": "fly", "id": "x"}"#, ["/patches/0/op"]),
      (#"{"op": "edit", "id": "x", "fields": {"title": {"new": "a"}}}"#, ["/patches/0/fields/title/old"]),
      (
        #"{"op": "edit", "id": "x", "fields": {"title": {"old": "a", "new": "b\nc"}}}"#, ["/patches/0/fields/title/new"]
      ),
      (#"{"op": "edit", "id": "x", "fields": {"colour": {"old": "a", "new": "b"}}}"#, ["/patches/0/fields/colour"]),
      (#"{"op": "edit", "id": "x", "fields": {"tags": {"add": ["a b"]}}}"#, ["/patches/0/fields/tags/add"]),
      (#"{"op": "add", "fields": {}}"#, ["/patches/0/fields"]), (#"7"#, ["/patches/0"]),
      (#"{"op": "remove", "id": "x"}"#, ["/patches/0/revision"]),
      (#"{"op": "note", "id": "x", "text": "a", "more": 1}"#, ["/patches/0/more"]),
      (#"{"op": "check", "id": "x", "item": "a", "new": 1}"#, ["/patches/0/new"]),
    ])
  func invalid(patch: String, pointers: [String]) async throws {
    let device = try device()
    let answer = await device.send("POST", "/batches", #"{"client": "client-1", "number": 1, "patches": [\#(patch)]}"#)
    guard case .array(let errors)? = answer.json["errors"] else {
      Issue.record("\(answer.status) \(answer.json.line)")
      return
    }
    #expect(answer.status == 422)
    for pointer in pointers { #expect(errors.contains { $0["pointer"] == .string(pointer) }, "\(answer.json.line)") }
    #expect(device.folder.text("notes.org") == Self.notes)
  }
}
