import Foundation
import ProgramTesting
import Testing

/// `resolve --tool` with the merge tools of git: one that the user's settings of git define, and vim.
@Suite("Resolving in a merge tool") struct MergeToolTests {
  /// A sandbox with a conflict in one title, and an edit beside it that was merged.
  private func sandbox() throws -> Sandbox {
    let sandbox = try Sandbox()
    try sandbox.write("* Plan\n** TODO Draft the talk\n** TODO Book the train\n", to: "org/talk.org")
    try sandbox.once()
    try sandbox.write("* Plan\n** TODO Draft the keynote\n** TODO Book the train\n", to: "org/talk.org")
    try sandbox.write("* Plan\n** TODO Draft the workshop\n** DONE Book the train\n", to: "home/talk.org")
    try sandbox.once(status: 3)
    return sandbox
  }

  /// Runs `resolve` with a tool that is a shell command.
  private func resolve(
    _ sandbox: Sandbox, _ command: String, tool: String = "mine", _ words: String...
  ) throws -> Outcome {
    let value = command.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    try sandbox.write(
      "[mergetool \"mine\"]\n  cmd = \"\(value)\"\n  trustExitCode = true\n", to: "me/.gitconfig")
    return try sandbox.command(
      ["resolve", "talk.org", "--tool", tool] + words, environment: ["HOME": sandbox.path("me")]
    ).run()
  }

  @Test("the tool gets the base and both sides, which differ only in what is in dispute, and its result is the file")
  func resolved() throws {
    let sandbox = try sandbox()
    let copy =
      #"cp "$BASE" \#(sandbox.path("base")); cp "$LOCAL" \#(sandbox.path("local")); "#
      + #"cp "$REMOTE" \#(sandbox.path("remote")); cp "$MERGED" \#(sandbox.path("merged")); "#
    let outcome = try resolve(sandbox, copy + #"sed "s/the keynote/both/" "$LOCAL" >"$MERGED""#)
    #expect(outcome.status == 0 && outcome.text.contains("resolved talk.org"), "\(outcome.story)")
    #expect(sandbox.read("base") == "* Plan\n** TODO Draft the talk\n** TODO Book the train\n")
    #expect(sandbox.read("local") == "* Plan\n** TODO Draft the keynote\n** DONE Book the train\n")
    #expect(sandbox.read("remote") == "* Plan\n** TODO Draft the workshop\n** DONE Book the train\n")
    #expect(sandbox.read("merged")?.contains("<<<<<<< ours") == true)
    #expect(sandbox.read("org/talk.org") == "* Plan\n** TODO Draft both\n** DONE Book the train\n")
    try sandbox.once()
    #expect(sandbox.read("home/talk.org") == "* Plan\n** TODO Draft both\n** DONE Book the train\n")
    #expect(try sandbox.syncd("conflicts").text.contains("no open conflicts"))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: sandbox.path("state")).allSatisfy { !$0.hasPrefix("resolve") }
    )
  }

  @Test("a conflict stays open if the tool fails, leaves markers, is unknown, or the file was edited meanwhile")
  func unresolved() throws {
    let sandbox = try sandbox()
    let marked = try #require(sandbox.read("org/talk.org"))
    for (command, tool, message) in [
      ("false", "mine", "did not resolve talk.org"), ("true", "mine", "conflict markers"),
      ("true", "nothing", "git mergetool --tool-help"),
    ] {
      let outcome = try resolve(sandbox, command, tool: tool)
      #expect(outcome.status == 4 && outcome.err.contains(message), "\(outcome.story)")
      #expect(sandbox.read("org/talk.org") == marked)
    }
    let edit = #"echo '* Later' >>\#(sandbox.path("org/talk.org")); cp "$LOCAL" "$MERGED""#
    let outcome = try resolve(sandbox, edit)
    #expect(outcome.status == 4 && sandbox.read("org/talk.org") == marked + "* Later\n", "\(outcome.story)")
    #expect(try sandbox.syncd("conflicts").text.contains("talk.org"))
    #expect(try sandbox.syncd("resolve", "talk.org", "--tool", "vimdiff", "--ours").status == 2)
  }

  @Test("the lock is free while the tool runs")
  func lock() throws {
    let sandbox = try sandbox()
    let other = "\(Sandbox.binary) --settings \(sandbox.path("s.toml")) --once >\(sandbox.path("out")) 2>&1; "
    let outcome = try resolve(sandbox, other + #"cp "$REMOTE" "$MERGED""#)
    #expect(outcome.status == 0, "\(outcome.story) \(sandbox.read("out") ?? "")")
    #expect(sandbox.read("org/talk.org") == "* Plan\n** TODO Draft the workshop\n** DONE Book the train\n")
  }
}
