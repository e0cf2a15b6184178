import Foundation
import ProgramTesting
import SyncKit
import Testing

/// Changes that must not spread: mass deletions, vanished sides, exchanged disks.
@Suite struct SafetyTests {
  /// A sandbox with `count` notes on both sides.
  private func notes(_ count: Int = 20, remotes: [String] = ["home"], settings: String = "") throws -> Sandbox {
    let sandbox = try Sandbox(remotes: remotes, settings: settings)
    for number in 0..<count { try sandbox.write("* Note \(number)\n", to: "org/\(number).org") }
    try sandbox.once()
    return sandbox
  }

  private func held(_ sandbox: Sandbox) throws -> Status.Remote.Held? {
    try sandbox.syncd("status", "--json").json(Status.self).remotes[0].held
  }

  @Test(
    "a mass deletion is held, everything else is synced, and an approval permits exactly that deletion",
    arguments: ["org", "home"])
  func massDeletion(side: String) throws {
    let other = side == "org" ? "home" : "org"
    let sandbox = try notes()
    for number in 0..<10 { try sandbox.remove("\(side)/\(number).org") }
    try sandbox.write("* New\n", to: "\(side)/new.org")
    try sandbox.write("* Note 15\nedited\n", to: "\(other)/15.org")
    let report = try sandbox.once(status: 6)
    #expect(report.result == "held" && report.home.counts.held == 10)
    #expect(report.home.actions.count { $0.action == "hold" && $0.result == "waiting" } == 10)
    #expect(sandbox.tree(other).files.count == 21 && sandbox.tree(side)["15.org"] == "* Note 15\nedited\n")
    // It is durable, and shown with an ID.
    try sandbox.once(status: 6)
    let hold = try #require(try held(sandbox))
    #expect(hold.paths.count == 10)
    #expect(try sandbox.syncd("status").text.contains(hold.id))
    #expect(try sandbox.syncd("allow", "nonsense").status != 0)
    // Later deletions are not allowed with it.
    try sandbox.remove("\(side)/10.org")
    #expect(try sandbox.syncd("allow", hold.id).status == 0)
    try sandbox.once(status: 6)
    #expect(sandbox.tree(other)["0.org"] == nil && sandbox.tree(other)["10.org"] != nil)
    let rest = try #require(try held(sandbox))
    #expect(rest.paths == ["10.org"] && rest.id != hold.id)
    #expect(try sandbox.syncd("allow", rest.id).status == 0)
    try sandbox.once()
    #expect(sandbox.tree(other) == sandbox.tree(side))
    #expect(try held(sandbox) == nil)
    #expect(try sandbox.versions(of: "0.org").contains("* Note 0\n"))
  }

  @Test("denying a hold restores what was deleted or emptied, on either side", arguments: ["org", "home"])
  func denied(side: String) throws {
    let sandbox = try notes()
    let before = sandbox.store
    for number in 0..<6 { try sandbox.remove("\(side)/\(number).org") }
    for number in 6..<10 { try sandbox.write("", to: "\(side)/\(number).org") }
    try sandbox.once(status: 6)
    let hold = try #require(try held(sandbox))
    #expect(try sandbox.syncd("status").text.contains("syncd deny \(hold.id)"))
    #expect(try sandbox.syncd("deny", "nonsense").status != 0)
    #expect(try sandbox.syncd("deny", hold.id, "nothing/*").status != 0)
    // First a part, and then the rest.
    #expect(try sandbox.syncd("deny", hold.id, "0.org", "[67].org").text.contains("denied 3 deletions"))
    try sandbox.once(status: 6)
    #expect(sandbox.tree(side)["0.org"] == "* Note 0\n" && sandbox.tree(side)["6.org"] == "* Note 6\n")
    #expect(sandbox.tree(side)["1.org"] == nil && sandbox.tree(side)["8.org"] == "")
    let rest = try #require(try held(sandbox))
    #expect(rest.paths == ["1.org", "2.org", "3.org", "4.org", "5.org", "8.org", "9.org"])
    #expect(try sandbox.syncd("allow", rest.id, "1.org").status == 0)
    #expect(try sandbox.syncd("deny", try #require(try held(sandbox)).id).status == 0)
    try sandbox.once()
    #expect(try held(sandbox) == nil)
    var expected = before
    expected.files["1.org"] = nil
    #expect(sandbox.store == expected && sandbox.tree("home") == expected)
  }

