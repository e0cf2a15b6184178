import Foundation
import ProgramTesting
import Testing

/// Damage, old copies and kills of a store in one file.
@Suite("Damage of a store in one file") struct SQLiteDamageTests {
  @Test("a file with damaged content is restored, replaced and removed, and the rest is synced")
  func content() throws {
    let store = try SQLiteSandbox(["a.org": "* A\n", "b.org": "* B\n", "c.org": "* C\n", "d.org": "* D\n"])
    let sandbox = store.sandbox
    try sandbox.once()
    try store.write("* A, edited\n", to: "a.org")
    for text in ["* A, edited\n", "* B\n", "* C\n"] { try store.damage(text) }
    try store.write("* D, edited\n", to: "d.org")
    let pass = try sandbox.syncd("--once")
    #expect(pass.status != 0 && pass.text.contains("a.org"), "\(pass.story)")
    #expect(sandbox.read("home/d.org") == "* D, edited\n" && sandbox.read("home/a.org") == "* A\n")
    for words in [["store", "cat", "a.org"], ["capture", "x"]] where words[0] == "store" {
      let refused = try sandbox.command(words).run()
      #expect(refused.status != 0 && refused.text.isEmpty && refused.err.contains("damaged"), "\(refused.story)")
    }
    let doctor = try sandbox.syncd("doctor")
    #expect(doctor.status != 0 && ["a.org", "b.org", "c.org"].allSatisfy(doctor.text.contains), "\(doctor.story)")
    try sandbox.command(["restore", "a.org", "--at", "2"]).succeed()
    try store.write("* B, again\n", to: "b.org")
    try store.remove("c.org")
    #expect(try store.read("a.org") == "* A\n" && store.read("b.org") == "* B, again\n" && store.read("c.org") == nil)
    // The rest of the bytes is in the history.
    #expect(try sandbox.versions(of: "c.org").contains("damaged"))
    try sandbox.once()
    #expect(sandbox.read("home/b.org") == "* B, again\n" && sandbox.read("home/c.org") == nil)
    #expect(try sandbox.syncd("doctor").status == 0)
  }

