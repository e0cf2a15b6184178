import Foundation
import ProgramTesting
import Testing

/// `syncd hook install`, with real git; `syncd service` and `syncd capture`.
@Suite("Hooks, service files and captured entries") struct HookTests {
  private func git(_ sandbox: Sandbox, _ words: String...) throws -> Outcome {
    var command = Command(["git", "-c", "user.name=A", "-c", "user.email=a@example.org"] + words)
    command.folder = sandbox.path("org")
    command.environment["HOME"] = sandbox.root
    return try command.run()
  }

  private func repository(_ sandbox: Sandbox, _ words: String...) throws {
    #expect(try git(sandbox, "init", "--quiet").status == 0)
    try sandbox.write("* A\n", to: "org/a.org")
    #expect(try git(sandbox, "add", "a.org").status == 0)
  }

  @Test(
    "a commit syncs after the existing hooks, and does not damage the index", arguments: ["", "sh", "python"])
  func commit(before: String) throws {
    let sandbox = try Sandbox()
    try repository(sandbox)
    let hook = "org/.git/hooks/post-commit"
    let proof = sandbox.path("proof")
    if before == "sh" { try sandbox.writeProgram("#!/bin/sh\necho ran >>'\(proof)'\n", to: hook) }
    if before == "python" {
      try sandbox.writeProgram("#!/usr/bin/env python3\nopen('\(proof)', 'a').write('ran\\n')\n", to: hook)
    }
    for _ in 0..<2 {
      let outcome = try sandbox.syncd("hook", "install", sandbox.path("org"))
      #expect(outcome.status == 0, "\(outcome.story)")
    }
    try sandbox.write("* Not committed\n", to: "org/b.org")
    let outcome = try git(sandbox, "commit", "--quiet", "--message", "one")
    #expect(outcome.status == 0, "\(outcome.story)")
    #expect(sandbox.read("home/a.org") == "* A\n" && sandbox.read("home/b.org") == "* Not committed\n")
    #expect(sandbox.read("proof") == (before.isEmpty ? nil : "ran\n"))
    #expect(try git(sandbox, "status", "--porcelain").text == "?? b.org\n")
    #expect(sandbox.read(hook)?.split(separator: "\n").count { $0.contains("--once") } == 1)
  }

