import Foundation
import ProgramTesting
import Testing

/// Org files that their owner encrypts, with the real program: two devices edit one of them, with and without the key.
@Suite struct SealedFileTests {
  private static let canary = "kanarienvogel"
  private static let base = "* A\none\n* B\ntwo\n"

  /// Two devices that are in sync with one remote: `s.toml` with `org`, and `t.toml` with `org2`.
  private func devices(_ seal: FileSeal, hasKey: Bool = true, text: String = base) throws -> Sandbox? {
    let box = try Sandbox()
    guard try seal.makeKeys(in: box) else { return nil }
    try writeSettings(box, seal, hasKey: hasKey)
    try box.shell("mkdir org2")
    try seal.seal(text, to: "org/" + seal.name, in: box)
    try box.once()
    try box.once(settings: "t.toml")
    #expect(box.tree("org2") == box.store)
    return box
  }

  private func writeSettings(_ box: Sandbox, _ seal: FileSeal, hasKey: Bool) throws {
    let store = seal.settings(in: box, hasKey: hasKey)
    try box.writeSettings(store: store)
    try box.writeSettings(store: store, state: "state2", storePath: "org2", file: "t.toml")
  }

  /// Encrypts a version on either device, and syncs both; returns the last report of each.
  private func edit(
    _ box: Sandbox, _ seal: FileSeal, _ ours: String, _ theirs: String, status: Int32 = 0
  ) throws -> (first: Report, second: Report) {
    try seal.seal(ours, to: "org/" + seal.name, in: box)
    try seal.seal(theirs, to: "org2/" + seal.name, in: box)
    try box.once()
    let second = try box.once(status: status, settings: "t.toml")
    let first = try box.once()
    #expect(box.tree("org2") == box.store && box.tree("home") == box.store)
    return (first, second)
  }

  @Test(arguments: FileSeal.allCases)
  func `two edits of an encrypted file become one, for the same recipients`(seal: FileSeal) throws {
    guard let box = try devices(seal) else { return }
    let readers = try seal.readers(of: "org/" + seal.name, in: box)
    let (_, report) = try edit(box, seal, "* A\nONE\n* B\ntwo\n", "* A\none\n* B\nTWO\n")
    #expect(report.home.counts.merged == 1 && report.home.counts.conflicts == 0, "\(report)")
    #expect(box.store.names == [seal.name])
    for reader in 1...2 {
      #expect(try seal.open("org/" + seal.name, as: reader, in: box) == "* A\nONE\n* B\nTWO\n")
    }
    #expect(try seal.readers(of: "org/" + seal.name, in: box) == readers)
    #expect(readers.count == (seal == .gpg ? 2 : 1))
    #expect(try box.once().home.counts.isNothing)
    #expect(try box.once(settings: "t.toml").home.counts.isNothing)
    try seal.tidy(box)
  }

  @Test(arguments: FileSeal.allCases)
  func `a file that was only encrypted again is neither a conflict nor an edit`(seal: FileSeal) throws {
    guard let box = try devices(seal) else { return }
    let both = try edit(box, seal, "* A\nONE\n", "* A\nONE\n")
    #expect(both.second.home.counts.conflicts == 0 && box.store.names == [seal.name], "\(both)")
    _ = try edit(box, seal, "* A\nONE\n", "* A\nONE\nmore\n")
    #expect(box.store.names == [seal.name])
    #expect(try seal.open("org/" + seal.name, in: box) == "* A\nONE\nmore\n")
    try seal.tidy(box)
  }

  @Test(arguments: FileSeal.allCases)
  func `without the key, an encrypted file is synced whole, and nothing is lost`(seal: FileSeal) throws {
    guard let box = try devices(seal, hasKey: false) else { return }
    let (_, report) = try edit(box, seal, "* A\nONE\n* B\ntwo\n", "* A\none\n* B\nTWO\n", status: 3)
    #expect(report.home.counts.conflicts == 1, "\(report)")
    let detail = try #require(report.actions(on: seal.name).first { $0.action == "conflict" }?.detail)
    #expect(detail.contains(seal == .gpg ? "other keys than those of this machine" : "has no key"), "\(detail)")
    #expect(try box.syncd("why", seal.name, settings: "t.toml").text.contains(detail))
    #expect(box.store.names.count == 2)
    let texts = try Set(box.store.names.map { try seal.open("org/" + $0, in: box) })
    #expect(texts == ["* A\nONE\n* B\ntwo\n", "* A\none\n* B\nTWO\n"])
    try seal.tidy(box)
  }

  @Test(arguments: FileSeal.allCases)
  func `versions for different recipients are kept side by side`(seal: FileSeal) throws {
    guard let box = try devices(seal) else { return }
    try seal.seal("* A\nONE\n* B\ntwo\n", to: "org/" + seal.name, for: [1], in: box)
    try seal.seal("* A\none\n* B\nTWO\n", to: "org2/" + seal.name, in: box)
    try box.once()
    let report = try box.once(status: 3, settings: "t.toml")
    let detail = report.actions(on: seal.name).first { $0.action == "conflict" }?.detail
    #expect(detail?.contains("encrypted for different recipients") == true, "\(report)")
    try seal.tidy(box)
  }

