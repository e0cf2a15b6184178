import Foundation
import ProgramTesting
import Testing

/// Output that cannot be printed.
@Suite struct OutputTests {
  private func syncd(_ sandbox: Sandbox, _ words: [String], _ redirection: String) throws -> Outcome {
    let all = [Sandbox.binary, "--settings", sandbox.path("s.toml")] + words
    return try Command(["/bin/sh", "-c", "exec \"$0\" \"$@\" \(redirection)"] + all).run()
  }

  @Test(
    "a result that cannot be written is reported with exit status 4",
    arguments: [
      ["status"], ["backends"], ["--help"], ["log"], ["settings", "show"], ["--once", "-v"], ["--once", "--json"],
    ])
  func full(words: [String]) throws {
    let sandbox = try Sandbox()
    try sandbox.write("* A\n", to: "org/a.org")
    let outcome = try syncd(sandbox, words, ">/dev/full")
    #expect(outcome.status == 4 && outcome.err.contains("No space left on device"), "\(outcome.story)")
    if words[0] == "--once" { #expect(sandbox.read("home/a.org") == "* A\n") }
  }

  @Test("a merge whose result cannot be printed ends with status 2")
  func fullMerge() throws {
    let sandbox = try Sandbox(remotes: [])
    try sandbox.write("* A\n", to: "a.org")
    let file = sandbox.path("a.org")
    let words = [Sandbox.binary, "merge-file", file, file, file, "--stdout"]
    let outcome = try Command(["/bin/sh", "-c", "exec \"$0\" \"$@\" >/dev/full"] + words).run()
    #expect(outcome.status == 2 && outcome.err.contains("No space left on device"), "\(outcome.story)")
  }

  @Test("a run without standard streams syncs and writes nothing in their place, and a command that must print fails")
  func closed() throws {
    let sandbox = try Sandbox()
    try sandbox.write("* A\n", to: "org/a.org")
    for words in [["--once", "-v"], ["--once", "--json"]] {
      let outcome = try syncd(sandbox, words, ">&- 2>&- <&-")
      #expect(outcome.status == 0, "\(outcome.story)")
    }
    #expect(sandbox.read("home/a.org") == "* A\n")
    #expect(try sandbox.syncd("doctor").status == 0)
    #expect(try syncd(sandbox, ["status"], ">&-").status == 4)
  }

  @Test("every command that changes something prints one JSON document on request")
  func documents() throws {
    let sandbox = try Sandbox()
    try sandbox.write("* A\n", to: "org/a.org")
    try sandbox.once()
    try sandbox.write("* A2\n", to: "org/a.org")
    let pass = try sandbox.once().pass
    try sandbox.write("* A3\n", to: "home/a.org")
    let third = try sandbox.once().pass
    try Command(["git", "init", "--quiet", sandbox.path("repo")]).succeed()
    struct Document: Decodable { var version: Int }
    for words in [
      ["undo", "\(third)"], ["restore", "a.org", "--at", "\(pass)"], ["capture", "note"],
      ["hook", "install", sandbox.path("repo")], ["hook", "uninstall", sandbox.path("repo")],
    ] {
      let outcome = try sandbox.command(words + ["--json"]).run()
      #expect(outcome.status == 0, "\(words): \(outcome.story)")
      #expect(try outcome.json(Document.self).version == 1)
    }
  }

  @Test("very long limits are accepted")
  func longLimit() throws {
    let sandbox = try Sandbox(settings: "interval = \"9999999d\"\nhistory = \"9999999d\"")
    #expect(try sandbox.syncd("--once", "--timeout", "200000d").status == 0)
  }

  @Test("an unknown pass, an unknown file and an unreadable settings file have clear errors")
  func unknown() throws {
    let sandbox = try Sandbox()
    try sandbox.write("* A\n", to: "org/a.org")
    try sandbox.once()
    let show = try sandbox.syncd("show", "a.org", "--at", "99")
    #expect(show.status == 4 && show.err.contains("pass 99 not found"), "\(show.story)")
    let log = try sandbox.syncd("log", "nope")
    #expect(log.status == 4 && log.err.contains("the history has no record of it"), "\(log.story)")
    let folder = try sandbox.syncd("status", settings: "org")
    #expect(folder.status == 8 && folder.err.contains("Is a directory"), "\(folder.story)")
  }

  @Test("a secret's command ends with a run that ends before it")
  func hangingSecret() throws {
    let sandbox = try Sandbox(remotes: [])
    let script = "echo $$ > '\(sandbox.path("id"))'; sleep infinity"
    try sandbox.write(
      """
      [syncd]
      state = "state"
      [store]
      path = "org"
      [remotes.home]
      cloud = "webdav"
      [remotes.home.webdav]
      url = "http://127.0.0.1:9/"
      user = "ann"
      password = { command = ["sh", "-c", "\(script)"] }
      """, to: "s.toml")
    // On a busy machine, a run may end before it has started the command.
    for limit in ["5s", "30s", "120s"] where sandbox.read("id")?.hasSuffix("\n") != true {
      #expect(try sandbox.syncd("--once", "--timeout", limit).status == 10)
    }
    let id = try #require(sandbox.read("id").flatMap { pid_t($0.trimmingCharacters(in: .newlines)) })
    try sandbox.wait("the command has ended") { hasEnded(id) }
  }
}