  @Test("a merge syncs, and hooks are installed where git looks for them")
  func mergeAndHooksPath() throws {
    let sandbox = try Sandbox()
    try repository(sandbox)
    #expect(try git(sandbox, "config", "core.hooksPath", "my hooks").status == 0)
    try sandbox.write("/my hooks\n", to: "org/.syncdignore")
    #expect(try sandbox.syncd("hook", "install", sandbox.path("org")).status == 0)
    #expect(sandbox.read("org/my hooks/post-merge")?.contains("--once") == true)
    for words in [["commit", "--quiet", "-m", "1"], ["checkout", "--quiet", "-b", "side"]] {
      #expect(
        try Command(["git", "-C", sandbox.path("org"), "-c", "user.name=A", "-c", "user.email=a@b.c"] + words).run()
          .status == 0)
    }
    try sandbox.write("* A\nside\n", to: "org/a.org")
    #expect(try git(sandbox, "commit", "--quiet", "--no-verify", "-am", "2").status == 0)
    #expect(try git(sandbox, "checkout", "--quiet", "-").status == 0)
    try sandbox.once()
    #expect(sandbox.read("home/a.org") == "* A\n")
    #expect(try git(sandbox, "merge", "--quiet", "side").status == 0)
    #expect(sandbox.read("home/a.org") == "* A\nside\n")
  }

  @Test("a partial commit, and one in a linked work tree, sync and leave the index unchanged")
  func partialCommitAndWorktree() throws {
    let sandbox = try Sandbox()
    try repository(sandbox)
    #expect(try sandbox.syncd("hook", "install", sandbox.path("org")).status == 0)
    try sandbox.write("* B\n", to: "org/b.org")
    #expect(try git(sandbox, "commit", "--quiet", "-m", "1").status == 0)
    #expect(try git(sandbox, "add", "b.org").status == 0)
    try sandbox.write("* A\nmore\n", to: "org/a.org")
    let outcome = try git(sandbox, "commit", "--quiet", "-m", "2", "--only", "a.org")
    #expect(outcome.status == 0, "\(outcome.story)")
    #expect(sandbox.read("home/a.org") == "* A\nmore\n")
    #expect(try git(sandbox, "status", "--porcelain").text == "A  b.org\n")
    try sandbox.remove("home/b.org")
    #expect(try git(sandbox, "worktree", "add", "--quiet", sandbox.path("linked")).status == 0)
    try sandbox.write("* C\n", to: "linked/c.org")
    let linked = ["git", "-C", sandbox.path("linked"), "-c", "user.name=A", "-c", "user.email=a@example.org"]
    #expect(try Command(linked + ["add", "c.org"]).run().status == 0)
    try sandbox.write("* D\n", to: "org/d.org")
    #expect(try Command(linked + ["commit", "--quiet", "-m", "3"]).run().status == 0)
    #expect(sandbox.read("home/d.org") == "* D\n")
    #expect(try Command(linked + ["status", "--porcelain"]).run().text == "")
  }

  @Test("a push syncs in the pushing and in the receiving repository, even a bare one")
  func pushes() throws {
    let sandbox = try Sandbox()
    try repository(sandbox)
    #expect(try git(sandbox, "commit", "--quiet", "-m", "1").status == 0)
    #expect(try git(sandbox, "init", "--quiet", "--bare", sandbox.path("bare.git")).status == 0)
    #expect(try sandbox.syncd("hook", "install", sandbox.path("bare.git")).text.contains("post-receive"))
    try sandbox.write("* Seen at its arrival\n", to: "org/arrival.org")
    let first = try git(sandbox, "push", "--quiet", sandbox.path("bare.git"), "HEAD")
    #expect(first.status == 0, "\(first.story)")
    #expect(sandbox.read("home/arrival.org") == "* Seen at its arrival\n")
    #expect(try sandbox.syncd("hook", "install", "--on", "pre-push", sandbox.path("org")).status == 0)
    try sandbox.remove("bare.git/hooks/post-receive")
    try sandbox.write("* Seen at its start\n", to: "org/start.org")
    #expect(try git(sandbox, "push", "--quiet", sandbox.path("bare.git"), "HEAD:refs/heads/other").status == 0)
    #expect(sandbox.read("home/start.org") == "* Seen at its start\n")
    #expect(try sandbox.syncd("hook", "install", "--on", "no-hook", sandbox.path("org")).status == 2)
  }

  @Test(
    "an existing hook of any language runs first, however it ends, and is restored by the removal",
    arguments: [
      "#!/bin/sh\necho first >>\"$PROOF\"\nexit 3\n", "#!/bin/bash\nexec sh -c 'echo first >>\"$PROOF\"'\n",
      "#!/usr/bin/perl\nopen(F, '>>', $ENV{PROOF}); print F \"first\\n\"; exit 3\n",
      "#!/usr/bin/env python3\nimport os\nopen(os.environ['PROOF'], 'a').write('first\\n')\nraise SystemExit(3)\n",
    ])
  func chained(text: String) throws {
    let sandbox = try Sandbox()
    try repository(sandbox)
    let hook = sandbox.path("org/.git/hooks/post-commit")
    try sandbox.writeProgram(text, to: "org/.git/hooks/post-commit", mode: "750")
    for _ in 0..<2 { #expect(try sandbox.syncd("hook", "install", sandbox.path("org")).status == 0) }
    var run = Command([hook])
    run.environment["PROOF"] = sandbox.path("proof")
    #expect(try run.run().status == (text.contains("3") && text.contains("xit") ? 3 : 0))
    #expect(sandbox.read("proof") == "first\n" && sandbox.read("home/a.org") == "* A\n")
    #expect(try sandbox.syncd("hook", "uninstall", sandbox.path("org")).status == 0)
    #expect(sandbox.read("org/.git/hooks/post-commit") == text)
    #expect(try Command(["stat", "-c", "%a", hook]).run().text == "750\n")
    let left = sandbox.tree("org/.git/hooks").names
    #expect(!left.contains("post-merge") && !left.contains { $0.contains("syncd") })
  }

  @Test("the existing hook receives git's standard input")
  func input() throws {
    let sandbox = try Sandbox()
    try repository(sandbox)
    try sandbox.writeProgram("#!/bin/sh\ncat >'\(sandbox.path("proof"))'; exit 1\n", to: "org/.git/hooks/pre-push")
    #expect(try sandbox.syncd("hook", "install", "--on", "pre-push", sandbox.path("org")).status == 0)
    #expect(try git(sandbox, "commit", "--quiet", "-m", "1").status == 0)
    #expect(try git(sandbox, "init", "--quiet", "--bare", sandbox.path("bare.git")).status == 0)
    #expect(try git(sandbox, "push", "--quiet", sandbox.path("bare.git"), "HEAD:refs/heads/x").status != 0)
    #expect(sandbox.read("proof")?.contains("refs/heads/x") == true)
  }

  @Test("a disabled hook stays disabled and is reported, a link is unchanged, and other lines are kept")
  func disabledAndLinked() throws {
    let sandbox = try Sandbox()
    try repository(sandbox)
    try sandbox.write("#!/bin/sh\necho ran >'\(sandbox.path("proof"))'\n", to: "org/.git/hooks/post-commit")
    let disabled = try sandbox.syncd("hook", "install", "--on", "post-commit", sandbox.path("org"))
    #expect(disabled.status == 0 && disabled.err.contains("stays disabled"), "\(disabled.story)")
    let hook = try #require(sandbox.read("org/.git/hooks/post-commit"))
    try sandbox.write(hook + "echo more\n", to: "org/.git/hooks/post-commit")
    #expect(try sandbox.syncd("hook", "install", "--on", "post-commit", sandbox.path("org")).status == 0)
    #expect(sandbox.read("org/.git/hooks/post-commit") == hook + "echo more\n")
    #expect(try sandbox.syncd("hook", "uninstall", sandbox.path("org")).status == 4)
    #expect(try git(sandbox, "commit", "--quiet", "-m", "1").status == 0)
    #expect(sandbox.read("proof") == nil && sandbox.read("home/a.org") == "* A\n")
    try sandbox.write("#!/bin/sh\n", to: "org/.git/kept-elsewhere")
    let link = sandbox.path("org/.git/hooks/post-merge")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "../kept-elsewhere")
    let linked = try sandbox.syncd("hook", "install", "--on", "post-merge", sandbox.path("org"))
    #expect(linked.status == 4 && linked.err.contains("--once"), "\(linked.story)")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "../kept-elsewhere")
    #expect(sandbox.read("org/.git/kept-elsewhere") == "#!/bin/sh\n")
  }

  @Test("a hook uses the settings file that the environment named")
  func settingsFromEnvironment() throws {
    let sandbox = try Sandbox()
    try repository(sandbox)
    var install = Command([Sandbox.binary, "hook", "install", sandbox.path("org")])
    install.environment["SYNCD_SETTINGS"] = sandbox.path("s.toml")
    try install.succeed()
    #expect(try git(sandbox, "commit", "--quiet", "-m", "1").status == 0)
    #expect(sandbox.read("home/a.org") == "* A\n")
  }

  @Test("the error for a folder without a repository names it, and nothing is written")
  func noRepository() throws {
    let sandbox = try Sandbox()
    let outcome = try sandbox.syncd("hook", "install", sandbox.path("org"))
    #expect(outcome.status == 4 && outcome.err.contains("not a git repository"), "\(outcome.story)")
    #expect(sandbox.store.files.isEmpty)
  }

  @Test("the printed service file is the installed one, it can be removed, and systemd accepts it")
  func service() throws {
    let sandbox = try Sandbox()
    let environment = ["HOME": sandbox.path("a home"), "XDG_CONFIG_HOME": ""]
    func syncd(_ word: String) throws -> Outcome {
      try sandbox.command(["service", word], environment: environment).run()
    }
    #if os(Linux)
      let printed = try syncd("print")
      #expect(printed.status == 0 && printed.text.contains("Type=notify"), "\(printed.story)")
      #expect(printed.text.contains("--settings \(sandbox.path("s.toml"))"))
      #expect(try syncd("uninstall").status == 4)
      #expect(try syncd("install").status == 0)
      #expect(sandbox.read("a home/.config/systemd/user/syncd.service") == printed.text)
      let verdict = try Command(
        ["systemd-analyze", "--user", "verify", sandbox.path("a home/.config/systemd/user/syncd.service")]).run()
      if verdict.status == 127 || verdict.err.contains("not found") { skip("systemd-analyze is not installed") }
      #expect(!verdict.err.contains("syncd.service:"), "\(verdict.story)")
      #expect(try syncd("uninstall").status == 0)
      #expect(sandbox.read("a home/.config/systemd/user/syncd.service") == nil)
    #endif
  }

  @Test("the launchd agent is a property list with the keys of launchd.plist(5)")
  func agent() throws {
    let sandbox = try Sandbox(settings: "quiet = \"50ms\"")
    try sandbox.move("s.toml", "a <b> & \"c\".toml")
    let printed = try sandbox.command(
      ["service", "print", "--for", "launchd"], environment: ["HOME": "/Users/ann"], settings: "a <b> & \"c\".toml"
    ).run()
    #expect(printed.status == 0, "\(printed.story)")
    try sandbox.write(printed.text, to: "agent.plist")
    let script = "import json, plistlib, sys; print(json.dumps(plistlib.load(open(sys.argv[1], 'rb'))))"
    let agent = try Command(["python3", "-c", script, sandbox.path("agent.plist")]).succeed().json([String: Value].self)
    guard case .words(let words)? = agent["ProgramArguments"] else { throw TestFailure(printed.text) }
    #expect(words.dropFirst() == ["--settings", sandbox.path("a <b> & \"c\".toml")])
    #expect(FileManager.default.isExecutableFile(atPath: words[0]))
    // Started with the session, and again after a failure, but not after an intended end. launchd does not expand `~`.
    let expected: [String: Value] = [
      "Label": .text("org.syncd.agent"), "ProgramArguments": .words(words), "RunAtLoad": .truth(true),
      "KeepAlive": .truths(["SuccessfulExit": false]), "ThrottleInterval": .number(10), "ExitTimeOut": .number(90),
      "ProcessType": .text("Background"), "LowPriorityIO": .truth(true), "Nice": .number(10), "Umask": .number(0o077),
      "StandardErrorPath": .text("/Users/ann/Library/Logs/syncd.log"),
    ]
    #expect(agent == expected)
    #expect(try sandbox.syncd("service", "print", "--for", "upstart", settings: "a <b> & \"c\".toml").status == 2)
  }

  /// A value of a key of launchd.plist(5).
  private enum Value: Decodable, Equatable {
    case truth(Bool)
    case number(Int)
    case text(String)
    case words([String])
    case truths([String: Bool])

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      if let truth = try? value.decode(Bool.self) {
        self = .truth(truth)
      } else if let number = try? value.decode(Int.self) {
        self = .number(number)
      } else if let text = try? value.decode(String.self) {
        self = .text(text)
      } else if let words = try? value.decode([String].self) {
        self = .words(words)
      } else {
        self = .truths(try value.decode([String: Bool].self))
      }
    }
  }

  @Test(
    "captured text becomes an entry at the end of the inbox",
    arguments: [
      ("", ["Buy", "milk"], "* Buy milk\n[T]\n"), ("* Old", ["New"], "* Old\n* New\n[T]\n"),
      ("* Old\n", ["New\nmore\n* no entry"], "* Old\n* New\n[T]\nmore\n * no entry\n"),
    ])
  func capture(before: String, words: [String], after: String) throws {
    let sandbox = try Sandbox(store: "inbox = \"gtd/in.org\"")
    if !before.isEmpty { try sandbox.write(before, to: "org/gtd/in.org") }
    let outcome = try sandbox.command(["capture"] + words).run()
    #expect(outcome.status == 0, "\(outcome.story)")
    let stamp = /\[\d{4}-\d\d-\d\d (Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d\d:\d\d\]/
    #expect(sandbox.read("org/gtd/in.org")?.replacing(stamp, with: "[T]") == after)
    try sandbox.once()
    #expect(sandbox.read("home/gtd/in.org") == sandbox.read("org/gtd/in.org"))
    #expect(try sandbox.syncd("capture", " ").status == 2)
  }
}
