import Foundation
import ProgramTesting
import Testing

/// The program with a store in one file.
@Suite("A store in one file") struct SQLiteStoreTests {
  private func text(_ sandbox: Sandbox, _ words: String..., status: Int32 = 0) throws -> String {
    let outcome = try sandbox.command(words).run()
    #expect(outcome.status == status, "\(words) \(outcome.story)")
    return outcome.text + outcome.err
  }

  // MARK: Passes

  @Test("passes sync it in both directions, and a pass without changes changes nothing")
  func passes() throws {
    let store = try SQLiteSandbox(["a.org": "* A\n", "sub/b.org": "* B\n"])
    let sandbox = store.sandbox
    try sandbox.once()
    #expect(sandbox.tree("home").files.count == 2 && sandbox.read("home/sub/b.org") == "* B\n")
    try store.write("* A\none\n* C\n", to: "a.org")
    try sandbox.once()
    try store.write("* A\none\n* C\nours\n", to: "a.org")
    try sandbox.write("* A\none\ntheirs\n* C\n", to: "home/a.org")
    try sandbox.write("* New\n", to: "home/new.org")
    try sandbox.remove("home/sub/b.org")
    try sandbox.once()
    #expect(try store.read("a.org") == "* A\none\ntheirs\n* C\nours\n")
    #expect(try store.read("new.org") == "* New\n" && store.read("sub/b.org") == nil)
    // The first pass without changes removes the proof of the last one's writes.
    try sandbox.once()
    let (before, quiet) = (try sandbox.fingerprint(), try sandbox.once())
    #expect(quiet.home.actions.isEmpty)
    // A pass that finds nothing writes neither to the store nor to the remote.
    let after = try sandbox.fingerprint()
    let lines = { (text: String) in
      Set(text.split(separator: "\n").filter { !$0.contains("state/") && !$0.contains(" d ") })
    }
    #expect(lines(before) == lines(after))
  }