  @Test("after a part of a hold was approved, status counts what is left and what the next pass deletes")
  func partlyAllowed() throws {
    let sandbox = try notes()
    for number in 0..<10 { try sandbox.remove("org/\(number).org") }
    try sandbox.once(status: 6)
    func status() throws -> String { try sandbox.syncd("status").text }
    func expectHeld(_ count: Int, of all: Int, approved: Int) throws {
      let (text, hold) = (try status(), try #require(try held(sandbox)))
      #expect(hold.paths.count == count)
      #expect(
        text.contains("ID \(hold.id): 10 of 20 files would be deleted" + (count < all ? "; \(count) of them" : "\n")),
        "\(text)")
      #expect(text.contains("of exactly these \(count.counted("file"))"), "\(text)")
      #expect(text.contains("with an approved deletion, which the next pass makes:") == (approved > 0), "\(text)")
      if approved > 0 { #expect(text.contains("\(approved.counted("file")) with an approved deletion"), "\(text)") }
    }
    try expectHeld(10, of: 10, approved: 0)
    #expect(try sandbox.syncd("allow", try #require(try held(sandbox)).id, "[01].org").status == 0)
    try expectHeld(8, of: 10, approved: 2)
    #expect(try sandbox.syncd("allow", try #require(try held(sandbox)).id, "[23].org").status == 0)
    try expectHeld(6, of: 10, approved: 4)
    #expect(try sandbox.syncd("deny", try #require(try held(sandbox)).id, "4.org").status == 0)
    try expectHeld(5, of: 10, approved: 4)
    try sandbox.once(status: 6)
    let (text, hold) = (try status(), try #require(try held(sandbox)))
    #expect(!text.contains("with an approved deletion"), "\(text)")
    #expect(hold.paths.count == 5 && text.contains("of exactly these 5 files"), "\(text)")
    #expect(
      sandbox.tree("home")["0.org"] == nil && sandbox.tree("home")["5.org"] != nil && sandbox.store["4.org"] != nil)
    #expect(try sandbox.syncd("allow", hold.id).status == 0)
    #expect(try status().contains("5 files with an approved deletion, which the next pass makes:"))
    try sandbox.once()
    #expect(try !status().contains("approved"))
  }

  @Test("restored files are no longer held")
  func putBack() throws {
    let sandbox = try notes()
    for number in 0..<10 { try sandbox.remove("org/\(number).org") }
    try sandbox.once(status: 6)
    for number in 0..<10 { try sandbox.write("* Note \(number)\n", to: "org/\(number).org") }
    try sandbox.once()
    #expect(try held(sandbox) == nil)
    #expect(sandbox.store == sandbox.tree("home") && sandbox.store.files.count == 20)
  }

  @Test("an approval counts once, and the same deletion is held again later")
  func onceOnly() throws {
    let sandbox = try notes()
    for number in 0..<10 { try sandbox.remove("org/\(number).org") }
    try sandbox.once(status: 6)
    #expect(try sandbox.syncd("allow", try #require(try held(sandbox)).id).status == 0)
    try sandbox.once()
    for number in 0..<10 { try sandbox.write("* Note \(number)\n", to: "org/\(number).org") }
    try sandbox.once()
    for number in 0..<10 { try sandbox.remove("org/\(number).org") }
    try sandbox.once(status: 6)
  }

  @Test(
    "the limit is a percentage or a count; fewer than five deletions are held only if it is 0",
    arguments: [
      ("25%", 20, 5, 0), ("25%", 20, 6, 6), ("25%", 10, 4, 0), ("25%", 10, 5, 6), ("7", 20, 7, 0), ("7", 20, 8, 6),
      ("2", 20, 4, 0), ("2", 20, 5, 6), ("0", 20, 1, 6), ("0%", 20, 1, 6), ("100%", 20, 19, 0),
    ])
  func limit(share: String, count: Int, removed: Int, status: Int) throws {
    let sandbox = try notes(count, settings: "max-delete = \"\(share)\"")
    for number in 0..<removed { try sandbox.remove("org/\(number).org") }
    try sandbox.once(status: Int32(status))
    #expect(sandbox.tree("home").files.count == (status == 0 ? count - removed : count))
  }

  @Test("small deletions within a day are added up")
  func dribbling() throws {
    let sandbox = try notes()
    var number = 0
    var status: Int32 = 0
    while status == 0, number < 16 {
      for _ in 0..<3 {
        try sandbox.remove("org/\(number).org")
        number += 1
      }
      status = try sandbox.syncd("--once").status
    }
    #expect(status == 6 && number <= 9)
    #expect(sandbox.tree("home").files.count >= 14)
  }

  @Test("a side that was emptied is held, however small it is", arguments: ["org", "home"])
  func emptiedSide(side: String) throws {
    let sandbox = try notes(2)
    try sandbox.remove("\(side)/0.org", "\(side)/1.org")
    let report = try sandbox.once(status: 6)
    #expect(report.home.counts.held == 2)
    #expect(sandbox.tree(side == "org" ? "home" : "org").files.count == 2)
  }

  @Test("emptying files counts as deleting them")
  func emptiedFiles() throws {
    let sandbox = try notes()
    for number in 0..<8 { try sandbox.write("", to: "org/\(number).org") }
    try sandbox.once(status: 6)
    #expect(sandbox.tree("home")["0.org"] == "* Note 0\n")
    #expect(try sandbox.syncd("allow", try #require(try held(sandbox)).id).status == 0)
    try sandbox.once()
    #expect(sandbox.tree("home")["0.org"] == "")
    #expect(try sandbox.versions(of: "0.org").contains("* Note 0\n"))
  }

  @Test("rewriting every file is not held")
  func rewritten() throws {
    let sandbox = try notes()
    for number in 0..<20 { try sandbox.write("* Other \(number)\n", to: "org/\(number).org") }
    try sandbox.once()
    #expect(sandbox.tree("home") == sandbox.store)
  }

  /// An accident of a side between two passes.
  struct Mishap: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var happen: @Sendable (Sandbox) throws -> Void

    init(_ name: String, _ happen: @escaping @Sendable (Sandbox) throws -> Void) {
      testDescription = name
      self.happen = happen
    }
  }

