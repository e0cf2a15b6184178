import Foundation
import ProgramTesting
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Several stores in one settings file, and one service for all of them.
@Suite("Several stores") struct StoresTests {
  /// A sandbox with the stores `[store]` in `org` and `[stores.work]` in `work`; the remote `home` is of the first, and
  /// `office` of the second.
  private func sandbox(_ more: String = "", settings: String = "") throws -> Sandbox {
    let sandbox = try Sandbox(remotes: [])
    try sandbox.write(
      """
      [syncd]
      state = "state"
      interval = "1h"
      quiet = "50ms"
      \(settings)
      [store]
      path = "org"
      [stores.work]
      path = "work"
      \(Self.remote("home"))
      \(Self.remote("office", store: "work"))
      \(more)
      """, to: "s.toml")
    try sandbox.write(["org/a.org": "* A\n", "work/w.org": "* W\n", "work/sub/s.org": "* S\n"])
    return sandbox
  }

  private static func remote(_ name: String, store: String? = nil) -> String {
    "[remotes.\(name)]\ncloud = \"folder\"\n" + (store.map { "store = \"\($0)\"\n" } ?? "")
      + "[remotes.\(name).folder]\npath = \"\(name)\"\ncreate = true\n"
  }

  @Test("a run syncs each remote with its own store, and the states of the stores are separate")
  func run() throws {
    let sandbox = try sandbox()
    let outcome = try sandbox.syncd("--once")
    #expect(outcome.status == 0, "\(outcome.story)")
    #expect(sandbox.tree("home").names.sorted() == ["a.org"])
    #expect(sandbox.tree("office").names.sorted() == ["sub/s.org", "w.org"])
    // Nothing of one store is in the state of the other.
    for (folder, mine, other) in [("state", "a.org", "w.org"), ("state/stores/work", "w.org", "a.org")] {
      let log = try sandbox.command(["log", "--store", folder == "state" ? "store" : "work"]).succeed().text
      #expect(log.contains(mine) && !log.contains(other) && sandbox.tree(folder).names.contains("archive.sqlite"))
    }
    try sandbox.remove("work/w.org")
    try sandbox.write("* B\n", to: "org/a.org")
    try sandbox.command(["--once", "--remote", "office"]).succeed()
    #expect(sandbox.read("office/w.org") == nil && sandbox.read("home/a.org") == "* A\n")
  }

  @Test("a store that cannot be synced does not stop the other")
  func damage() throws {
    let sandbox = try sandbox()
    try sandbox.write("another program's file", to: "state/stores")
    let outcome = try sandbox.syncd("--once")
    #expect(outcome.status == 4 && outcome.text.contains("home: 1 copied"), "\(outcome.story)")
    #expect(outcome.text.contains("office: cannot use the state folder"), "\(outcome.story)")
    #expect(sandbox.read("home/a.org") == "* A\n")
  }

  @Test(
    "a command finds the store by --store, a remote, a path, the working directory or an ID, and otherwise asks for it")
  func choice() throws {
    let sandbox = try sandbox()
    try sandbox.write("* Inbox\n", to: "org/inbox.org")
    try sandbox.write("* Inbox\n", to: "work/inbox.org")
    try sandbox.command(["--once"]).succeed()
    func text(_ words: String..., in folder: String = "", status: Int32 = 0) throws -> String {
      var command = sandbox.command(words)
      command.folder = sandbox.path(folder)
      let outcome = try command.run()
      #expect(outcome.status == status, "\(outcome.story)")
      return outcome.text + outcome.err
    }
    #expect(try text("log", "w.org").contains("added in the store"))
    #expect(try text("show", sandbox.path("work/sub/s.org")) == "* S\n")
    #expect(try text("show", "s.org", in: "work/sub") == "* S\n")
    #expect(try text("show", "sub/s.org", in: "work/sub") == "* S\n")
    #expect(try text("show", "../w.org", in: "work/sub") == "* W\n")
    #expect(try text("capture", "Tea", in: "work/sub").contains("inbox.org"))
    #expect(sandbox.read("work/inbox.org")?.contains("Tea") == true && sandbox.read("org/inbox.org") == "* Inbox\n")
    _ = try text("capture", "Milk", "--store", "store")
    #expect(sandbox.read("org/inbox.org")?.contains("Milk") == true)
    for words in [["capture", "Nothing"], ["show", "inbox.org"], ["undo", "last"]] {
      let outcome = try sandbox.command(words).run()
      #expect(outcome.status == 2 && outcome.err.contains("several stores (store, work)"), "\(outcome.story)")
    }
    #expect(try text("status", "--store", "wrok", status: 2).contains("did you mean \"work\"?"))
    #expect(try text("--once", "--remote", "ofice", status: 2).contains("did you mean \"office\"?"))
    #expect(try text("doctor", "office").contains("office:"))
    for number in 0..<6 { try sandbox.write("* \(number)\n", to: "work/\(number).org") }
    _ = try text("--once")
    for number in 0..<6 { try sandbox.remove("work/\(number).org") }
    _ = try text("--once", status: 6)
    let status = try text("status", status: 6)
    let id = try #require(status.firstMatch(of: /ID ([0-9a-f]+)/)?.1)
    #expect(try text("allow", String(id)).contains("allowed 6 deletions"))
    _ = try text("--once")
    #expect(sandbox.read("office/0.org") == nil)
  }