  @Test("init sets up a store in one file, and the first pass creates it from the remote")
  func initialization() throws {
    let sandbox = try Sandbox(remotes: [])
    try sandbox.remove("s.toml")
    try sandbox.write(["usb/a.org": "* A\n", "usb/sub/b.org": "* B\n"])
    _ = try text(
      sandbox, "init", "--store", sandbox.path("org.sqlite"), "--folder", sandbox.path("usb"), "--remote", "usb")
    #expect(sandbox.read("s.toml")?.contains("backend = \"sqlite\"\npath = ") == true)
    try sandbox.write((sandbox.read("s.toml") ?? "") + "[syncd]\nstate = \"state\"\n", to: "s.toml")
    try sandbox.once()
    #expect(
      try text(sandbox, "store", "cat", "sub/b.org") == "* B\n" && text(sandbox, "store", "cat", "a.org") == "* A\n")
  }

  @Test("a missing store is reported as a file, and creates nothing")
  func missing() throws {
    let store = try SQLiteSandbox(["a.org": "* A\n"])
    try store.sandbox.once()
    try store.sandbox.move("org.sqlite", "elsewhere")
    let outcome = try store.sandbox.syncd("--once")
    #expect(outcome.status == 6, "\(outcome.story)")
    #expect(outcome.text.contains("no longer exists") && !outcome.text.contains("folder"), "\(outcome.story)")
    #expect(store.sandbox.read("org.sqlite") == nil && store.sandbox.read("home/a.org") == "* A\n")
    for words in [["store", "ls"], ["store", "cat", "a.org"], ["agenda"], ["doctor"]] {
      let failure = try store.sandbox.command(words).run()
      #expect(
        failure.status != 0 && (failure.err + failure.text).contains("org.sqlite does not exist"), "\(failure.story)")
      #expect(!(failure.err + failure.text).contains("the folder"), "\(failure.story)")
    }
  }

  @Test("a dry run and commands that only show something change nothing and leave nothing")
  func traces() throws {
    let store = try SQLiteSandbox(["a.org": "* TODO A\n"])
    try store.sandbox.once()
    _ = try text(store.sandbox, "search", "A")
    // SQLite has two more files beside the store for a moment, which changes the time of their folder.
    func files() throws -> [Substring] {
      try store.sandbox.fingerprint().split(separator: "\n").filter { !$0.contains(" d ") }
    }
    let before = try files()
    for words in [
      ["--once", "--dry-run"], ["store", "ls"], ["store", "cat", "a.org"], ["search", "A"], ["agenda"], ["status"],
    ] {
      try store.sandbox.command(words).succeed()
      #expect(try files() == before, "\(words)")
    }
  }

  @Test("settings files with the same store exclude each other")
  func lock() throws {
    let store = try SQLiteSandbox(["a.org": "* A\n"])
    try store.write(file: "other.toml", state: "other")
    let sandbox = store.sandbox
    let run = try sandbox.command(
      ["--once"], environment: ["SYNCD_FAILPOINTS": "pass.plan.finished=pause(\(sandbox.path("go")))"]
    ).start()
    try sandbox.waitForPause("go")
    let refused = try sandbox.syncd("--once", settings: "other.toml")
    #expect(refused.status == 9 && refused.err.contains("org.sqlite"), "\(refused.story)")
    try sandbox.write("", to: "go")
    #expect(try run.wait().status == 0)
    #expect(try sandbox.syncd("--once", settings: "other.toml").status == 0)
  }

  @Test("a running service syncs at once what another program writes")
  func service() throws {
    let store = try SQLiteSandbox(["a.org": "* A\n"], settings: "interval = \"1h\"\nquiet = \"50ms\"")
    let sandbox = store.sandbox
    let service = try sandbox.command([]).start()
    try sandbox.wait("the first pass") { sandbox.read("home/a.org") == "* A\n" }
    // The lock is taken, so the entry is written beside the service.
    #expect(try text(sandbox, "capture", "Milk").contains("added the entry to inbox.org"))
    try sandbox.wait("the notice") { sandbox.read("home/inbox.org")?.contains("* Milk\n") == true }
    try sandbox.write("* There\n", to: "home/there.org")
    try sandbox.wait("the file from the remote") { (try? store.read("there.org")) == "* There\n" }
    service.kill(SIGTERM)
    #expect(try service.wait().status == 0)
  }

  // MARK: Entries

  @Test("commands about entries, the history and conflicts work as in a folder")
  func entries() throws {
    let store = try SQLiteSandbox([
      "notes.org": "* Project [0/1]\n** TODO Paint\nSCHEDULED: <2026-03-09 Mon>\n", "archive/old.org": "* Old\n",
      ".hidden.org": "* TODO Hidden\n", "a.b/c.org": "* TODO Dotted\n",
    ])
    let sandbox = store.sandbox
    try sandbox.once()
    #expect(try text(sandbox, "search", "i.todo") == text(sandbox, "search", "Paint"))
    #expect(try text(sandbox, "agenda", "--at", "2026-03-10 10:00").contains("Paint"))
    _ = try text(sandbox, "todo", "set", "DONE", "notes.org::Project/Paint", "--at", "2026-03-10 14:30")
    #expect(try store.read("notes.org")?.hasPrefix("* Project [1/1]\n** DONE Paint\n") == true)
    _ = try text(sandbox, "refile", "notes.org::Project/Paint", "archive/old.org::Old")
    #expect(try store.read("archive/old.org")?.contains("** DONE Paint") == true)
    #expect(try store.read("notes.org")?.contains("Paint") == false)
    _ = try text(sandbox, "undo", "last")
    #expect(try store.read("notes.org")?.contains("** DONE Paint") == true)
    _ = try text(sandbox, "capture", "Call Ann")
    _ = try text(sandbox, "capture", "Call Bob")
    _ = try text(sandbox, "tag", "@last", "+phone")
    #expect(try text(sandbox, "search", "t.phone").contains("Call Bob"))
    #expect(try text(sandbox, "search", "Bob").contains("Call Bob"))
    try sandbox.once()
    #expect(try sandbox.read("home/inbox.org") == store.read("inbox.org"))
    #expect(try text(sandbox, "log", "notes.org").contains("edited with"))
    #expect(try text(sandbox, "diff", "notes.org").contains("Paint"))
    _ = try text(sandbox, "restore", "notes.org", "--at", "2")
    #expect(try store.read("notes.org")?.contains("** TODO Paint") == true)
    try store.write("* A\n", to: "c.org")
    try sandbox.once()
    try store.write("* A here\n", to: "c.org")
    try sandbox.write("* A there\n", to: "home/c.org")
    try sandbox.once(status: 3)
    _ = try text(sandbox, "resolve", "c.org", "--theirs")
    #expect(try store.read("c.org") == "* A there\n")
    #expect(try text(sandbox, "doctor").contains("is intact and holds"))
    #expect(try text(sandbox, "calendar", "export").contains("BEGIN:VCALENDAR"))
  }

  @Test("entries are found again after each change by another program, and the index is not asked for files it knows")
  func index() throws {
    let store = try SQLiteSandbox(["a.org": "* TODO One\n"])
    try store.sandbox.once()
    #expect(try text(store.sandbox, "search", "i.todo").contains("One"))
    try store.write("* TODO Two\n", to: "a.org")
    #expect(try text(store.sandbox, "search", "i.todo").contains("Two"))
    try store.write("* TODO Three\n", to: "b.org")
    try store.remove("a.org")
    let found = try text(store.sandbox, "search", "i.todo")
    #expect(found.contains("Three") && !found.contains("Two"))
  }

  // MARK: The commands of the store

  @Test("a folder that is imported and exported keeps every byte, name and time")
  func transfer() throws {
    let store = try SQLiteSandbox()
    let sandbox = store.sandbox
    try sandbox.write(["in/a.org": "* A\n", "in/.syncdignore": "*.pdf\n", "in/deep/er/b.org": "", "in/x.pdf": "pdf"])
    try sandbox.write(Data((0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 2) }), to: "in/photo.jpg")
    try sandbox.shell("printf bytes > \"in/$(printf 'caf\\351\\nline')\" && printf x > 'in/a b\"c'")
    try sandbox.shell(
      "touch -d '1969-12-31 23:59:59.5' in/a.org && touch -d '2038-01-19 03:14:08.123456789' in/deep/er/b.org")
    let script =
      "find . -type f -printf '%P %s %T@\\n' | LC_ALL=C sort && find . -type f -exec sha256sum {} + | LC_ALL=C sort"
    let before = try sandbox.shell("cd in && \(script)")
    #expect(try text(sandbox, "store", "import", sandbox.path("in")).contains("imported 7 files"))
    #expect(try text(sandbox, "store", "export", sandbox.path("out")).contains("exported 7 files"))
    #expect(try sandbox.shell("cd out && \(script)") == before)
    #expect(try text(sandbox, "store", "import", sandbox.path("in")).contains("imported 0 files"))
    // Twice would mix two states.
    #expect(try text(sandbox, "store", "export", sandbox.path("out"), status: 4).contains("is not empty"))
  }

  @Test("an import replaces files that differ and keeps their versions, keeps others, and names what it leaves out")
  func importing() throws {
    let store = try SQLiteSandbox(["a.org": "* Old\n", "kept.org": "* Kept\n"])
    let sandbox = store.sandbox
    try sandbox.write("* New\n", to: "new/a.org")
    try sandbox.shell("ln -s a.org new/link.org && mkdir new/.git new/empty && echo x > new/.git/HEAD")
    let told = try text(sandbox, "store", "import", sandbox.path("new"), status: 4)
    #expect(told.contains("link.org is a symbolic link; left out") || told.contains("link.org is a link"), "\(told)")
    #expect(try store.files().files.count == 2)
    #expect(try store.read("a.org") == "* New\n" && store.read("kept.org") == "* Kept\n")
    #expect(try sandbox.versions(of: "a.org").contains("* Old\n"))
    _ = try text(sandbox, "undo", "last")
    #expect(try store.read("a.org") == "* Old\n")
    #expect(try text(sandbox, "store", "import", sandbox.path("none"), status: 4).contains("does not exist"))
  }

  @Test("files are listed, written, moved and removed, and each change can be undone")
  func changes() throws {
    let store = try SQLiteSandbox(["a.org": "* A\n", "sub/b.org": "* B\n"])
    let sandbox = store.sandbox
    try sandbox.once()
    #expect(try text(sandbox, "store", "ls").split(separator: "\n").count == 2)
    #expect(try text(sandbox, "store", "ls", "sub").contains("sub/b.org"))
    #expect(try text(sandbox, "store", "cat", "sub/b.org") == "* B\n")
    #expect(try text(sandbox, "store", "cat", "none.org", status: 4).contains("none.org not found"))
    #expect(try text(sandbox, "store", "put", "a.org", sandbox.path("in/a.org")).contains("has this content already"))
    let time = try text(sandbox, "store", "ls", "a.org")
    #expect(try text(sandbox, "store", "mv", "a.org", "moved/c.org").contains("moved a.org to moved/c.org"))
    #expect(try text(sandbox, "store", "ls", "moved").replacing("moved/c.org", with: "a.org") == time)
    #expect(try text(sandbox, "store", "mv", "moved/c.org", "sub/b.org", status: 4).contains("exists"))
    #expect(
      try text(sandbox, "store", "mv", "moved/c.org", "sub/b.org/x.org", status: 4).contains("sub/b.org is a file"))
    try sandbox.once()
    #expect(sandbox.tree("home").names.sorted() == ["moved/c.org", "sub/b.org"])
    try store.remove("moved/c.org", "sub/b.org")
    #expect(try text(sandbox, "store", "ls").isEmpty)
    #expect(try text(sandbox, "store", "rm", "sub/b.org", status: 4).contains("sub/b.org not found"))
    _ = try text(sandbox, "undo", "last")
    #expect(try store.read("sub/b.org") == "* B\n")
    let bytes = try sandbox.shell("printf 'from a pipe' | \(Sandbox.binary) --settings s.toml store put pipe.txt")
    #expect(try bytes.contains("wrote pipe.txt") && store.read("pipe.txt") == "from a pipe")
  }

  @Test("the commands also work on a store in a folder")
  func folder() throws {
    let sandbox = try Sandbox()
    try sandbox.write(["org/a.org": "* A\n", "in/b.org": "* B\n"])
    #expect(try text(sandbox, "store", "ls").contains("a.org"))
    _ = try text(sandbox, "store", "import", sandbox.path("in"))
    _ = try text(sandbox, "store", "mv", "a.org", "sub/a.org")
    _ = try text(sandbox, "store", "export", sandbox.path("out"))
    #expect(sandbox.tree("out").files == sandbox.store.files && sandbox.store.names.sorted() == ["b.org", "sub/a.org"])
    #expect(try text(sandbox, "store", "import", sandbox.path("org"), status: 2).contains("is the store"))
    #expect(try text(sandbox, "store", "repair", status: 8).contains("has no repair"))
  }
}