  static let mishaps = [
    Mishap("the store is missing") { try $0.remove("org") },
    Mishap("the remote is missing") { try $0.remove("home") },
    Mishap("the store was replaced by an empty folder") {
      try $0.remove("org")
      try FileManager.default.createDirectory(atPath: $0.path("org"), withIntermediateDirectories: true)
    },
    Mishap("the remote was replaced by an empty folder") {
      try $0.remove("home")
      try FileManager.default.createDirectory(atPath: $0.path("home"), withIntermediateDirectories: true)
    },
    Mishap("the store was replaced by another full folder") {
      try $0.remove("org")
      for number in 100..<120 { try $0.write("* Other \(number)\n", to: "org/\(number).org") }
    },
    Mishap("the remote was replaced by another full folder") {
      try $0.remove("home")
      for number in 100..<120 { try $0.write("* Other \(number)\n", to: "home/\(number).org") }
    },
    Mishap("the remote's marker is missing") { try $0.remove("home/.syncd-root") },
    Mishap("the remote's marker and all files are missing") {
      for name in Names.inside($0.path("home")) { try $0.remove("home/\(String(decoding: name, as: UTF8.self))") }
    },
    Mishap("the marker belongs to another remote") {
      let other = try Sandbox()
      try other.write("* X\n", to: "org/x.org")
      try other.once()
      try $0.write(other.read("home/.syncd-root") ?? "", to: "home/.syncd-root")
    },
    Mishap("the remote's marker is damaged") { try $0.write("nonsense", to: "home/.syncd-root") },
    Mishap("the store was replaced by a link") {
      try $0.move("org", "elsewhere")
      try FileManager.default.createSymbolicLink(atPath: $0.path("org"), withDestinationPath: $0.path("nowhere"))
    },
    Mishap("the store was replaced by a file") {
      try $0.remove("org")
      try $0.write("x", to: "org")
    },
  ]

