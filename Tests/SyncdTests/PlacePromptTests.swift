import Foundation
import ProgramTesting
import Testing

/// `resolve` without a choice, in a real terminal.
@Suite("Resolving place by place") struct PlacePromptTests {
  /// A sandbox with a conflict in two titles, and an edit between them that was merged.
  private func sandbox() throws -> Sandbox {
    let sandbox = try Sandbox()
    let text = { (one: String, two: String, state: String) in
      "* Plan\n** TODO Draft \(one)\n** \(state) Book the train\n* Later\n** TODO Read \(two)\n"
    }
    try sandbox.write(text("the talk", "the paper", "TODO"), to: "org/talk.org")
    try sandbox.once()
    try sandbox.write(text("the keynote", "the book", "TODO"), to: "org/talk.org")
    try sandbox.write(text("the workshop", "the thesis", "DONE"), to: "home/talk.org")
    try sandbox.once(status: 3)
    return sandbox
  }

  @Test("each place is chosen for itself: ours, theirs, both, or edited; the rest stays merged")
  func places() throws {
    for (answers, one, two) in [
      (["o", "t"], "** TODO Draft the keynote", "** TODO Read the thesis"),
      (["t", "x", "b"], "** TODO Draft the workshop", "** TODO Read the book\n** TODO Read the thesis"),
      (["e", "e"], "** TODO Draft my own words", "** TODO Draft my own words"),
    ] {
      let sandbox = try sandbox()
      try sandbox.writeProgram("#!/bin/sh\nprintf '** TODO Draft my own words\\n' >\"$1\"\n", to: "editor")
      let dialog = try sandbox.dialog(
        ["resolve", "talk.org"], typed: ["": answers], variables: ["EDITOR": sandbox.path("editor")])
      #expect(dialog.outcome.status == 0, "\(dialog.shown)")
      #expect(
        dialog.shown.contains("talk.org, place 1 of 2") && dialog.shown.contains("resolved talk.org"), "\(dialog.shown)"
      )
      #expect(
        sandbox.read("org/talk.org") == "* Plan\n\(one)\n** DONE Book the train\n* Later\n\(two)\n", "\(dialog.shown)")
      #expect(try sandbox.syncd("conflicts").text.contains("no open conflicts"))
      try sandbox.once()
      #expect(sandbox.read("home/talk.org") == sandbox.read("org/talk.org"))
    }
  }

  @Test("entries beside each other are separate places")
  func neighbours() throws {
    let sandbox = try Sandbox()
    try sandbox.write("* U\nThe old text.\n* TODO V\n", to: "org/talk.org")
    try sandbox.once()
    try sandbox.write("* U\nThe new text.\n* DONE V\n", to: "org/talk.org")
    try sandbox.write("* U\nThe red text.\n* WAITING V\n", to: "home/talk.org")
    try sandbox.once(status: 3)
    let dialog = try sandbox.dialog(["resolve", "talk.org"], typed: ["": ["b", "t"]])
    #expect(dialog.outcome.status == 0 && dialog.shown.contains("place 2 of 2"), "\(dialog.shown)")
    #expect(sandbox.read("org/talk.org") == "* U\nThe new text.\nThe red text.\n* WAITING V\n", "\(dialog.shown)")
  }

  @Test("a conflict stays open if the user quits, and nothing is asked without a terminal")
  func quit() throws {
    let sandbox = try sandbox()
    let marked = sandbox.read("org/talk.org")
    let dialog = try sandbox.dialog(["resolve", "talk.org"], typed: ["": ["o", "q"]])
    #expect(dialog.outcome.status == 4 && dialog.shown.contains("stays open"), "\(dialog.shown)")
    #expect(sandbox.read("org/talk.org") == marked)
    #expect(try sandbox.syncd("conflicts").text.contains("talk.org"))
    #expect(try sandbox.syncd("resolve", "talk.org").status == 2)
  }

  @Test("a list is shown in the pager, with colours, and not if it is piped")
  func pager() throws {
    let sandbox = try sandbox()
    let dialog = try sandbox.dialog(
      ["log", "-p"], typed: [:], variables: ["PAGER": "sed 's/^/| /'", "TERM": "xterm"])
    #expect(dialog.shown.contains("| \u{1B}[33mpass 1"), "\(dialog.shown)")
    let plain = try sandbox.dialog(
      ["log", "-p"], typed: [:], variables: ["PAGER": "cat", "TERM": "xterm", "NO_COLOR": "1"])
    #expect(plain.shown.contains("pass 1") && !plain.shown.contains("\u{1B}["), "\(plain.shown)")
    #expect(try !sandbox.syncd("log", "-p").text.contains("\u{1B}["))
  }
}
