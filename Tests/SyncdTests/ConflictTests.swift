import Foundation
import ProgramTesting
import Testing

/// Two edits of one file, and how a user resolves a conflict.
@Suite struct ConflictTests {
  private static let base = "* Conference\n** TODO Draft the talk\nForty minutes.\n** TODO Book a room\n"
  private static let ours = base.replacing("the talk", with: "the keynote")
  private static let theirs = base.replacing("the talk", with: "the workshop")

  /// A sandbox with one open conflict, marked in `a.org`.
  private func conflict(
    _ base: String = base, _ ours: String = ours, _ theirs: String = theirs, in name: String = "a.org"
  ) throws -> Sandbox {
    let sandbox = try Sandbox()
    try sandbox.write(["org/\(name)": base, "org/other.org": "* Other\n"])
    try sandbox.once()
    try sandbox.write(["org/\(name)": ours, "home/\(name)": theirs])
    let report = try sandbox.once(status: 3)
    #expect(report.result == "conflicts")
    #expect(report.home.counts.conflicts == 1)
    #expect(report.actions(on: name).contains { $0.action == "conflict" && $0.result == "done" })
    #expect(sandbox.tree("home") == sandbox.store)
    return sandbox
  }

  @Test("edits of different entries are merged as Org, not as lines")
  func structure() throws {
    let sandbox = try Sandbox()
    try sandbox.write("* TODO A [1/2]\n- [X] one\n- [ ] two\n* B :x:\n", to: "org/a.org")
    try sandbox.once()
    try sandbox.write("* DONE A [1/2]\n- [X] one\n- [ ] two\n* B :x:mine:\n", to: "org/a.org")
    try sandbox.write("* TODO A [2/2]\n- [X] one\n- [X] two\n* B :x:yours:\n", to: "home/a.org")
    let report = try sandbox.once()
    #expect(report.home.counts == Report.Counts(merged: 1))
    #expect(sandbox.store["a.org"]?.hasPrefix("* DONE A [2/2]\n") == true)
    let tags = sandbox.store["a.org"] ?? ""
    #expect(tags.contains("mine") && tags.contains("yours"))
    #expect(sandbox.tree("home") == sandbox.store)
  }

  @Test(
    "an entry that one side moved to another file and the other side edited is there once, with the edit",
    arguments: ["b.org", "new.org", "archive/b.org_archive"], ["org", "home"])
  func movedEntry(target: String, mover: String) throws {
    let sandbox = try Sandbox()
    let entry = "* TODO Water the roses\n:PROPERTIES:\n:ID: roses-1\n:END:\nTwice a week.\n"
    try sandbox.write("#+title: A\n* First\nIt stays.\n\(entry)* Last\nIt stays, too.\n", to: "org/a.org")
    if target != "new.org" { try sandbox.write("#+title: B\n* Other\nSomething else.\n", to: "org/\(target)") }
    try sandbox.once()
    let editor = mover == "org" ? "home" : "org"
    try sandbox.write("#+title: A\n* First\nIt stays.\n* Last\nIt stays, too.\n", to: "\(mover)/a.org")
    try sandbox.write((sandbox.read("\(mover)/\(target)") ?? "") + entry, to: "\(mover)/\(target)")
    let edited = entry.replacing("TODO", with: "DONE").replacing("Twice", with: "Three times")
    try sandbox.write("#+title: A\n* First\nIt stays.\n\(edited)* Last\nIt stays, too.\n", to: "\(editor)/a.org")
    try sandbox.once()
    #expect(sandbox.store == sandbox.tree("home"))
    #expect(sandbox.read("org/a.org") == "#+title: A\n* First\nIt stays.\n* Last\nIt stays, too.\n")
    #expect(sandbox.read("org/\(target)")?.hasSuffix(edited) == true, "\(sandbox.read("org/\(target)") ?? "")")
    #expect(try sandbox.once().home.counts.isNothing)
  }

