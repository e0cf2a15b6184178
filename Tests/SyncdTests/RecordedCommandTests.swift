import Foundation
import ProgramTesting
import Testing

/// Commands that change the store or decide something are in the history like passes, and are undone like them.
@Suite("Recorded commands") struct RecordedCommandTests {
  private func undoLast(_ sandbox: Sandbox) throws {
    let outcome = try sandbox.syncd("undo", "last")
    #expect(outcome.status == 0 && outcome.text.contains("undid"), "\(outcome.story)")
  }

  private func expectLogged(_ words: String, _ sandbox: Sandbox) throws {
    let log = try sandbox.syncd("log", "-l", "1")
    #expect(log.text.contains(words), "\(log.story)")
  }

  @Test("restore and undo are recorded, and can be undone before and after the next pass", arguments: [false, true])
  func restore(isSent: Bool) throws {
    let sandbox = try Sandbox()
    for text in ["one\n", "two\n"] {
      try sandbox.write(text, to: "org/a.org")
      try sandbox.once()
    }
    try sandbox.command(["restore", "a.org"]).succeed()
    #expect(sandbox.read("org/a.org") == "one\n")
    try expectLogged("a.org: restored with `syncd restore`", sandbox)
    let number = try #require(try sandbox.syncd("log", "-l", "1").text.firstMatch(of: /pass (\d+)/)?.1)
    if isSent { try sandbox.once() }
    let undo = try sandbox.syncd("undo", String(number))
    #expect(undo.status == 0, "\(undo.story)")
    #expect(sandbox.read("org/a.org") == "two\n")
    try expectLogged("a.org: undid pass \(number)", sandbox)
    try sandbox.once()
    #expect(sandbox.read("home/a.org") == "two\n")
    try undoLast(sandbox)
    try sandbox.syncd("log")
  }

  @Test("capture is recorded")
  func capture() throws {
    let sandbox = try Sandbox()
    try sandbox.write("* Old\n", to: "org/inbox.org")
    try sandbox.once()
    try sandbox.command(["capture", "New"]).succeed()
    try expectLogged("inbox.org: captured with `syncd capture`", sandbox)
    try undoLast(sandbox)
    #expect(sandbox.read("org/inbox.org") == "* Old\n")
    #expect(try sandbox.once().result == "synced")
  }

  @Test(
    "decisions about held deletions are recorded, and the deletions are held again after an undo",
    arguments: ["allow", "deny"])
  func decisions(word: String) throws {
    let sandbox = try Sandbox()
    for number in 0..<10 { try sandbox.write("* \(number)\n", to: "org/\(number).org") }
    try sandbox.once()
    for number in 0..<6 { try sandbox.remove("org/\(number).org") }
    try sandbox.once(status: 6)
    func heldID() throws -> String {
      try #require(try sandbox.command(["status", "--json"]).run().json(Status.self).remotes[0].held?.id)
    }
    try sandbox.command([word, try heldID()]).succeed()
    try expectLogged("5.org: \(word == "allow" ? "approved" : "denied") with `syncd \(word)`", sandbox)
    try undoLast(sandbox)
    try sandbox.once(status: 6)
    #expect(sandbox.tree("home").files.count == 10 && sandbox.store.files.count == 4)
    try sandbox.command([word, try heldID()]).succeed()
    try sandbox.once()
    #expect(sandbox.tree("home").files.count == (word == "allow" ? 4 : 10))
    #expect(sandbox.store == sandbox.tree("home"))
  }

  @Test("resolve is recorded")
  func resolve() throws {
    let sandbox = try Sandbox()
    try sandbox.write("* A\nBase line of the text.\n", to: "org/a.org")
    try sandbox.once()
    try sandbox.write("* A\nOne version here.\n", to: "org/a.org")
    try sandbox.write("* A\nQuite another thing.\n", to: "home/a.org")
    try sandbox.once(status: 3)
    let before = sandbox.store
    try sandbox.command(["resolve", "a.org", "--ours"]).succeed()
    try expectLogged("a.org: resolved with `syncd resolve`", sandbox)
    #expect(sandbox.store != before)
    try undoLast(sandbox)
    #expect(sandbox.store == before)
  }

  // MARK: Names

  @Test("commands accept file names with any bytes, as the shell passes them")
  func rawNames() throws {
    let sandbox = try Sandbox()
    let script = """
      set -e
      raw="$(printf 'caf\\351.org')"; printf '* A\\n' >"org/$raw"; s() { "$0" --settings s.toml "$@"; }
      s --once -q; printf '* B\\n' >"org/$raw"; s --once -q
      s log "$raw" | grep -q '^pass 2 .* changed in the store'
      [ "$(s show "$raw")" = "* A" ]
      s diff "$raw" >diff && [ -s diff ]
      s why "$raw" | grep -q 'agreed on version'
      s restore "$raw" -q && [ "$(cat "org/$raw")" = "* A" ]
      (cd org && s=../s.toml; "$0" --settings ../s.toml log "./$raw" | grep -q '^pass 1 .* added in the store')
      rm "org/$raw"; s --once -q || true
      s deleted "$raw" | grep -q caf
      s deleted 'caf\\xe9*' | grep -q caf
      """
    var command = Command(["bash", "-c", script, Sandbox.binary])
    command.folder = sandbox.root
    let outcome = try command.run()
    #expect(outcome.status == 0, "\(outcome.story)")
  }

  // MARK: The end of a run

  @Test(
    "a run that receives SIGTERM or SIGINT stops after the current write and says so", arguments: [SIGTERM, SIGINT])
  func signals(signal: Int32) throws {
    let sandbox = try Sandbox()
    try sandbox.write("* A\n", to: "org/a.org")
    let plan = "storage.commit.starting=pause(\(sandbox.path("go")))"
    let run = try sandbox.command(["--once"], environment: ["SYNCD_FAILPOINTS": plan]).start()
    try sandbox.waitForPause("go")
    run.kill(signal)
    try sandbox.wait("an answer to the signal") { run.errors.contains("stopping after the current write") }
    try sandbox.write("", to: "go")
    let outcome = try run.wait()
    #expect(outcome.status == 10 && outcome.text.contains("stopped"), "\(outcome.story)")
    try sandbox.once()
    #expect(sandbox.read("home/a.org") == "* A\n")
  }
}