  @Test(arguments: FileSeal.allCases)
  func `a conflict is marked in the encrypted file, and is resolved there`(seal: FileSeal) throws {
    guard let box = try devices(seal, text: "* Draft the talk\n") else { return }
    try seal.seal("* Draft the keynote\n", to: "org/" + seal.name, in: box)
    try seal.seal("* Draft the workshop\n", to: "org2/" + seal.name, in: box)
    try box.once()
    let report = try box.once(status: 3, settings: "t.toml")
    #expect(report.home.counts.conflicts == 1 && box.tree("org2").names == [seal.name], "\(report)")
    let text = try seal.open("org2/" + seal.name, in: box)
    #expect(text.contains("keynote") && text.contains("workshop") && text.contains(":CONFLICT:"), "\(text)")
    try box.once(status: 3, settings: "t.toml")
    try seal.seal("* Draft the keynote of the workshop\n", to: "org2/" + seal.name, in: box)
    #expect(try box.once(settings: "t.toml").result == "synced")
    try seal.tidy(box)
  }

  /// The texts of a merge and of a conflict must exist only in the memory of two devices.
  @Test(arguments: FileSeal.allCases)
  func `the text of an encrypted file is written nowhere else`(seal: FileSeal) throws {
    func text(_ title: String, _ body: String) -> String { "* \(title) \(Self.canary)\n* B\n\(body) \(Self.canary)\n" }
    guard try Strace.isUsable(), let box = try devices(seal, text: text("Draft the talk", "two")) else { return }
    try box.shell("mkdir tmp")
    let rounds = [
      (text("Draft the speech", "two"), text("Draft the talk", "TWO"), 0),
      (text("Draft the keynote", "TWO"), text("Draft the workshop", "TWO"), 3),
    ]
    var said = ""
    for (ours, theirs, status) in rounds {
      try seal.seal(ours, to: "org/" + seal.name, in: box)
      try seal.seal(theirs, to: "org2/" + seal.name, in: box)
      for settings in ["s.toml", "t.toml", "s.toml"] {
        let command = box.command(
          ["--once", "--json", "-v"], environment: ["TMPDIR": box.path("tmp")], settings: settings)
        let (outcome, strace) = try Strace.watch(command, in: box)
        #expect(outcome.status == (settings == "t.toml" ? Int32(status) : 0), "\(outcome.story)")
        let places = strace.places(of: Self.canary)
        #expect(places.isSubset(of: ["a pipe"]), "\(places)")
        #expect(places.isEmpty == (seal == .age || settings == "s.toml"))
        said += outcome.story
      }
    }
    for settings in ["s.toml", "t.toml"] {
      for words in [
        ["log", "-p"], ["log", "-p", seal.name], ["conflicts", "-p"], ["conflicts", "--json"], ["log", "--json"],
        ["why", seal.name], ["status", "--json"], ["show", seal.name],
      ] {
        let outcome = try box.command(words, settings: settings).run()
        #expect(outcome.status == 0 || words[0] == "status" && outcome.status == 3, "\(outcome.story)")
        said += outcome.story
      }
    }
    #expect(!said.contains(Self.canary))
    let merged = try seal.open("org/" + seal.name, in: box)
    #expect(merged.contains("keynote") && merged.contains("workshop") && merged.contains("TWO"), "\(merged)")
    let found = try Command(["grep", "-rlaF", "-e", Self.canary, box.root]).run()
    #expect(found.status == 1, "\(found.text)")
    try seal.tidy(box)
  }

  @Test func `no plaintext is captured to an encrypted inbox`() throws {
    let box = try Sandbox(store: "inbox = \"inbox.org.gpg\"")
    try box.write("sealed", to: "org/inbox.org.gpg")
    let outcome = try box.syncd("capture", Self.canary)
    #expect(outcome.status == 8 && outcome.err.contains("inbox.org.gpg"), "\(outcome.story)")
    #expect(box.read("org/inbox.org.gpg") == "sealed")
  }

  @Test func `gpg needs no settings if its keys are in the default place`() throws {
    let box = try Sandbox()
    guard try FileSeal.gpg.makeKeys(in: box) else { return }
    for (file, state, store) in [("s.toml", "state", "org"), ("t.toml", "state2", "org2")] {
      try box.writeSettings(state: state, storePath: store, file: file)
    }
    try box.shell("mkdir org2")
    let environment = ["GNUPGHOME": box.path("gnupg")]
    for (ours, theirs) in [(Self.base, ""), ("* A\nONE\n* B\ntwo\n", "* A\none\n* B\nTWO\n")] {
      try FileSeal.gpg.seal(ours, to: "org/notes.org.gpg", in: box)
      if !theirs.isEmpty { try FileSeal.gpg.seal(theirs, to: "org2/notes.org.gpg", in: box) }
      for settings in ["s.toml", "t.toml"] {
        let outcome = try box.syncd("--once", environment: environment, settings: settings)
        #expect(outcome.status == 0, "\(outcome.story)")
      }
    }
    #expect(try FileSeal.gpg.open("org2/notes.org.gpg", in: box) == "* A\nONE\n* B\nTWO\n")
    try FileSeal.gpg.tidy(box)
  }
}