  @Test("no mishap deletes anything, and each ends with status 6", arguments: mishaps)
  func mishap(mishap: Mishap) throws {
    let sandbox = try notes(6, remotes: ["home", "away"])
    try mishap.happen(sandbox)
    let (store, home, away) = (sandbox.store, sandbox.tree("home"), sandbox.tree("away"))
    let outcome = try sandbox.syncd("--once", "--json", "--remote", "home")
    #expect(outcome.status == 6, "\(outcome.story)")
    _ = try sandbox.syncd("--once")
    for (name, before) in [("org", store), ("home", home), ("away", away)] {
      let now = sandbox.tree(name)
      for (file, content) in before.files { #expect(now.files[file] == content, "\(name)/\(file)") }
    }
    #expect(try sandbox.syncd("status").status == 6)
  }

  @Test("the other remotes continue when one is on the wrong disk")
  func others() throws {
    let sandbox = try notes(6, remotes: ["home", "away"])
    try sandbox.remove("home")
    try sandbox.write("* New\n", to: "org/new.org")
    let report = try sandbox.once(status: 6)
    #expect(report.remotes.map(\.result) == ["held", "synced"])
    #expect(sandbox.tree("away") == sandbox.store)
    #expect(!FileManager.default.fileExists(atPath: sandbox.path("home")))
    let status = try sandbox.syncd("status", "--json").json(Status.self)
    #expect(status.remotes[0].trouble != nil && status.remotes[1].trouble == nil)
    #expect(try sandbox.syncd("--once", "--remote", "away").status == 0)
  }

  @Test("syncing continues when a disk is mounted again")
  func comesBack() throws {
    let sandbox = try notes(6)
    try sandbox.move("home", "unplugged")
    try sandbox.write("* New\n", to: "org/new.org")
    try sandbox.once(status: 6)
    try sandbox.move("unplugged", "home")
    try sandbox.once()
    #expect(sandbox.tree("home") == sandbox.store)
    #expect(try sandbox.syncd("status", "--json").json(Status.self).remotes[0].trouble == nil)
  }

  @Test("a resolved error is no longer reported, even while a conflict is open")
  func troubleThatIsOver() throws {
    let sandbox = try notes(6)
    try sandbox.write(["org/t.txt": "ours\n", "home/t.txt": "theirs\n"])
    try sandbox.once(status: 3)
    try sandbox.move("home", "unplugged")
    try sandbox.once(status: 6)
    try sandbox.move("unplugged", "home")
    try sandbox.once(status: 3)
    #expect(try sandbox.syncd("status", "--json").json(Status.self).remotes[0].trouble == nil)
  }

  @Test("another address in the settings is a first meeting, and nothing is deleted", arguments: ["remote", "store"])
  func address(what: String) throws {
    let sandbox = try notes(6)
    try sandbox.write("* Elsewhere\n", to: "new/x.org")
    if what == "remote" {
      let text = try #require(sandbox.read("s.toml"))
      try sandbox.write(text.replacing("path = \"home\"", with: "path = \"new\""), to: "s.toml")
    } else {
      try sandbox.writeSettings(storePath: "new")
    }
    try sandbox.once()
    #expect(sandbox.tree("new").files.count == 7)
    #expect(sandbox.tree(what == "remote" ? "org" : "home") == sandbox.tree("new"))
  }

  @Test("overlapping roots are refused", arguments: ["org", "org/inside", "."])
  func overlap(path: String) throws {
    let sandbox = try Sandbox()
    try sandbox.write("* A\n", to: "org/a.org")
    let text = try #require(sandbox.read("s.toml"))
    try sandbox.write(text.replacing("path = \"home\"", with: "path = \"\(path)\""), to: "s.toml")
    let outcome = try sandbox.syncd("--once")
    #expect(outcome.status == 8, "\(outcome.story)")
    #expect(sandbox.store.names == ["a.org"])
  }

  @Test(
    "a remote restored from a backup reverts nothing, and loses nothing newer",
    arguments: [nil, "pass.batch.starting", "pass.remote.applied", "pass.local.applied"])
  func restoredRemote(interruption: String?) throws {
    let sandbox = try notes(8)
    try sandbox.write("* Note 1\nedited once\n", to: "org/1.org")
    try sandbox.once()
    #expect(try Command(["cp", "-a", sandbox.path("home"), sandbox.path("backup")]).run().status == 0)
    try sandbox.write("* Note 1\nedited twice\n", to: "org/1.org")
    try sandbox.write("* Note 2\nedited\n", to: "home/2.org")
    try sandbox.write("* Later\n", to: "org/later.org")
    try sandbox.once()
    let before = sandbox.store
    try sandbox.remove("home")
    try sandbox.move("backup", "home")
    try sandbox.write("* Note 3\nedited after the restore\n", to: "home/3.org")
    try sandbox.write("* Note 4\nedited in the store\n", to: "org/4.org")
    if let interruption {
      let outcome = try sandbox.syncd("--once", environment: ["SYNCD_FAILPOINTS": "\(interruption)=kill"])
      #expect(outcome.status == 137, "\(outcome.story)")
    }
    let report = try sandbox.once()
    #expect(report.home.notices?.contains { $0.contains("older than before") } == true)
    #expect(report.home.counts.removed == 0)
    #expect(sandbox.store == sandbox.tree("home"))
    for name in ["1.org", "2.org", "later.org", "5.org"] { #expect(sandbox.store[name] == before[name], "\(name)") }
    #expect(sandbox.store["4.org"] == "* Note 4\nedited in the store\n")
    #expect(sandbox.store["3.org"]?.contains("edited after the restore") == true)
    let next = try sandbox.once()
    #expect(next.home.counts.isNothing && next.home.notices == nil)
  }

  @Test("roots that overlap through a link are refused", arguments: ["org", "org/inside"])
  func overlapByLink(target: String) throws {
    let sandbox = try Sandbox()
    try sandbox.write("* A\n", to: "org/inside/a.org")
    try FileManager.default.createSymbolicLink(atPath: sandbox.path("home"), withDestinationPath: target)
    let outcome = try sandbox.syncd("--once")
    #expect(outcome.status == 8, "\(outcome.story)")
    #expect(sandbox.store.names == ["inside/a.org"])
  }

  @Test("a store and a remote may be links to folders, and a link that changes its target is detected")
  func linkedRoots() throws {
    let sandbox = try Sandbox()
    let files = FileManager.default
    try files.removeItem(atPath: sandbox.path("org"))
    for name in ["notes", "disk", "other"] {
      try files.createDirectory(atPath: sandbox.path(name), withIntermediateDirectories: true)
    }
    try files.createSymbolicLink(atPath: sandbox.path("org"), withDestinationPath: "notes")
    try files.createSymbolicLink(atPath: sandbox.path("home"), withDestinationPath: "disk")
    for number in 0..<3 { try sandbox.write("* \(number)\n", to: "notes/\(number).org") }
    try sandbox.once()
    #expect(sandbox.tree("disk").names == ["0.org", "1.org", "2.org"])
    try files.removeItem(atPath: sandbox.path("org"))
    try files.createSymbolicLink(atPath: sandbox.path("org"), withDestinationPath: "other")
    let outcome = try sandbox.syncd("--once")
    #expect(outcome.status == 6, "\(outcome.story)")
    #expect(sandbox.tree("disk").names == ["0.org", "1.org", "2.org"])
  }

  @Test("a state folder inside the store or a remote is refused", arguments: ["org/state", "home/state", "org"])
  func stateInside(path: String) throws {
    let sandbox = try Sandbox()
    try sandbox.write("* A\n", to: "org/a.org")
    try sandbox.writeSettings(state: path)
    let outcome = try sandbox.syncd("--once")
    #expect(outcome.status == 8, "\(outcome.story)")
    #expect(sandbox.store.names == ["a.org"])
  }
}
