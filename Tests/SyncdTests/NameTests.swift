import CPOSIX
import Foundation
import ProgramTesting
import Testing

/// Names are bytes, and never lead out of the store.
@Suite struct NameTests {
  static let names: [[UInt8]] = [
    Array("new\nline.org".utf8), Array("tab\tand bell\u{7}.org".utf8), [0x62, 0xFF, 0xFE, 0x2E, 0x6F, 0x72, 0x67],
    Array("--once".utf8), Array("-rf".utf8), Array(" leading and trailing ".utf8), Array("a\\b".utf8),
    Array("*?[x]".utf8),
    Array("caf\u{E9}.org".utf8), Array("cafe\u{301}.org".utf8), Array("UPPER.org".utf8), Array("upper.org".utf8),
    Array((String(repeating: "x", count: 251) + ".org").utf8), Array("\u{1F331}\u{200D}\u{202E}gro.org".utf8),
    Array("con".utf8),
    Array("a:b|c<d>\"e\"".utf8), Array("$(touch pwned)".utf8), Array("...".utf8), Array("~".utf8 + [0x61]),
    Array("a.org.".utf8), Array("\r".utf8),
  ]

  private func write(_ text: String, at path: [UInt8]) throws {
    let descriptor = unsafe path.asPath { unsafe posix_openat(AT_FDCWD, $0, O_WRONLY | O_CREAT | O_TRUNC, 0o644) }
    guard descriptor >= 0 else { throw TestFailure("cannot write \(Names.text(path)): \(errno)") }
    try FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).write(contentsOf: Data(text.utf8))
  }

  @Test("every name arrives unchanged in both directions, and so do its edits and deletions")
  func everyName() throws {
    let sandbox = try Sandbox()
    try sandbox.write(["home/sub/x": "", "org/sub/x": ""])
    for (index, name) in Self.names.enumerated() {
      try write("content \(index)\n", at: Array(sandbox.path(index % 2 == 0 ? "org/" : "home/sub/").utf8) + name)
    }
    let outcome = try sandbox.syncd("--once", "-v")
    #expect(outcome.status == 0, "\(outcome.story)")
    // Control characters never reach a terminal, and each file takes one line.
    #expect(!outcome.text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0.value == 0x7F })
    #expect(outcome.text.split(separator: "\n").count == Self.names.count + 1, "\(outcome.text)")
    #expect(sandbox.tree("home") == sandbox.store)
    #expect(sandbox.store.files.count == Self.names.count + 1)
    #expect(try sandbox.once().home.actions.isEmpty)
    for (index, name) in Self.names.enumerated() {
      try write("edited \(index)\n", at: Array(sandbox.path(index % 2 == 0 ? "home/" : "org/sub/").utf8) + name)
    }
    try sandbox.once()
    #expect(sandbox.tree("home") == sandbox.store)
    #expect(sandbox.store.files.values.count { $0.starts(with: Data("edited".utf8)) } == Self.names.count)
    for name in Self.names.prefix(3) + Self.names[8...9] {
      for folder in ["org/", "org/sub/"] {
        _ = unsafe (Array(sandbox.path(folder).utf8) + name).asPath { unsafe unlink($0) }
      }
    }
    try sandbox.once()
    #expect(sandbox.tree("home") == sandbox.store)
    #expect(sandbox.store.files.count == Self.names.count + 1 - 5)
  }

  @Test("the conflict copy of a long name keeps within 255 bytes")
  func longConflict() throws {
    let sandbox = try Sandbox()
    let name = String(repeating: "ä", count: 125) + ".bin"
    try sandbox.write("base\u{0}", to: "org/\(name)")
    try sandbox.once()
    try sandbox.write(["org/\(name)": "mine\u{0}", "home/\(name)": "yours\u{0}"])
    try sandbox.once(status: 3)
    #expect(Set(sandbox.store.files.values) == [Data("mine\u{0}".utf8), Data("yours\u{0}".utf8)])
    #expect(sandbox.tree("home") == sandbox.store)
  }

  @Test("a path longer than the kernel's limit arrives")
  func deep() throws {
    let sandbox = try Sandbox()
    let part = String(repeating: "d", count: 200)
    let script = "cd \"$0\"; for i in $(seq 30); do mkdir \(part); cd \(part); done; echo deep >note.org"
    #expect(try Command(["bash", "-c", script, sandbox.path("org")]).run().status == 0)
    try sandbox.once()
    let check = "cd \"$0\"; for i in $(seq 30); do cd \(part) || exit 9; done; cat note.org"
    #expect(try Command(["bash", "-c", check, sandbox.path("home")]).run().text == "deep\n")
  }

  @Test("commands accept names that look like options after --")
  func optionLike() throws {
    let sandbox = try Sandbox()
    try sandbox.write("* A\n", to: "org/--once")
    try sandbox.once()
    try sandbox.write("* B\n", to: "org/--once")
    try sandbox.once()
    #expect(try sandbox.syncd("show", "--at", "1", "--", "--once").text == "* A\n")
    #expect(try sandbox.syncd("log", "--", "--once").text.split(separator: "\n").count == 2)
  }

  @Test("commands accept the store's files as a shell names them")
  func shellPaths() throws {
    let sandbox = try Sandbox()
    try sandbox.write("* A\n", to: "org/sub/a.org")
    try sandbox.once()
    for path in ["sub/a.org", sandbox.path("org/sub/a.org")] {
      #expect(try sandbox.syncd("show", path, "--at", "1").text == "* A\n", "\(path)")
    }
    var command = sandbox.command(["show", "./a.org", "--at", "1"])
    command.folder = sandbox.path("org/sub")
    #expect(try command.run().text == "* A\n")
    command = sandbox.command(["show", "../sub/a.org", "--at", "1"])
    command.folder = sandbox.path("org/sub")
    #expect(try command.run().text == "* A\n")
  }

  @Test("commands accept names that are not UTF-8 as they are printed")
  func printedNames() throws {
    let sandbox = try Sandbox()
    for (name, text) in [(Array("b".utf8) + [0xFF], "* Bytes\n"), (Array("b\\x41".utf8), "* Backslash\n")] {
      try write(text, at: Array(sandbox.path("org/").utf8) + name)
    }
    let pass = try sandbox.once().pass
    #expect(try sandbox.syncd("show", "b\\xff", "--at", "\(pass)").text == "* Bytes\n")
    #expect(try sandbox.syncd("show", "b\\x41", "--at", "\(pass)").text == "* Backslash\n")
  }

  @Test("links are not followed, never replaced, and reported")
  func links() throws {
    let sandbox = try Sandbox()
    try sandbox.write([
      "org/a.org": "* A\n", "outside/secret.org": "* Secret\n", "home/l.org": "* Theirs\n", "home/d/x.org": "* X\n",
    ])
    for (name, target) in [("l.org", "outside/secret.org"), ("d", "outside"), ("dangling", "nowhere")] {
      try FileManager.default.createSymbolicLink(
        atPath: sandbox.path("org/\(name)"), withDestinationPath: sandbox.path(target))
    }
    let outcome = try sandbox.syncd("--once")
    #expect([0, 4].contains(outcome.status), "\(outcome.story)")
    for name in ["l.org", "d", "dangling"] { #expect((outcome.text + outcome.err).contains(name), "\(outcome.story)") }
    #expect(sandbox.tree("outside").names == ["secret.org"] && sandbox.tree("outside")["secret.org"] == "* Secret\n")
    #expect(sandbox.store.others == ["l.org": "link", "d": "link", "dangling": "link"])
    #expect(sandbox.tree("home")["l.org"] == "* Theirs\n" && sandbox.tree("home")["d/x.org"] == "* X\n")
    #expect(sandbox.tree("home")["a.org"] == "* A\n")
  }

  @Test("a file that became a link is not deleted on the other side, and nothing is written through the link")
  func becameLink() throws {
    let sandbox = try Sandbox()
    try sandbox.write([
      "org/a.org": "* A\n", "org/d/b.org": "* B\n", "org/c.org": "* C\n", "outside/b.org": "* Outside\n",
    ])
    try sandbox.once()
    try sandbox.remove("org/a.org", "org/d")
    try FileManager.default.createSymbolicLink(
      atPath: sandbox.path("org/a.org"), withDestinationPath: "../outside/b.org")
    try FileManager.default.createSymbolicLink(atPath: sandbox.path("org/d"), withDestinationPath: "../outside")
    try sandbox.write(["home/a.org": "* A\nedited\n", "home/d/b.org": "* B\nedited\n"])
    _ = try sandbox.syncd("--once")
    #expect(sandbox.tree("home")["a.org"] == "* A\nedited\n" && sandbox.tree("home")["d/b.org"] == "* B\nedited\n")
    #expect(sandbox.tree("outside")["b.org"] == "* Outside\n")
  }

  @Test("pipes and sockets do not block, and are ignored and reported")
  func pipes() throws {
    let sandbox = try Sandbox()
    try sandbox.write(["org/a.org": "* A\n", "home/q": "a file\n"])
    for name in ["org/p.org", "org/q", "home/r"] { _ = try Command(["mkfifo", sandbox.path(name)]).run() }
    let outcome = try sandbox.command(["--once", "--timeout", "300s"]).run()
    #expect([0, 4].contains(outcome.status), "\(outcome.story)")
    #expect((outcome.text + outcome.err).contains("p.org"))
    #expect(sandbox.tree("home")["a.org"] == "* A\n" && sandbox.tree("home")["q"] == "a file\n")
    #expect(sandbox.store.others == ["p.org": "special", "q": "special"])
  }

  @Test(
    "a file with unsaved changes in Emacs is not overwritten, the change waits, and the exit status is 0",
    arguments: ["with boot time", "without"])
  func emacsLock(kind: String) throws {
    let sandbox = try Sandbox()
    try sandbox.write(["org/a.org": "* A\n", "org/b.org": "* B\n"])
    try sandbox.once()
    let host = try Command(["hostname"]).run().text.trimmingCharacters(in: .newlines)
    let boot = try Command(["sh", "-c", "sed -n 's/^btime //p' /proc/stat"]).run().text.trimmingCharacters(
      in: .newlines)
    let owner = "ann@\(host).\(getpid())" + (kind == "without" ? "" : ":\(boot)")
    try FileManager.default.createSymbolicLink(atPath: sandbox.path("org/.#a.org"), withDestinationPath: owner)
    try sandbox.write(["home/a.org": "* A\nincoming\n", "home/b.org": "* B\nincoming\n"])
    let report = try sandbox.once()
    #expect(report.result == "waiting")
    #expect(report.actions(on: "a.org").map { [$0.action, $0.to, $0.result] } == [["copy", "local", "waiting"]])
    #expect(sandbox.store["a.org"] == "* A\n" && sandbox.store["b.org"] == "* B\nincoming\n")
    try sandbox.remove("org/.#a.org")
    try sandbox.once()
    #expect(sandbox.store["a.org"] == "* A\nincoming\n")
    // The lock of a process that has ended, or of another host, has no effect.
    for owner in ["ann@\(host).999999999", "ann@elsewhere.\(getpid())"] {
      try FileManager.default.createSymbolicLink(atPath: sandbox.path("org/.#a.org"), withDestinationPath: owner)
      try sandbox.write("* A\n\(owner)\n", to: "home/a.org")
      try sandbox.once()
      #expect(sandbox.store["a.org"] == "* A\n\(owner)\n")
      try sandbox.remove("org/.#a.org")
    }
  }
}