  @Test(
    "a conflict of a file and a folder is resolved in favour of the folder, or the error says how",
    arguments: ["org", "home"])
  func fileAgainstFolder(side: String) throws {
    let other = side == "org" ? "home" : "org"
    let sandbox = try Sandbox()
    try sandbox.write("one\n", to: "org/x.org")
    try sandbox.once()
    try sandbox.remove("\(side)/x.org")
    try sandbox.write("* In\n", to: "\(side)/x.org/in.org")
    try sandbox.write("edited\n", to: "\(other)/x.org")
    try sandbox.once(status: 3)
    let (folder, file) = side == "org" ? ("--ours", "--theirs") : ("--theirs", "--ours")
    let refused = try sandbox.syncd("resolve", "x.org", file)
    #expect(refused.status == 4 && refused.err.contains("resolve x.org \(folder)"), "\(refused.story)")
    #expect(try sandbox.syncd("resolve", "x.org", folder).status == 0)
    #expect(try sandbox.syncd("conflicts").text == "no open conflicts\n")
    try sandbox.once()
    #expect(sandbox.store.names == ["x.org/in.org"] && sandbox.tree("home") == sandbox.store)
  }

  @Test("each conflict of a file stays open until it is resolved itself")
  func severalOfOneFile() throws {
    let sandbox = try Sandbox()
    try sandbox.write("b\n", to: "org/t.txt")
    try sandbox.once()
    for round in 1...3 {
      try sandbox.write(["org/t.txt": "ours \(round)\n", "home/t.txt": "theirs \(round)\n"])
      try sandbox.once(status: 3)
    }
    for left in [2, 1, 0] {
      #expect(try sandbox.syncd("conflicts").text.split(separator: "\n").count == left + 1)
      let outcome = try sandbox.syncd("resolve", "t.txt", "--merged", sandbox.path("org/t.txt"))
      #expect(outcome.status == 0 && outcome.text.contains("has \(left) more") == (left > 0), "\(outcome.story)")
      try sandbox.once(status: left > 0 ? 3 : 0)
    }
    #expect(try sandbox.syncd("conflicts").text == "no open conflicts\n" && sandbox.store.names == ["t.txt"])
  }

  @Test("overlapping edits are in the file under the tag CONFLICT, and the exit status is 3 until the tag is removed")
  func marked() throws {
    let sandbox = try conflict()
    let text = try #require(sandbox.store["a.org"])
    #expect(text.contains("keynote") && text.contains("workshop") && text.contains(":CONFLICT:"))
    #expect(sandbox.store.names == ["a.org", "other.org"])
    try sandbox.once(status: 3)
    #expect(try sandbox.syncd("conflicts").text.contains("a.org"))
    #expect(try sandbox.syncd("status", "--json").json(Status.self).remotes[0].conflicts == ["a.org"])
    // An edit elsewhere in the file resolves nothing.
    try sandbox.write(text + "* More\n", to: "org/a.org")
    try sandbox.once(status: 3)
    // A user resolves it in the editor.
    try sandbox.write(Self.ours, to: "org/a.org")
    try sandbox.once()
    #expect(sandbox.tree("home")["a.org"] == Self.ours)
    #expect(try sandbox.syncd("conflicts", "-q").text.isEmpty)
    #expect(try sandbox.once().home.actions.isEmpty)
  }

