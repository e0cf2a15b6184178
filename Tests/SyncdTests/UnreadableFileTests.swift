import Foundation
import ProgramTesting
import Testing

/// Commands that list entries say which files of the store they could not read.
@Suite("Unreadable files of the store") struct UnreadableFileTests {
  private static let entries = "* TODO Call Ann :phone:\nSCHEDULED: <2026-03-10 Tue>\n"

  private static let commands = [
    ["search", "i.todo"], ["agenda", "--at", "2026-03-10 08:00"], ["tags"], ["habits"],
    ["review", "--list", "--at", "2026-03-10 08:00"],
  ]

  @Test(
    "their entries are missing, they are named each time, and the exit status is that of a failed file",
    arguments: [true, false])
  func named(hasIndex: Bool) throws {
    let sandbox = try Sandbox()
    try sandbox.write([
      "org/a.org": Self.entries, "org/b.org": Self.entries, "org/sub/c.org": Self.entries, "org/d.org": Self.entries,
    ])
    // The first sync creates the index.
    if hasIndex {
      try sandbox.once()
      #expect(try sandbox.syncd("search", "i.todo").status == 0)
    }
    try sandbox.shell("chmod 000 org/b.org org/sub; touch -d '2 hours ago' org/a.org org/d.org org")
    for words in [["search", "i.todo"], ["search", "i.todo", "--json"], ["tags"], ["search", "i.todo"]] {
      let outcome = try sandbox.command(words).boundByPermissions.run()
      #expect(outcome.status == 4, "\(words): \(outcome.story)")
      #expect(outcome.err.contains("cannot read b.org, so its entries"), "\(words): \(outcome.story)")
      #expect(outcome.err.contains("cannot read sub, so its entries"), "\(words): \(outcome.story)")
      #expect(!outcome.err.contains("a.org") && !outcome.text.contains("b.org"), "\(words): \(outcome.story)")
      if words[0] == "search" { #expect(outcome.text.contains("a.org") && outcome.text.contains("d.org")) }
    }
    try sandbox.shell("chmod 755 org/sub; chmod 644 org/b.org")
    let outcome = try sandbox.command(["search", "i.todo"]).boundByPermissions.run()
    #expect(outcome.status == 0 && outcome.err.isEmpty, "\(outcome.story)")
    for name in ["a.org", "b.org", "sub/c.org", "d.org"] { #expect(outcome.text.contains(name), "\(outcome.story)") }
  }

  @Test("each command that lists entries names them", arguments: commands)
  func everyCommand(words: [String]) throws {
    let sandbox = try Sandbox()
    try sandbox.write(["org/a.org": Self.entries, "org/b.org": Self.entries])
    try sandbox.once()
    let before = try sandbox.command(words).boundByPermissions.run()
    try sandbox.shell("chmod 000 org/b.org")
    let outcome = try sandbox.command(words).boundByPermissions.run()
    #expect(before.status == 0 && outcome.status == 4, "\(before.story)\n\(outcome.story)")
    #expect(outcome.err.contains("cannot read b.org"), "\(outcome.story)")
  }
}