  @Test("one service syncs all stores, and a command that needs the lock of one does not stop the others")
  func service() throws {
    let sandbox = try sandbox(settings: "metrics = \"m.prom\"\naudit-log = \"audit.jsonl\"")
    let service = try sandbox.command([]).start()
    try sandbox.wait("the first passes") {
      sandbox.read("home/a.org") == "* A\n" && sandbox.read("office/sub/s.org") == "* S\n"
    }
    try sandbox.write("* W2\n", to: "work/w.org")
    try sandbox.write("* A2\n", to: "home/a.org")
    try sandbox.wait("the changes") {
      sandbox.read("office/w.org") == "* W2\n" && sandbox.read("org/a.org") == "* A2\n"
    }
    let sync = try sandbox.syncd("sync")
    #expect(
      sync.status == 0 && sync.text.contains("home: in sync") && sync.text.contains("office: in sync"), "\(sync.story)")
    try sandbox.command(["pause", "office"]).succeed()
    try sandbox.write("* N\n", to: "work/n.org")
    try sandbox.write("* N\n", to: "org/n.org")
    try sandbox.wait("the other store") { sandbox.read("home/n.org") != nil }
    #expect(sandbox.read("office/n.org") == nil)
    try sandbox.command(["resume"]).succeed()
    try sandbox.wait("the resumed remote") { sandbox.read("office/n.org") != nil }
    try sandbox.command(["remote", "reset", "office"]).succeed()
    let figures = sandbox.read("m.prom") ?? ""
    for label in ["remote=\"home\",store=\"store\"", "remote=\"office\",store=\"work\""] {
      #expect(figures.contains(label), "\(figures)")
    }
    let audit = sandbox.read("audit.jsonl") ?? ""
    #expect(audit.contains("\"store\": \"work\"") && audit.contains("\"store\": \"store\""), "\(audit)")
    service.kill(SIGTERM)
    let outcome = try service.wait()
    #expect(outcome.status == 0, "\(outcome.story)")
    #expect(outcome.err.contains("store=work"), "\(outcome.story)")
  }

  @Test("a reload adds, renames and removes stores, and mistakes change nothing")
  func reload() throws {
    let sandbox = try sandbox()
    let text = try #require(sandbox.read("s.toml"))
    let service = try sandbox.command([]).start()
    try sandbox.wait("the first passes") { sandbox.read("office/w.org") == "* W\n" }
    try sandbox.write(
      text.replacing("stores.work", with: "stores.job").replacing("store = \"work\"", with: "store = \"job\"")
        + "[stores.third]\npath = \"third\"\n" + Self.remote("usb", store: "third"), to: "s.toml")
    try sandbox.write("* T\n", to: "third/t.org")
    service.kill(SIGHUP)
    try sandbox.wait("the third store") { sandbox.read("usb/t.org") == "* T\n" }
    try sandbox.write("* J\n", to: "work/j.org")
    try sandbox.wait("the renamed store") { sandbox.read("office/j.org") == "* J\n" }
    try sandbox.write(text + "[stores.fourth]\n", to: "s.toml")
    service.kill(SIGHUP)
    try sandbox.write("* T2\n", to: "third/t.org")
    try sandbox.wait("the store that stays") { sandbox.read("usb/t.org") == "* T2\n" }
    try sandbox.wait("the error") { service.errors.contains("old ones stay in effect") }
    service.kill(SIGTERM)
    let outcome = try service.wait()
    #expect(outcome.status == 0, "\(outcome.story)")
  }

  @Test("documents have the store of each element, and match their schemas")
  func documents() throws {
    let sandbox = try sandbox()
    try sandbox.write("* A\n", to: "org/gone.org")
    try sandbox.command(["--once"]).succeed()
    try sandbox.remove("org/gone.org")
    for (name, words) in [
      ("run", ["--once"]), ("status", ["status"]), ("log", ["log"]), ("conflicts", ["conflicts"]),
      ("deleted", ["deleted"]), ("doctor", ["doctor"]), ("remote-list", ["remote", "list"]),
      ("history-prune", ["history", "prune"]), ("foreign-copies", ["conflicts", "--foreign"]), ("pause", ["pause"]),
      ("settings-show", ["settings", "show"]),
    ] {
      let outcome = try sandbox.command(words + ["--json"]).run()
      let document = try JSONSerialization.jsonObject(with: Data(outcome.text.utf8))
      #expect(try JSONSchema(name).mistakes(in: document) == [], "\(outcome.story)")
      if ["run", "status", "log", "deleted", "remote-list"].contains(name) {
        #expect(outcome.text.contains("\"store\": \"store\""), "\(outcome.story)")
      }
    }
  }

  @Test("`remote add` asks for the store, or takes --store, and other remotes keep theirs")
  func remoteAdd() throws {
    let sandbox = try sandbox()
    let outcome = try sandbox.syncd("remote", "add", "usb", "--folder", sandbox.path("usb"))
    #expect(outcome.status == 2 && outcome.err.contains("--store: store, work"), "\(outcome.story)")
    try sandbox.command(["remote", "add", "usb", "--folder", sandbox.path("usb"), "--store", "work"]).succeed()
    try sandbox.command(["--once"]).succeed()
    #expect(sandbox.read("usb/w.org") == "* W\n" && sandbox.read("usb/a.org") == nil)
    #expect(try sandbox.syncd("remote", "list").text.contains("store work"))
  }

  @Test(
    "settings with mistakes about stores are refused, with the line",
    arguments: [
      ("[stores.store]\npath = \"x\"\n", "cannot have the name \"store\""),
      ("[stores.inner]\npath = \"work/sub\"\n", "the stores \"work\" and \"inner\" must not contain each other"),
      (remote("usb", store: "wrok"), "no store named \"wrok\" (did you mean \"work\"?)"),
      (
        "[remotes.usb]\ncloud = \"folder\"\n[remotes.usb.folder]\npath = \"work/usb\"\n",
        "the store \"work\" must not contain"
      ),
      ("[stores.empty]\n", "\"path\" is missing in [stores.empty]"),
    ])
  func mistakes(text: String, message: String) throws {
    let sandbox = try sandbox(text)
    let outcome = try sandbox.syncd("settings", "check")
    #expect(outcome.status == 8 && outcome.err.contains(message) && outcome.err.contains("s.toml:"), "\(outcome.story)")
  }

  @Test("without [store], each remote names its store, unless there is only one")
  func onlyNamed() throws {
    let sandbox = try sandbox()
    let text = try #require(sandbox.read("s.toml")).replacing("[store]\npath = \"org\"\n", with: "")
    try sandbox.write(text, to: "s.toml")
    try sandbox.command(["--once"]).succeed()
    #expect(sandbox.read("home/w.org") == "* W\n" && sandbox.read("office/w.org") == "* W\n")
    try sandbox.write(text + "[stores.second]\npath = \"org\"\n", to: "s.toml")
    let outcome = try sandbox.syncd("--once")
    #expect(outcome.status == 8 && outcome.err.contains("`store` is missing in [remotes.home]"), "\(outcome.story)")
  }
}
