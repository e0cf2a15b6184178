import Foundation
import ProgramTesting
import Testing

/// Every JSON document that the program prints is valid according to its schema in `docs/schema`, and `contract.md` has every
/// field.
@Suite("JSON documents") struct SchemaTests {
  private func expectValid(_ text: String, _ name: String, _ story: String = "") throws {
    let document = try JSONSerialization.jsonObject(with: Data(text.utf8))
    #expect(try JSONSchema(name).mistakes(in: document) == [], "\(text)\n\(story)")
  }

  /// Runs a command with `--json`, and validates its output.
  @discardableResult
  private func check(_ sandbox: Sandbox, _ name: String, _ words: String...) throws -> Outcome {
    let outcome = try sandbox.command(words + ["--json"]).run()
    try expectValid(outcome.text, name, outcome.story)
    return outcome
  }

  private static let names: [String] = {
    let folder = Documents.project.appending(path: "docs/schema").path
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return files.filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }.sorted()
  }()

  @Test("a missing, additional or mistyped member is detected")
  func mistakes() throws {
    let schema = try JSONSchema("changed-file")
    let good: [String: Any] = ["version": 1, "path": "a.org"]
    #expect(schema.mistakes(in: good) == [])
    for bad in [
      ["version": 1], ["version": 2, "path": "a"], ["version": 1, "path": 3], ["version": 1, "path": "a", "x": 1],
    ] {
      #expect(!schema.mistakes(in: bad as [String: Any]).isEmpty, "\(bad)")
    }
    let decided = try JSONSchema("event")
    #expect(!decided.mistakes(in: ["version": 1, "event": "slept"]).isEmpty)
  }

  @Test("contract.md has a table with every member of every schema", arguments: names)
  func fields(name: String) throws {
    let contract = try Documents.text("contract.md")
    let section = try #require(
      contract.firstRange(of: "\n#### \(name)\n").map { contract[$0.upperBound...] }, "\(name)")
    let text = section.firstRange(of: "\n#### ").map { section[..<$0.lowerBound] } ?? section
    for property in try JSONSchema(name).properties where property != "version" {
      #expect(text.contains("| `\(property)` |"), "\(name) does not explain \(property)")
    }
  }

  @Test("the documents of runs match their schemas in every situation")
  func runs() throws {
    let sandbox = try Sandbox(remotes: ["home", "away"])
    try sandbox.write("* A\n", to: "org/a.org")
    try sandbox.write(String(repeating: "* Note\n", count: 9), to: "org/gone.org")
    for number in 0..<8 { try sandbox.write("* \(number)\n", to: "org/\(number).org") }
    try check(sandbox, "run", "--once", "--dry-run")
    try check(sandbox, "plan", "plan")
    try check(sandbox, "run", "--once")
    try check(sandbox, "status", "status")
    try sandbox.write("* A here\n", to: "org/a.org")
    try sandbox.write("* A there\n", to: "home/a.org")
    for number in 0..<8 { try sandbox.remove("org/\(number).org") }
    try sandbox.move("away", "unmounted")
    let outcome = try check(sandbox, "run", "--once")
    for word in ["\"hold\"", "\"open-conflicts\"", "\"error\""] { #expect(outcome.text.contains(word), "\(word)") }
    let status = try check(sandbox, "status", "status").json(Status.self)
    #expect(status.remotes[0].held != nil && status.remotes[1].trouble != nil && !status.remotes[0].conflicts.isEmpty)
    try check(sandbox, "conflicts", "conflicts")
    try check(sandbox, "resolve", "resolve", "a.org", "--ours")
    let held = try #require(status.remotes[0].held)
    try check(sandbox, "allow", "allow", held.id, try #require(held.paths.first))
    let rest = try sandbox.syncd("status", "--json").json(Status.self)
    try check(sandbox, "deny", "deny", try #require(rest.remotes[0].held?.id))
    try check(sandbox, "doctor", "doctor", "home")
    try check(sandbox, "why", "why", "a.org")
    try check(sandbox, "why", "why", "unknown.org")
    try check(sandbox, "log", "log")
    try check(sandbox, "log", "log", "a.org")
    try check(sandbox, "blame", "blame", "a.org")
    try check(sandbox, "diff", "diff", "a.org")
    try check(sandbox, "diff", "diff", "gone.org", "0", "1")
    try check(sandbox, "restore", "restore", "a.org")
    try check(sandbox, "changed-file", "capture", "Buy string")
    try check(sandbox, "edit", "new", "inbox.org:1", "Buy paint", "--child")
    try check(sandbox, "undo", "undo", "2")
  }

  @Test("a command that fails prints one document, with the message and the exit status")
  func errors() throws {
    let sandbox = try Sandbox()
    try sandbox.write("not = [valid", to: "bad.toml")
    for (settings, words, code, status) in [
      ("s.toml", ["log", "unknown.org"], "notFound", 4), ("s.toml", ["log", "--sinc", "2h"], "usage", 2),
      ("s.toml", ["statsu"], "usage", 2), ("s.toml", ["--once", "--remote", "nowhere"], "usage", 2),
      ("bad.toml", ["status"], "invalidSettings", 8), ("missing.toml", ["--once"], "invalidSettings", 8),
    ] {
      let outcome = try sandbox.command(words + ["--json"], settings: settings).run()
      try expectValid(outcome.text, "error", outcome.story)
      #expect(outcome.status == status && !outcome.err.isEmpty, "\(outcome.story)")
      let document = try JSONSerialization.jsonObject(with: Data(outcome.text.utf8)) as? [String: Any]
      #expect(document?["code"] as? String == code && document?["exit-status"] as? Int == status, "\(outcome.story)")
    }
  }

  @Test("the documents about deleted files match their schemas")
  func deleted() throws {
    let sandbox = try Sandbox()
    try sandbox.write(["org/a.org": "* A\n", "org/b.org": "* B\n", "org/c.org": "* C\n"])
    try sandbox.once()
    try sandbox.remove("org/a.org")
    try sandbox.move("org/b.org", "org/d.org")
    try sandbox.once()
    let text = try check(sandbox, "deleted", "deleted").text
    for word in ["a.org", "b.org", "d.org"] { #expect(text.contains("\"\(word)\""), "\(word)") }
  }

  @Test("the documents about the files of a store match their schemas")
  func storeFiles() throws {
    let store = try SQLiteSandbox(["a.org": "* A\n", "b.org": "* B\n"])
    let sandbox = store.sandbox
    try sandbox.shell("ln -s a.org in/link.org")
    try check(sandbox, "store-files", "store", "ls")
    try check(sandbox, "store-change", "store", "put", "c.org", sandbox.path("in/a.org"))
    try check(sandbox, "store-change", "store", "put", "c.org", sandbox.path("in/a.org"))
    try check(sandbox, "store-change", "store", "mv", "c.org", "d.org")
    try check(sandbox, "store-change", "store", "rm", "d.org")
    try check(sandbox, "store-transfer", "store", "import", sandbox.path("in"))
    try check(sandbox, "store-transfer", "store", "export", sandbox.path("out"))
    try store.damage("* B\n")
    try check(sandbox, "store-repair", "store", "repair")
    try check(sandbox, "error", "store", "cat", "none.org")
  }

  @Test("the documents about entries match their schemas")
  func entries() throws {
    let sandbox = try Sandbox()
    try sandbox.write(
      "* TODO Run :home:\nSCHEDULED: <2026-03-08 Sun .+2d>\n:PROPERTIES:\n:STYLE: habit\n:COORDINATES: 48,16\n:END:\n",
      to: "org/habit.org")
    let agenda = try check(sandbox, "agenda", "agenda", "week", "--at", "2026-03-10 14:30")
    #expect(agenda.text.contains("\"past-scheduled\""), "\(agenda.story)")
    try check(sandbox, "agenda", "stuck")
    let found = try check(sandbox, "items", "search", "it.todo")
    #expect(found.text.contains("habit.org"), "\(found.story)")
    try check(sandbox, "items", "near", "48,16")
    try check(sandbox, "tags", "tags")
    let habits = try check(sandbox, "habits", "habits")
    #expect(habits.text.contains("\"interval\": 2"), "\(habits.story)")
  }

  @Test("the documents about settings, modules, hooks, the service file and keys match their schemas")
  func others() throws {
    let sandbox = try Sandbox()
    try check(sandbox, "settings-check", "settings", "check")
    try check(sandbox, "settings-show", "settings", "show")
    try check(sandbox, "backends", "backends")
    try check(sandbox, "backends", "backends", "webdav")
    try Command(["git", "init", "-q", sandbox.path("repository")]).succeed()
    try check(sandbox, "hook", "hook", "install", sandbox.path("repository"))
    try check(sandbox, "hook", "hook", "uninstall", sandbox.path("repository"))
    for word in ["install", "uninstall"] {
      var command = sandbox.command(["service", word, "--json"])
      command.environment["XDG_CONFIG_HOME"] = sandbox.path("config")
      let outcome = try command.run()
      try expectValid(outcome.text, "service", outcome.story)
    }
    let written = try sandbox.command(
      ["init", "--store", sandbox.path("o"), "--folder", sandbox.path("f"), "--json"], settings: "new.toml"
    ).run()
    try expectValid(written.text, "init", written.story)
    let invitation = try sandbox.command(["invite"]).succeed().text.trimmingCharacters(in: .newlines)
    try check(sandbox, "invite", "invite")
    let joined = try sandbox.command(
      ["join", invitation, "--store", sandbox.path("o"), "--json"], settings: "joined.toml"
    ).run()
    try expectValid(joined.text, "join", joined.story)
    let plain = try #require(sandbox.read("s.toml"))
    try sandbox.write("* A\n", to: "org/a.org")
    try sandbox.once()
    try sandbox.write(
      plain.replacing("cloud = \"folder\"", with: "cloud = \"folder\"\nencryption = \"age\"")
        + "[remotes.home.age]\npassphrase = \"correct horse\"\n", to: "s.toml")
    try check(sandbox, "rekey", "rekey", "home")
    try check(sandbox, "remote-reset", "remote", "reset", "home")
    try check(sandbox, "remote-list", "remote", "list")
    try check(sandbox, "remote-change", "remote", "add", "new", "--folder", sandbox.path("new"))
    try check(sandbox, "remote-change", "remote", "edit", "new", "--set", "mode=send")
    try check(sandbox, "remote-change", "remote", "rename", "new", "other")
    try check(sandbox, "remote-change", "remote", "remove", "other")
    try check(sandbox, "plan", "plan", "--out", sandbox.path("plan.json"))
    try check(sandbox, "run", "apply", sandbox.path("plan.json"))
    try check(sandbox, "pause", "pause", "home")
    try check(sandbox, "resume", "resume")
  }

  @Test("the documents of a sign-in match their schemas")
  func login() throws {
    let emulator = URL(filePath: Sandbox.binary).deletingLastPathComponent().appending(path: "dropbox-emulator").path
    guard FileManager.default.isExecutableFile(atPath: emulator) else { return skip("dropbox-emulator is not built") }
    let sandbox = try Sandbox(remotes: [])
    let server = try Command([emulator, "--port", "0"]).start()
    defer { server.kill() }
    try sandbox.wait("the emulator") { server.text.contains("URL=") }
    let address = server.text.replacing("URL=", with: "").trimmingCharacters(in: .whitespacesAndNewlines)
    let settings = try #require(sandbox.read("s.toml"))
    try sandbox.write(
      settings + "[remotes.home]\nsync = \"plain-files\"\ncloud = \"dropbox\"\n[remotes.home.dropbox]\n"
        + "app-key = \"key\"\nrefresh-token = { file = \"token\" }\napi-url = \"\(address)\"\n", to: "s.toml")
    let script = """
      mkfifo in; "$0" --settings s.toml login home --json <in >out 2>err & exec 3>in
      until grep -q authorize err; do sleep 0.05; done
      curl -s "$(grep -o 'http[^ ]*authorize[^ ]*' err)" | sed 's/.*id=code>\\([^<]*\\)<.*/\\1/' >&3
      exec 3>&-; wait $!
      """
    var command = Command(["sh", "-c", script, Sandbox.binary])
    command.folder = sandbox.root
    let outcome = try command.run()
    try expectValid(sandbox.read("out") ?? "", "login", outcome.story + (sandbox.read("err") ?? ""))
  }

  @Test("the documents of the audit log, the log, the events and the control socket match their schemas")
  func lines() throws {
    let sandbox = try Sandbox(settings: "audit-log = \"audit.jsonl\"\nlog-format = \"json\"\nquiet = \"50ms\"")
    try sandbox.write("* A\n", to: "org/a.org")
    let service = try sandbox.command([]).start()
    defer { service.kill() }
    try sandbox.wait("the first sync") { sandbox.read("home/a.org") == "* A\n" }
    let watch = try sandbox.command(["status", "--watch", "--json"]).start()
    defer { watch.kill() }
    try sandbox.wait("the watcher") { watch.text.contains("\"version\"") }
    var number = 0
    try sandbox.wait("an event") {
      number += 1
      if number % 100 == 1 { try? sandbox.write("* \(number)\n", to: "org/\(number).org") }
      return watch.text.contains("\"ended\"")
    }
    if try Command(["sh", "-c", "command -v socat"]).run().status == 0 {
      for (request, name) in Self.requests {
        let socket = sandbox.path("state/control")
        let line = "printf '%s\\n' '{\"do\": \"\(request)\"}'"
        var answer = ""
        // socat waits for an answer that long, and always that long with a watcher.
        for patience in [5, 60] where answer.isEmpty {
          answer = try Command(
            ["sh", "-c", "\(line) | socat -t \(patience) - 'UNIX-CONNECT:\(socket)' | head -n 1"]
          ).run().text
        }
        try expectValid(answer, name, request)
      }
    } else {
      skip("socat is not installed")
    }
    service.kill(SIGTERM)
    let ended = try service.wait()
    for line in try watch.wait().text.split(separator: "\n") where line.contains("\"event\"") {
      try expectValid(String(line), "event")
    }
    for line in (sandbox.read("audit.jsonl") ?? "").split(separator: "\n") { try expectValid(String(line), "audit") }
    #expect(sandbox.read("audit.jsonl")?.isEmpty == false)
    for line in ended.err.split(separator: "\n") where line.hasPrefix("{") { try expectValid(String(line), "log-line") }
    #expect(ended.err.contains("{"))
  }

  private static let requests = [
    ("status", "control-status"), ("watch", "control-status"), ("pause", "control-answer"),
    ("resume", "control-answer"),
    ("sync", "control-sync"), ("nonsense", "control-answer"),
  ]
}