  @Test("conflicts -p shows the changes of each side, by entry in Org files and by line in other text")
  func patch() throws {
    let sandbox = try Sandbox()
    try sandbox.write([
      "org/a.org": Self.base, "org/n.txt": "1\n2\n", "org/met.txt": "mine\n", "home/met.txt": "yours\n",
    ])
    try sandbox.once(status: 3)
    try sandbox.write(["org/a.org": Self.ours, "home/a.org": Self.theirs])
    try sandbox.write(["org/n.txt": "mine\n2\n", "home/n.txt": "yours\n2\n"])
    try sandbox.once(status: 3)
    #expect(
      Self.changes(in: "a.org", try sandbox.syncd("conflicts", "-p").text) == [
        "  changed in the store:", "    ~ Conference/Draft the keynote",
        "        title: Draft the talk → Draft the keynote", "  changed on home:",
        "    ~ Conference/Draft the workshop", "        title: Draft the talk → Draft the workshop",
      ])
    #expect(
      Self.changes(in: "n.txt", try sandbox.syncd("conflicts", "--patch").text) == [
        "  changed in the store:", "    @@ -1,1 +1,1 @@", "    -1", "    +mine",
        "  changed on home:", "    @@ -1,1 +1,1 @@", "    -1", "    +yours",
      ])
    // In a first sync no change can be on both sides.
    #expect(
      Self.changes(in: "met.txt", try sandbox.syncd("conflicts", "-p").text) == [
        "  from the store's version to the version of home:", "    @@ -1,1 +1,1 @@", "    -mine", "    +yours",
      ])
    #expect(Self.changes(in: "a.org", try sandbox.syncd("conflicts").text) == [])
  }

  /// The lines below a file in a list of conflicts.
  private static func changes(in name: String, _ text: String) -> [Substring] {
    let lines = text.split(separator: "\n")
    return Array(lines.drop { !$0.hasPrefix("\(name) (home, since ") }.dropFirst().prefix { $0.hasPrefix("  ") })
  }

  @Test("a conflict that is resolved on the other side is closed")
  func settledRemotely() throws {
    let sandbox = try conflict()
    try sandbox.write(Self.theirs, to: "home/a.org")
    let outcome = try sandbox.syncd("--once")
    #expect(outcome.status == 0, "\(outcome.story)")
    #expect(sandbox.store["a.org"] == Self.theirs)
    #expect(try sandbox.syncd("--once").status == 0)
  }

  @Test("removing the file closes its conflict", arguments: ["org", "home"])
  func removed(side: String) throws {
    let sandbox = try conflict()
    try sandbox.remove("\(side)/a.org")
    let outcome = try sandbox.syncd("--once")
    #expect(outcome.status == 0, "\(outcome.story)")
    #expect(try sandbox.syncd("--once").status == 0)
    #expect(sandbox.store.names == ["other.org"])
  }

  @Test(
    "choosing a side decides only the marked places, and keeps what merged without conflict",
    arguments: ["--ours", "--theirs"])
  func choosesMarkedPlaces(side: String) throws {
    let sandbox = try conflict(
      Self.base, Self.ours.replacing("Forty", with: "Fifty"), Self.theirs.replacing("TODO Book", with: "DONE Book"))
    #expect(try sandbox.syncd("resolve", "a.org", side).status == 0)
    let chosen = side == "--ours" ? Self.ours : Self.theirs
    let wanted = chosen.replacing("Forty", with: "Fifty").replacing("TODO Book", with: "DONE Book")
    #expect(sandbox.store["a.org"] == wanted)
    try sandbox.once()
    #expect(sandbox.tree("home")["a.org"] == wanted)
  }

  @Test("choosing a file with a copy keeps later edits of it, and refuses to discard later edits of the other")
  func choosesEditedFile() throws {
    for edited in ["a.bin", "copy"] {
      let sandbox = try conflict("old\u{0}", "mine\u{0}", "yours\u{0}", in: "a.bin")
      let copy = try #require(sandbox.store.names.first { $0.contains(".conflict-") })
      let path = edited == "copy" ? copy : "a.bin"
      let isMine = sandbox.store[path] == "mine\u{0}"
      let text = try #require(sandbox.store[path]) + "more\u{0}"
      try sandbox.write(text, to: "org/\(path)")
      let before = sandbox.store
      let refused = try sandbox.syncd("resolve", "a.bin", isMine ? "--theirs" : "--ours")
      #expect(refused.status == 4 && refused.err.contains("\(path) was edited since"), "\(refused.story)")
      #expect(sandbox.store == before)
      #expect(try sandbox.syncd("resolve", "a.bin", isMine ? "--ours" : "--theirs").status == 0)
      #expect(sandbox.store["a.bin"] == text && sandbox.store.names.count == 2)
    }
  }

  @Test("choosing a side keeps later edits", arguments: ["--ours", "--theirs"])
  func editedSince(side: String) throws {
    let sandbox = try conflict()
    let text = try #require(sandbox.store["a.org"])
    try sandbox.write(text + "* Written later\n", to: "org/a.org")
    #expect(try sandbox.syncd("resolve", "a.org", side).status == 0)
    let chosen = side == "--ours" ? Self.ours : Self.theirs
    #expect(sandbox.store["a.org"] == chosen + "* Written later\n")
    try sandbox.once()
    #expect(sandbox.tree("home")["a.org"] == chosen + "* Written later\n")
  }

  @Test("choosing a side is refused if it would discard later edits")
  func editedInTheMarks() throws {
    let sandbox = try conflict()
    let text = try #require(sandbox.store["a.org"])
    try sandbox.write(text.replacing("** TODO Draft the keynote", with: "** TODO Draft the opera"), to: "org/a.org")
    let before = sandbox.store
    #expect(before["a.org"] != text)
    let outcome = try sandbox.syncd("resolve", "a.org", "--theirs")
    #expect(outcome.status == 4 && outcome.err.contains("was edited since the conflict"), "\(outcome.story)")
    #expect(sandbox.store == before)
  }

  @Test("resolve closes a conflict with ours, theirs or a merged file", arguments: ["--ours", "--theirs", "--merged"])
  func resolve(how: String) throws {
    let sandbox = try conflict()
    try sandbox.write("* Merged by hand\n", to: "merged.org")
    let words = ["resolve", "a.org", how] + (how == "--merged" ? [sandbox.path("merged.org")] : [])
    let outcome = try sandbox.command(words).run()
    #expect(outcome.status == 0, "\(outcome.story)")
    let wanted = ["--ours": Self.ours, "--theirs": Self.theirs, "--merged": "* Merged by hand\n"][how]
    #expect(sandbox.store["a.org"] == wanted)
    try sandbox.once()
    #expect(sandbox.tree("home")["a.org"] == wanted)
    for version in [Self.ours, Self.theirs, Self.base] where version != wanted {
      #expect(try sandbox.versions(of: "a.org").contains(version))
    }
    #expect(try sandbox.syncd("resolve", "a.org", "--ours").status != 0)
  }

  @Test(
    "other text is merged by lines, and where that fails both sides get a copy beside the file",
    arguments: ["--ours", "--theirs", "by hand"])
  func copy(how: String) throws {
    let sandbox = try Sandbox()
    try sandbox.write("1\n2\n3\n4\n5\n", to: "org/n.txt")
    try sandbox.once()
    try sandbox.write(["org/n.txt": "one\n2\n3\n4\n5\n", "home/n.txt": "1\n2\n3\n4\nfive\n"])
    try sandbox.once()
    #expect(sandbox.store["n.txt"] == "one\n2\n3\n4\nfive\n")
    try sandbox.write(["org/n.txt": "mine\n2\n3\n4\n5\n", "home/n.txt": "yours\n2\n3\n4\n5\n"])
    try sandbox.once(status: 3)
    let copy = try #require(
      sandbox.store.names.first { $0.wholeMatch(of: /n\.conflict-\d{8}T\d{6}Z-[A-Za-z0-9_-]+-[a-f0-9]{4}\.txt/) != nil }
    )
    #expect(Set(["n.txt", copy].map { sandbox.store[$0] }) == ["mine\n2\n3\n4\n5\n", "yours\n2\n3\n4\n5\n"])
    #expect(sandbox.tree("home") == sandbox.store)
    try sandbox.once(status: 3)
    if how == "by hand" {
      try sandbox.remove("org/\(copy)")
    } else {
      #expect(try sandbox.syncd("resolve", "n.txt", how).status == 0)
      #expect(sandbox.store["n.txt"] == (how == "--ours" ? "mine" : "yours") + "\n2\n3\n4\n5\n")
    }
    try sandbox.once()
    #expect(sandbox.store.names == ["n.txt"] && sandbox.tree("home") == sandbox.store)
  }

  @Test("a conflict of a conflict copy, and a taken copy name, lose nothing")
  func again() throws {
    let sandbox = try Sandbox()
    try sandbox.write("base\u{0}", to: "org/b.bin")
    try sandbox.once()
    for round in 0..<3 {
      try sandbox.write(["org/b.bin": "mine \(round)\u{0}", "home/b.bin": "yours \(round)\u{0}"])
      // All have the same time, so that only the digits of the digest distinguish the names.
      _ = try Command(["touch", "-d", "2026-01-01T00:00:00Z", sandbox.path("org/b.bin"), sandbox.path("home/b.bin")])
        .run()
      try sandbox.once(status: 3)
    }
    #expect(sandbox.tree("home") == sandbox.store)
    let live = Set(sandbox.store.files.values)
    for round in 0..<3 {
      let (mine, yours) = (Data("mine \(round)\u{0}".utf8), Data("yours \(round)\u{0}".utf8))
      #expect(live.contains(mine) || live.contains(yours))
      let known = try sandbox.versions(of: "b.bin")
      for version in [mine, yours] {
        #expect(live.contains(version) || known.contains(String(decoding: version, as: UTF8.self)))
      }
    }
  }

  @Test("a copy gets another name if another file has its name")
  func taken() throws {
    let sandbox = try Sandbox()
    try sandbox.write("base\u{0}", to: "org/b.bin")
    try sandbox.once()
    let trial = try Sandbox(copyOf: sandbox)
    func edit(_ sandbox: Sandbox) throws {
      try sandbox.write(["org/b.bin": "mine\u{0}", "home/b.bin": "yours\u{0}"])
      _ = try Command(["touch", "-d", "2026-01-01T00:00:00Z", sandbox.path("org/b.bin"), sandbox.path("home/b.bin")])
        .run()
    }
    try edit(trial)
    try trial.writeSettings()
    try trial.once(status: 3)
    let name = try #require(trial.store.names.first { $0 != "b.bin" })
    try edit(sandbox)
    try sandbox.write("something else\n", to: "org/\(name)")
    try sandbox.once(status: 3)
    #expect(
      Set(sandbox.store.files.values) == Set(["mine\u{0}", "yours\u{0}", "something else\n"].map { Data($0.utf8) }),
      "\(sandbox.store)")
    #expect(sandbox.tree("home") == sandbox.store)
  }

  @Test(
    "both versions are in the history under every conflict policy",
    arguments: [
      ("keep-both", 3), ("prefer-local", 0), ("prefer-remote", 0),
    ])
  func policy(name: String, status: Int32) throws {
    let sandbox = try Sandbox(settings: "conflicts = \"\(name)\"")
    try sandbox.write("* [#B] A\n", to: "org/a.org")
    try sandbox.once()
    try sandbox.write(["org/a.org": "* [#A] A\n", "home/a.org": "* [#C] A\n"])
    try sandbox.once(status: status)
    #expect(sandbox.tree("home") == sandbox.store)
    if name == "prefer-local" { #expect(sandbox.store.files.count == 1 && sandbox.store["a.org"] == "* [#A] A\n") }
    if name == "prefer-remote" { #expect(sandbox.store.files.count == 1 && sandbox.store["a.org"] == "* [#C] A\n") }
    if name == "keep-both" {
      #expect(Set(sandbox.store.files.values) == [Data("* [#A] A\n".utf8), Data("* [#C] A\n".utf8)])
    }
    let reachable =
      try sandbox.versions(of: "a.org") + sandbox.store.files.values.map { String(decoding: $0, as: UTF8.self) }
    for version in ["* [#A] A\n", "* [#C] A\n"] { #expect(reachable.contains(version)) }
  }

  @Test(
    "a preference decides only what would be a conflict of the merge", arguments: ["prefer-local", "prefer-remote"])
  func tie(name: String) throws {
    let sandbox = try Sandbox(settings: "conflicts = \"\(name)\"")
    try sandbox.write("* TODO A\n* B\nold words here\n", to: "org/a.org")
    try sandbox.once()
    try sandbox.write([
      "org/a.org": "* DONE A\n* B\nold words here\n", "home/a.org": "* TODO A\n* B\nnew words here\n",
    ])
    try sandbox.once()
    #expect(sandbox.store["a.org"] == "* DONE A\n* B\nnew words here\n")
    #expect(sandbox.tree("home") == sandbox.store)
  }

  @Test("each remote and pattern has its own policy, and the newer file is preferred where a rule says so")
  func rules() throws {
    let sandbox = try Sandbox(
      remotes: ["usb"], settings: "conflicts = \"prefer-remote\"\nconflict-rules = [\"journal/** -> prefer-newer\"]")
    try sandbox.write(
      (sandbox.read("s.toml") ?? "") + """
        [remotes.home]
        sync = "plain-files"
        cloud = "folder"
        conflicts = "prefer-local"
        conflict-rules = ["both/ -> keep-both"]
        [remotes.home.folder]
        path = "home"
        create = true

        """, to: "s.toml")
    let names = ["a.org", "both/b.org", "journal/new.org", "journal/old.org"]
    for (remote, expected) in [("home", ["A", nil, "A", "A"]), ("usb", ["C", "C", "A", "C"])] {
      for name in names { try sandbox.write("* [#B] A\n", to: "org/\(name)") }
      try sandbox.once()
      for name in names {
        let isNew = name.contains("new")
        for (place, letter, time) in [("org", "A", isNew ? "10:00" : "09:00"), (remote, "C", "09:30")] {
          try sandbox.write("* [#\(letter)] A\n", to: "\(place)/\(name)")
          _ = try Command(["touch", "-d", "2026-01-01T\(time)Z", sandbox.path("\(place)/\(name)")]).run()
        }
      }
      try sandbox.once("--remote", remote, status: remote == "home" ? 3 : 0)
      for (name, letter) in zip(names, expected) where letter != nil {
        #expect(sandbox.store[name] == "* [#\(letter ?? "")] A\n", "\(remote) \(name)")
      }
      #expect(sandbox.tree(remote) == sandbox.store)
      #expect(sandbox.store.names.contains { $0.hasPrefix("both/b.conflict-") } == (remote == "home"))
      for name in sandbox.store.names where name.contains("conflict-") { try sandbox.remove("org/\(name)") }
      try sandbox.once()
    }
  }

  @Test("a mistake in a rule for conflicts is reported with its place")
  func wrongRule() throws {
    let sandbox = try Sandbox(settings: "conflict-rules = [\"*.org -> newest\"]")
    let outcome = try sandbox.syncd("--once")
    #expect(outcome.status == 8)
    #expect(outcome.story.contains("s.toml:3:"), "\(outcome.story)")
    #expect(outcome.story.contains("journal/** -> prefer-newer"))
  }

  @Test("a preference decides single places of a file", arguments: ["prefer-local", "prefer-remote"])
  func tieInAFile(name: String) throws {
    let sandbox = try Sandbox(settings: "conflicts = \"\(name)\"")
    try sandbox.write(["org/a.org": "* [#B] A\n* TODO B\n* C\nold words here\n", "org/a.txt": "1\n2\n3\n4\n5\n"])
    try sandbox.once()
    try sandbox.write([
      "org/a.org": "* [#A] A\n* DONE B\n* C\nold words here\n", "org/a.txt": "1\nzwei\n3\nvier\n5\n",
      "home/a.org": "* [#C] A\n* TODO B\n* C\nnew words here\n", "home/a.txt": "1\ndeux\n3\n4\n5\n6\n",
    ])
    try sandbox.once()
    let isLocal = name == "prefer-local"
    #expect(sandbox.store["a.org"] == "* [#\(isLocal ? "A" : "C")] A\n* DONE B\n* C\nnew words here\n")
    #expect(sandbox.store["a.txt"] == "1\n\(isLocal ? "zwei" : "deux")\n3\nvier\n5\n6\n")
    #expect(sandbox.tree("home") == sandbox.store)
  }
}