  @Test("entries in a file with damaged content are neither edited nor appended to")
  func entries() throws {
    let store = try SQLiteSandbox(["a.org": "* TODO A\n", "inbox.org": "* Inbox\n"])
    try store.damage("* TODO A\n")
    try store.damage("* Inbox\n")
    for words in [["todo", "set", "DONE", "a.org::A"], ["capture", "Milk"], ["todo", "set", "DONE", "a.org:1"]] {
      let refused = try store.sandbox.command(words).run()
      #expect(refused.status != 0 && refused.err.contains("damaged"), "\(refused.story)")
    }
    for name in ["a.org", "inbox.org"] { #expect(try store.sandbox.syncd("store", "cat", name).status != 0) }
  }

  @Test("a damaged file is refused, changes nothing, and is repaired from what is left and from the remote")
  func structure() throws {
    let files = Dictionary(
      uniqueKeysWithValues: (0..<120).map {
        ("\($0).org", "* Note \($0)\n" + String(repeating: "text \($0)\n", count: 500))
      })
    let store = try SQLiteSandbox(files)
    let sandbox = store.sandbox
    try sandbox.once()
    let remote = sandbox.tree("home")
    // Of random bytes, one page in 64 would look like one of a table.
    let damage = "dd of=damaged bs=8192 seek=20 count=12 iflag=fullblock conv=notrunc 2>/dev/null"
    try sandbox.shell(
      "cp org.sqlite damaged && tr '\\0' '\\377' </dev/zero | \(damage) && mv damaged org.sqlite")
    let refused = try sandbox.syncd("--once")
    #expect(refused.status == 6 && refused.text.contains("is damaged"), "\(refused.story)")
    #expect(refused.text.contains("syncd store repair"), "\(refused.story)")
    #expect(sandbox.tree("home") == remote)
    let repair = try sandbox.syncd("store", "repair")
    #expect([0, 4].contains(repair.status) && repair.text.contains("the damaged store is kept in"), "\(repair.story)")
    try sandbox.once()
    #expect(try sandbox.tree("home") == remote && store.files() == remote)
    #expect(try sandbox.syncd("doctor").status == 0)
  }

  @Test("a store that was restored from a backup is merged with the remote, and nothing is deleted")
  func backup() throws {
    let store = try SQLiteSandbox(["a.org": "* A\n", "b.org": "* B\n"])
    let sandbox = store.sandbox
    try sandbox.once()
    try sandbox.shell("cp org.sqlite backup")
    try store.write("* A\nmore\n", to: "a.org")
    try store.write("* New\n", to: "new.org")
    try sandbox.once()
    try sandbox.shell("mv backup org.sqlite")
    let report = try sandbox.once()
    #expect(report.home.notices?.contains { $0.contains("is older than before") } == true, "\(report)")
    // Without a common version both are united: each line is there, perhaps twice.
    #expect(try store.read("a.org")?.contains("* A\nmore\n") == true && store.read("new.org") == "* New\n")
    #expect(try sandbox.read("home/a.org") == store.read("a.org") && sandbox.read("home/new.org") == "* New\n")
    #expect(try store.read("b.org") == "* B\n" && sandbox.read("home/b.org") == "* B\n")
    #expect(try sandbox.once().home.notices == nil)
  }

  @Test("a pass that is killed anywhere is completed by the next one, with equal sides and no loss", arguments: [0, 1])
  func kills(part: Int) throws {
    let store = try SQLiteSandbox(
      [
        "merged.org": "* A\none\n* B\ntwo\n", "mine.org": "* Mine\n", "theirs.org": "* Theirs\n",
        "gone.org": "* Gone\n",
        "vanished.org": "* Vanished\n", "old.org": "* Old\ntext\n",
        "photo": String(repeating: "0123456789", count: 150_000),
      ])
    let sandbox = store.sandbox
    try sandbox.once()
    try store.write("* A\nONE\n* B\ntwo\n", to: "merged.org")
    try store.write("* Mine\nedited\n", to: "mine.org")
    try store.remove("gone.org")
    try sandbox.command(["store", "mv", "old.org", "renamed/old.org"]).succeed()
    try sandbox.write([
      "home/merged.org": "* A\none\n* B\nTWO\n", "home/theirs.org": "* Theirs\nedited\n", "home/arrived/x.org": "* X\n",
      "home/photo": String(repeating: "9876543210", count: 150_000),
    ])
    try sandbox.remove("home/vanished.org")
    try sandbox.shell("mkdir prepared && cp -a org.sqlite state home prepared/")
    try sandbox.once()
    let expected = try store.files()
    #expect(expected.files.count == 6)
    func isKilled(at place: Int) throws -> Bool {
      try sandbox.shell("rm -rf org.sqlite* state home && cp -a prepared/. .")
      return try sandbox.syncd("--once", environment: ["SYNCD_FAILPOINTS": "*=kill@nth(\(place))"]).status == 137
    }
    let places = try KillSweep.count { try isKilled(at: $0) }
    let chosen = stride(from: 1, through: places, by: max(1, places / (isSoak ? 400 : 24)))
    for (index, place) in chosen.enumerated() where index % 2 == part {
      #expect(try isKilled(at: place), "place \(place)")
      try sandbox.settle()
      #expect(try store.files() == expected, "place \(place)")
      #expect(sandbox.tree("home").withoutEmptyFolders == expected, "place \(place)")
      let leftovers = try sandbox.syncd("doctor")
      #expect(leftovers.status == 0, "place \(place): \(leftovers.story)")
    }
    print("*** killed at \(chosen.underestimatedCount / 2) of \(places) places of a pass ***")
  }

  @Test("a repair that is killed anywhere loses nothing that was intact")
  func killedRepair() throws {
    let store = try SQLiteSandbox(["a.org": "* A\n", "b.org": "* B\n", "c.org": "* C\n"])
    let sandbox = store.sandbox
    try sandbox.once()
    try store.damage("* B\n")
    try sandbox.shell("mkdir prepared && cp -a org.sqlite state home prepared/")
    func isKilled(at place: Int) throws -> Bool {
      try sandbox.shell("rm -rf org.sqlite* state home && cp -a prepared/. .")
      return try sandbox.syncd("store", "repair", environment: ["SYNCD_FAILPOINTS": "*=kill@nth(\(place))"]).status
        == 137
    }
    let places = try KillSweep.count { try isKilled(at: $0) }
    for place in 1...places {
      #expect(try isKilled(at: place), "place \(place)")
      // The damaged store, or the new one, is in its place, or the next command completes the exchange.
      let again = try sandbox.syncd("store", "repair")
      #expect(again.status == 0, "place \(place): \(again.story)")
      try sandbox.settle()
      let names = sandbox.tree("home").names.sorted()
      #expect(names == ["a.org", "b.org", "c.org"], "place \(place)")
      for name in ["a.org", "b.org", "c.org"] {
        let text = sandbox.read("home/\(name)") ?? ""
        #expect(text == "* \(name.prefix(1).uppercased())\n", "place \(place)")
      }
    }
    print("*** killed at \(places) places of a repair ***")
  }
}
