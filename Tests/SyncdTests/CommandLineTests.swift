import Foundation
import ProgramTesting
import SyncKit
import Testing

/// The contract, sections 2 to 4: the command line and the settings file.
@Suite struct CommandLineTests {
  @Test(
    "the manual has a page for the program, each command, the settings and each module, without a warning of mandoc or groff"
  )
  func manual() throws {
    let sandbox = try Sandbox()
    #expect(try sandbox.command(["manual", sandbox.path("man")], settings: "none").run().status == 0)
    let pages = sandbox.tree("man").names
    #expect(
      Set(pages).isSuperset(of: [
        "man1/syncd.1", "man1/syncd-remote.1", "man5/syncd.toml.5", "man7/syncd-folder.7", "man7/syncd-org-files.7",
      ]))
    let files = pages.map { sandbox.path("man/\($0)") }
    let verdict = try Command(["groff", "-man", "-Tutf8", "-ww"] + files).run()
    #expect(verdict.status == 0 && verdict.err.isEmpty, "\(verdict.err)")
    // A page that is generated has no date of its own.
    let lint = try Command(["mandoc", "-Tlint", "-W", "style"] + files).run()
    let complaints = lint.text.split(separator: "\n").filter { !$0.contains("missing date") }
    #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))\(lint.err)")
    for page in pages where page.hasPrefix("man1/syncd-") {
      let source = try #require(sandbox.read("man/\(page)"))
      for word in ["SYNOPSIS", "EXAMPLES", "SEE ALSO"] {
        #expect(source.contains(".SH \"\(word)\""), "\(page): \(word)")
      }
    }
    let text = try Command(["groff", "-man", "-Tascii", "-P-cbou", sandbox.path("man/man1/syncd.1")]).run().text
    for word in ["--once", "syncd-restore(1)", "EXIT STATUS", "syncd-conflicts(1)"] {
      #expect(text.contains(word), "\(word)")
    }
  }

  @Test(
    "a mistyped command is refused with the nearest one",
    arguments: [["statsu"], ["-v", "statsu"], ["statsu", "--json"]])
  func mistyped(arguments: [String]) throws {
    let run = try Sandbox().command(arguments, settings: "none").run()
    #expect(run.status == 2)
    #expect(run.err.contains("unknown command \"statsu\" (did you mean \"status\"?)"), "\(run.err)")
  }

  @Test("a mistake in SYNCD_FAILPOINTS is wrong usage, and nothing is done", arguments: ["pass.typo=kill", "nonsense"])
  func failpointTypo(list: String) throws {
    let sandbox = try Sandbox()
    try sandbox.write("* A\n", to: "org/a.org")
    let outcome = try sandbox.syncd("--once", environment: ["SYNCD_FAILPOINTS": list])
    #expect(outcome.status == 2 && outcome.err.contains(list), "\(outcome.story)")
    #expect(sandbox.tree("home").files.isEmpty)
  }

  @Test(
    "wrong usage ends with status 2, with the reason on standard error and nothing on standard output",
    arguments: [
      ["--bogus"], ["--once", "--bogus"], ["frobnicate"], ["--once", "extra"], ["--dry-run"],
      ["--once", "--timeout", "soon"],
      ["--once", "--remote", "nope"], ["--once", "--timeout"], ["show"], ["show", "/etc/passwd"], ["show", "../up"],
      ["allow"], ["deny"],
      ["undo", "three"], ["resolve", "a.org"], ["resolve", "a.org", "--ours", "--theirs"], ["backends", "nope"],
      ["settings", "frob"], ["merge-file", "one"], ["log", "a", "b"], ["why"],
      ["doctor", "nope"], ["--once", "--dry-run", "restore", "a.org"], ["restore", "a.org", "--once"],
      ["status", "--remote", "home"], ["--timeout", "5s"], ["conflicts", "--once"], ["undo", "1", "-n"],
    ])
  func wrongUsage(words: [String]) throws {
    let sandbox = try Sandbox()
    let outcome = try sandbox.command(words).run()
    #expect(outcome.status == 2, "\(outcome.story)")
    #expect(outcome.out.isEmpty)
    #expect(!outcome.err.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: sandbox.path("state")))
  }

  @Test(
    "help and version go to standard output, with status 0",
    arguments: [
      ["--help"], ["-h"], ["--version"], ["log", "--help"], ["settings", "--help"], ["help"], ["-V"],
    ])
  func help(words: [String]) throws {
    let outcome = try Command([Sandbox.binary] + words).run()
    #expect(outcome.status == 0)
    #expect(!outcome.out.isEmpty)
    #expect(outcome.err.isEmpty)
  }

  @Test("options are accepted before and after the subcommand")
  func optionPlaces() throws {
    let sandbox = try Sandbox()
    try sandbox.write("* A\n", to: "org/a.org")
    try sandbox.once()
    let settings = ["--settings", sandbox.path("s.toml")]
    for words in [
      settings + ["status", "--json"], ["status", "--json"] + settings, ["--json"] + settings + ["status"],
      ["--json", "status"] + settings,
    ] {
      let outcome = try Command([Sandbox.binary] + words).run()
      #expect(try outcome.json(Status.self).remotes.map(\.name) == ["home"])
    }
    for words in [["-q", "conflicts"], ["conflicts", "-q"], ["--quiet", "conflicts"]] {
      #expect(try sandbox.command(words).run().out.isEmpty)
    }
  }

  @Test("the JSON of a run has exactly the promised members")
  func document() throws {
    let sandbox = try Sandbox()
    try sandbox.write(["org/a.org": "* A\n", "home/b.org": "* B\n* C\n"])
    let outcome = try sandbox.syncd("--once", "--json")
    #expect(outcome.status == 0 && outcome.err.isEmpty, "\(outcome.story)")
    let report = try outcome.json(Report.self)
    #expect((report.version, report.result) == (1, "synced"))
    #expect(report.home.name == "home" && report.home.result == "synced")
    #expect(report.actions(on: "a.org").map { [$0.action, $0.to, $0.result] } == [["copy", "remote", "done"]])
    #expect(report.actions(on: "b.org").map { [$0.action, $0.to, $0.result] } == [["copy", "local", "done"]])
    #expect(report.home.counts == Report.Counts(copied: 2))
    #expect((report.home.bytes.up, report.home.bytes.down) == (4, 8))
    let next = try sandbox.once()
    #expect(next.pass > report.pass)
    #expect(next.home.actions.isEmpty && next.home.counts.isNothing)
  }

  @Test("-v lists every file, -q nothing that is in order, and a plain run stays short")
  func verbosity() throws {
    let sandbox = try Sandbox()
    try sandbox.write(["org/a.org": "* A\n", "org/b.org": "* B\n"])
    #expect(try sandbox.syncd("--once", "-q").out.isEmpty)
    try sandbox.write("* A2\n", to: "org/a.org")
    #expect(try sandbox.syncd("--once", "-v").text.contains("a.org"))
    let quiet = try sandbox.syncd("--once")
    #expect(quiet.status == 0 && quiet.text.split(separator: "\n").count == 1)
    #expect(try sandbox.syncd("--once", "-vq").status == 0)
  }

  @Test("a dry run changes nothing on any side and writes no state", arguments: [false, true])
  func dryRun(hasState: Bool) throws {
    let sandbox = try Sandbox(remotes: ["home", "away"])
    try sandbox.write(["org/a.org": "* A\n", "org/gone.org": "* Gone\n", "home/b.org": "* B\n"])
    if hasState {
      try sandbox.once()
      try sandbox.write(["org/a.org": "* A\none\n", "home/a.org": "* A\ntwo\n", "org/new/c.org": "* C\n"])
      try sandbox.remove("org/gone.org")
    }
    let before = try sandbox.fingerprint()
    let report = try sandbox.once("--dry-run", status: 10)
    #expect(report.remotes.flatMap(\.actions).allSatisfy { $0.result == "waiting" })
    #expect(!report.home.actions.isEmpty)
    let text = try sandbox.syncd("--once", "-n")
    #expect(text.status == 10 && text.text.contains(hasState ? "gone.org" : "a.org"))
    #expect(try sandbox.fingerprint() == before)
  }

  @Test(
    "commands that only read change nothing, with and without state",
    arguments: [
      ["status"], ["status", "--json"], ["log"], ["log", "a.org"], ["conflicts"], ["why", "a.org"],
      ["show", "a.org", "--at", "1"],
      ["backends"], ["settings", "check"], ["settings", "show"], ["settings", "schema"], ["settings", "template"],
    ])
  func looking(words: [String]) throws {
    let sandbox = try Sandbox()
    try sandbox.write("* A\n", to: "org/a.org")
    let untouched = try sandbox.fingerprint()
    let first = try sandbox.command(words).run()
    #expect(first.status == (["show": 4, "status": 10][words[0]] ?? 0), "\(first.story)")
    #expect(try sandbox.fingerprint() == untouched)
    try sandbox.once()
    try sandbox.write("* A\nmore\n", to: "org/a.org")
    try sandbox.once()
    let before = try sandbox.fingerprint()
    let outcome = try sandbox.command(words).run()
    #expect(outcome.status == 0 && outcome.err.isEmpty, "\(outcome.story)")
    #expect(try sandbox.fingerprint() == before)
  }

  @Test("--remote limits a run to some remotes, in any order")
  func remotes() throws {
    let sandbox = try Sandbox(remotes: ["one", "two", "three"])
    try sandbox.write("* A\n", to: "org/a.org")
    let report = try sandbox.once("--remote", "three", "--remote", "one")
    #expect(Set(report.remotes.map(\.name)) == ["one", "three"])
    #expect(sandbox.read("one/a.org") == "* A\n" && sandbox.read("three/a.org") == "* A\n")
    #expect(!FileManager.default.fileExists(atPath: sandbox.path("two")))
  }

  @Test("doctor reports for each remote what is right and what is wrong, and changes nothing")
  func doctor() throws {
    let sandbox = try Sandbox(remotes: ["home", "away"])
    try sandbox.write("* A\n", to: "org/a.org")
    try sandbox.once("--remote", "home")
    let before = try sandbox.fingerprint()
    let one = try sandbox.syncd("doctor", "home")
    #expect(one.status == 0, "\(one.story)")
    #expect(one.text.contains("home:\n  ok: \(sandbox.path("home")) is reachable and holds 1 file\n"))
    #expect(!one.text.contains("away"))
    #expect(one.text.hasPrefix("this machine:\n  ok: \(sandbox.path("org")) is reachable and holds 1 file\n"))
    #expect(one.text.contains("are intact"))
    let all = try sandbox.syncd("doctor", "--json")
    #expect(all.status == 4, "the folder of `away` does not exist yet\n\(all.story)")
    #expect(all.text.contains("\"level\": \"problem\""))
    #expect(try sandbox.fingerprint() == before)
  }

  @Test("doctor reads the history again and names damaged content")
  func damagedHistory() throws {
    let sandbox = try Sandbox()
    try sandbox.write("* A note that is found in the history\n", to: "org/a.org")
    try sandbox.once()
    let pack = URL(filePath: sandbox.path("state/contents/1.pack"))
    var bytes = try Data(contentsOf: pack)
    // A short text stands in its frame as it is.
    let range = try #require(bytes.range(of: Data("found in the history".utf8)))
    bytes[range.lowerBound] ^= 1
    try bytes.write(to: pack)
    let outcome = try sandbox.syncd("doctor", "home")
    #expect(outcome.status == 7, "\(outcome.story)")
    #expect(outcome.text.contains("  note: move \(sandbox.path("state")) aside and run again"))
    let digest = Digest(of: "* A note that is found in the history\n".utf8)
    let problem = "  problem: the archive is damaged: the content \(digest) has the wrong checksum\n"
    #expect(outcome.text.contains(problem), "\(outcome.story)")
  }

  @Test("in a git hook, a run ignores git's variables and works without input and terminal")
  func hook() throws {
    let sandbox = try Sandbox()
    try sandbox.write("* A\n", to: "org/a.org")
    try sandbox.write("[remotes.home.folder.x]\n", to: "unused")
    let trap = sandbox.path("trap")
    let variables = [
      "GIT_DIR": trap, "GIT_WORK_TREE": trap, "GIT_INDEX_FILE": trap + "/index", "GIT_QUARANTINE_PATH": trap,
    ]
    var command = sandbox.command(["--once"], environment: variables)
    command.closesInput = true
    let outcome = try command.run()
    #expect(outcome.status == 0 && outcome.err.isEmpty, "\(outcome.story)")
    #expect(sandbox.read("home/a.org") == "* A\n")
    #expect(!FileManager.default.fileExists(atPath: trap))
    for words in [["init"], ["resolve", "a.org", "--ours"], ["status"]] {
      var command = sandbox.command(words, environment: variables)
      command.closesInput = true
      #expect(try command.run().status < 128)
    }
  }

  @Test("a reader that closes the output early does not crash the program")
  func closedOutput() throws {
    let sandbox = try Sandbox()
    for number in 0..<200 { try sandbox.write("* \(number)\n", to: "org/\(number).org") }
    let outcome = try Command([
      "bash", "-c",
      "'\(Sandbox.binary)' --settings '\(sandbox.path("s.toml"))' --once -v | head -1; exit ${PIPESTATUS[0]}",
    ]).run()
    #expect(outcome.status == 0, "\(outcome.story)")
    #expect(sandbox.tree("home") == sandbox.store)
  }

  @Test("`backends` prints all modules or one, also as JSON")
  func backends() throws {
    let sandbox = try Sandbox()
    let all = try sandbox.syncd("backends").text
    for id in ["folder", "org-files", "plain-files"] { #expect(all.contains(id)) }
    #expect(try sandbox.syncd("backends", "folder").text.contains("path"))
    struct Document: Decodable {
      var version: Int
      var backends: [Backend]
      struct Backend: Decodable {
        var id: String
        var role: String
        var summary: String
        var settings: [Setting]
        struct Setting: Decodable { var key: String }
      }
    }
    let document = try sandbox.syncd("backends", "--json").json(Document.self)
    #expect(document.version == 1 && document.backends.count >= 3)
    let folder = try sandbox.syncd("backends", "folder", "--json").json(Document.self)
    #expect(folder.backends.map(\.id) == ["folder"])
    #expect(folder.backends.first?.settings.contains { $0.key == "path" } == true)
    // It needs no settings.
    #expect(try Command([Sandbox.binary, "backends"]).run().status == 0)
  }
}
