import Foundation
import ProgramTesting
import Testing

/// `syncd review`, with a person at a terminal.
@Suite("Reviews") struct ReviewTests {
  private static let inbox = """
    #+TODO: TODO NEXT | DONE
    * One
    text of one
    * TODO Two
    text of two
    * Three
    * Four
    * Five
    * Six
    * Seven
    * NEXT Decided
    * TODO Dated
    DEADLINE: <2026-03-20 Fri>
    * DONE Old

    """

  private static let work = """
    #+TODO: TODO WAIT | DONE
    * Target
    ** Boat
    ** WAIT Answer
    *** TODO Ask

    """

  private func sandbox() throws -> Sandbox {
    let sandbox = try Sandbox()
    try sandbox.write(Self.inbox, to: "org/inbox.org")
    try sandbox.write(Self.work, to: "org/work.org")
    return sandbox
  }

  private static let time = ["--at", "2026-03-10 14:30"]

  @Test("each entry of the inbox gets its decision, and the picks of the day their priority")
  func decisions() throws {
    let sandbox = try sandbox()
    let answers = ["what?", "n", "p Call", "s 2026-03-12", "r work.org::Target", "a", "d", "l", "5", "1, 3"]
    let dialog = try sandbox.dialog(["review"] + Self.time, typed: ["": answers])
    #expect(dialog.outcome.status == 0, "\(dialog.shown)")
    let inbox = try #require(sandbox.read("org/inbox.org"))
    #expect(
      inbox == """
        #+TODO: TODO NEXT | DONE
        * NEXT [#A] One
        text of one
        * TODO Two
        text of two
        ** NEXT Call
        * Three
        SCHEDULED: <2026-03-12 Thu>
        * Seven
        * NEXT [#A] Decided
        * TODO Dated
        DEADLINE: <2026-03-20 Fri>
        * DONE Old

        """, "\(inbox)\n\(dialog.shown)")
    #expect(sandbox.read("org/work.org") == Self.work + "** Four\n")
    #expect(sandbox.read("org/inbox.org_archive")?.contains("* Five\n") == true)
    for text in [
      "7 entries to decide on", "text of one", "stuck projects:", "work.org:3  Boat", "work.org:4  WAIT Answer",
      "type numbers from 1 to 3", "begin with: NEXT [#A] One",
    ] {
      #expect(dialog.shown.contains(text), "\(text): \(dialog.shown)")
    }
    #expect(dialog.shown.contains("reviewed 1 day in a row"), "\(dialog.shown)")
    // A decision is a step of the history.
    #expect(try sandbox.command(["log"]).succeed().text.contains("syncd review: refile"))
  }

  @Test("a decision that needs a state which the file does not have changes nothing", arguments: ["n", "p Call"])
  func unknownState(answer: String) throws {
    let sandbox = try sandbox()
    let text = "#+TODO: TODO | DONE\n* One\n"
    try sandbox.write(text, to: "org/inbox.org")
    let dialog = try sandbox.dialog(["review"] + Self.time, typed: ["": [answer, "q"]])
    #expect(dialog.shown.contains("NEXT is not valid in"), "\(dialog.shown)")
    #expect(sandbox.read("org/inbox.org") == text)
  }

  @Test("what is refused is asked again, and no entry is skipped")
  func again() throws {
    let sandbox = try sandbox()
    try sandbox.write("#+TODO: TODO | DONE\n* One\n* Two\n", to: "org/inbox.org")
    let answers = ["r nowhere.org::Target", "r work.org::Taget", "n", "s 31 feb", "s 2026-03-12", "d"]
    let dialog = try sandbox.dialog(["review"] + Self.time, typed: ["": answers])
    #expect(dialog.outcome.status == 0, "\(dialog.shown)")
    for text in [
      "file nowhere.org not found", "did you mean work.org::Target?", "NEXT is not valid in", "-02-31 is not a day",
    ] {
      #expect(dialog.shown.contains(text), "\(text): \(dialog.shown)")
    }
    #expect(sandbox.read("org/inbox.org") == "#+TODO: TODO | DONE\n* One\nSCHEDULED: <2026-03-12 Thu>\n")
  }

  @Test("a next action is possible in an inbox without a line of states")
  func usualStates() throws {
    let sandbox = try sandbox()
    try sandbox.write("* One\n", to: "org/inbox.org")
    let dialog = try sandbox.dialog(["review"] + Self.time, typed: ["": ["n", ""]])
    #expect(sandbox.read("org/inbox.org") == "* NEXT One\n", "\(dialog.shown)")
  }

  @Test("an entry that another program has moved meanwhile stays as it is, and a review that was left does not count")
  func changed() throws {
    let sandbox = try sandbox()
    let edit = "!sed -i '2i * New' \(sandbox.path("org/inbox.org")); echo d"
    let dialog = try sandbox.dialog(["review"] + Self.time, typed: ["": [edit, "q"]])
    #expect(dialog.shown.contains("inbox.org was changed meanwhile"), "\(dialog.shown)")
    #expect(sandbox.read("org/inbox.org") == Self.inbox.replacing("* One", with: "* New\n* One"))
    let list = try sandbox.command(["review"] + Self.time).succeed().text
    #expect(
      list.contains("inbox: 8 entries") && list.contains("reviewed 0 days in a row, and not yet today"), "\(list)")
  }

  @Test("the days in a row are counted, and the documents match their schema")
  func streak() throws {
    let sandbox = try sandbox()
    for day in 8...10 {
      _ = try sandbox.command(["review", "--done", "--at", "2026-03-\(day < 10 ? "0" : "")\(day) 20:00"]).succeed()
    }
    for (day, streak, done) in [("10", 3, true), ("11", 3, false), ("12", 0, false)] {
      let outcome = try sandbox.command(["review", "--json", "--at", "2026-03-\(day) 14:30"]).succeed()
      let document = try JSONSerialization.jsonObject(with: Data(outcome.text.utf8))
      #expect(try JSONSchema("review").mistakes(in: document) == [], "\(outcome.text)")
      let found = try #require(document as? [String: Any])
      #expect(found["streak"] as? Int == streak && found["done"] as? Bool == done, "\(outcome.text)")
      #expect((found["inbox"] as? [Any])?.count == 7 && (found["picks"] as? [Any])?.count == 1, "\(outcome.text)")
      #expect((found["stuck"] as? [Any])?.count == 1 && (found["waiting"] as? [Any])?.count == 1, "\(outcome.text)")
    }
  }
}
