import Foundation
import ProgramTesting
import SyncKit
import Testing

/// `syncd conflicts --foreign` and `syncd adopt`, with the real program.
@Suite("Conflict copies of other programs are merged") struct AdoptTests {
  private static let copy = "a.sync-conflict-20261120-101500-ABCDEFG.org"
  private static let base = "* A\none\n* B\ntwo\n* C\nthree\n"

  /// A store with a synced file, an edit of it, and a conflict copy with another edit.
  private func sandbox(
    ours: String = "* A\nONE\n* B\ntwo\n* C\nthree\n", theirs: String = "* A\none\n* B\ntwo\n* TODO C\nthree\n* D\n",
    copy: String = copy, settings: String = ""
  ) throws -> Sandbox {
    let sandbox = try Sandbox(settings: settings)
    try sandbox.write(Self.base, to: "org/a.org")
    try sandbox.once()
    try sandbox.write(["org/a.org": ours, "org/\(copy)": theirs])
    return sandbox
  }

  private struct Adopted: Decodable {
    var copies: [Copy]
    struct Copy: Decodable { var path: String, file: String, result: String, reason: String }
  }

  private func adopt(_ sandbox: Sandbox, _ words: String..., status: Int32 = 0) throws -> [Adopted.Copy] {
    let outcome = try sandbox.command(["adopt", "--json"] + words).run()
    #expect(outcome.status == status, "\(outcome.story)")
    #expect(try JSONSchema("adopt").mistakes(in: JSONSerialization.jsonObject(with: outcome.out)) == [])
    return try outcome.json(Adopted.self).copies
  }

  @Test("a copy is listed, merged from the base in the history, and removed; undo takes it back")
  func merged() throws {
    let sandbox = try sandbox()
    let before = sandbox.store
    let list = try sandbox.syncd("conflicts", "--foreign", "--json")
    #expect(list.status == 0 && list.text.contains("Syncthing"), "\(list.story)")
    #expect(try JSONSchema("foreign-copies").mistakes(in: JSONSerialization.jsonObject(with: list.out)) == [])
    let state = try sandbox.fingerprint()
    #expect(try adopt(sandbox, "--all", "--dry-run").map(\.result) == ["merged"])
    #expect(try sandbox.fingerprint() == state)
    #expect(try adopt(sandbox, "--all").map(\.result) == ["merged"])
    #expect(sandbox.store.files.keys.sorted() == ["a.org"])
    #expect(sandbox.read("org/a.org") == "* A\nONE\n* B\ntwo\n* TODO C\nthree\n* D\n")
    #expect(try sandbox.syncd("log").text.contains("adopted with `syncd adopt`"))
    #expect(try sandbox.syncd("show", Self.copy).text == "* A\none\n* B\ntwo\n* TODO C\nthree\n* D\n")
    #expect(try sandbox.syncd("undo", "last").status == 0)
    #expect(sandbox.store == before)
    #expect(try adopt(sandbox, Self.copy).map(\.result) == ["merged"])
    try sandbox.once()
    #expect(sandbox.store == sandbox.tree("home"))
  }

  @Test("a copy that is a former version of the file is removed, and the file stays")
  func former() throws {
    let sandbox = try sandbox(theirs: Self.base)
    #expect(try adopt(sandbox, "*.sync-conflict-*").map(\.result) == ["removed"])
    #expect(sandbox.store.files.count == 1 && sandbox.read("org/a.org")?.contains("ONE") == true)
    #expect(try adopt(sandbox, "--all").isEmpty)
  }

  @Test(
    "where both changed the same place, the file is marked and the conflict can be resolved", arguments: [true, false])
  func conflict(ours: Bool) throws {
    let sandbox = try sandbox(
      ours: "* Here\none\n* B\ntwo\n* C\nthree\n", theirs: "* There\none\n* B\nTWO\n* C\nthree\n")
    #expect(try adopt(sandbox, "--all", status: 3).map(\.result) == ["conflict"])
    #expect(sandbox.store.files.count == 1 && sandbox.read("org/a.org")?.contains(":CONFLICT:") == true)
    let list = try sandbox.syncd("conflicts")
    #expect(list.text.contains("a.org (home"), "\(list.story)")
    try sandbox.once(status: 3)
    let outcome = try sandbox.syncd("resolve", "a.org", ours ? "--ours" : "--theirs")
    #expect(outcome.status == 0, "\(outcome.story)")
    #expect(sandbox.read("org/a.org") == "* \(ours ? "Here" : "There")\none\n* B\nTWO\n* C\nthree\n")
    try sandbox.once()
    #expect(sandbox.store == sandbox.tree("home"))
  }

  @Test("with conflicts = keep-both a copy with a conflict stays, and so does one of a marked file")
  func kept() throws {
    let sandbox = try sandbox(
      ours: "* Here\none\n* B\ntwo\n* C\nthree\n", theirs: "* There\none\n* B\nTWO\n* C\nthree\n",
      settings: "conflicts = \"keep-both\"")
    let before = sandbox.store
    #expect(try adopt(sandbox, "--all", status: 3).map(\.result) == ["kept"])
    try sandbox.write(["org/a.org": "* A :CONFLICT:\none\n* B\ntwo\n* C\nthree\n"])
    #expect(try adopt(sandbox, "--all", status: 3).first?.reason.contains("open conflict") == true)
    try sandbox.write(["org/a.org": "* Here\none\n* B\ntwo\n* C\nthree\n"])
    #expect(sandbox.store == before)
  }

  @Test(
    "a file that only has such a name is never changed",
    arguments: [
      ("a 2.org", "* Second chapter\nAnother text.\n* Its end\nMore.\n", "--all", Int32(0)),
      ("a 2.org", "* Second chapter\nAnother text.\n* Its end\nMore.\n", "a 2.org", 3),
      ("a.org.orig", "* A\n<<<<<<< HEAD\none\n=======\nONE\n>>>>>>> x\n* B\ntwo\n* C\nthree\n", "*.orig", 3),
      ("a 2.org", "* A\none\n* B\ntwo\n* C\nthree\n* D\nfour\n", "--all", 0),
      ("b 2.org", base, "b 2.org", 4), ("b.org", base, "b.org", 4),
      ("b.sync-conflict-20261120-101500-ABCDEFG.org", base, "--all", 3),
    ])
  func harmless(name: String, text: String, words: String, status: Int32) throws {
    let sandbox = try sandbox(theirs: text, copy: name)
    let before = sandbox.store
    let outcome = try sandbox.syncd("adopt", words)
    #expect(outcome.status == status, "\(outcome.story)")
    #expect(sandbox.store == before)
  }

  @Test("a similar file that is named is adopted, whatever its name proves")
  func uncertain() throws {
    let sandbox = try sandbox(theirs: Self.base + "* D\nfour\n", copy: "a 2.org")
    #expect(try sandbox.syncd("conflicts", "--foreign").text.contains("perhaps a version of a.org"))
    #expect(try adopt(sandbox, "a 2.org").map(\.result) == ["merged"])
    #expect(sandbox.store.files.count == 1)
    #expect(sandbox.read("org/a.org") == "* A\nONE\n* B\ntwo\n* C\nthree\n* D\nfour\n")
  }

  /// A store with a copy that merges, and one with a conflict.
  private func two() throws -> Sandbox {
    let sandbox = try Sandbox()
    try sandbox.write(["org/a.org": Self.base, "org/b.org": Self.base])
    try sandbox.once()
    try sandbox.write([
      "org/a.org": "* A\nONE\n* B\ntwo\n* C\nthree\n", "org/b.org": "* Here\none\n* B\ntwo\n* C\nthree\n",
      "org/\(Self.copy)": "* A\none\n* B\ntwo\nmore\n* C\nthree\n* D\nfour\n",
      "org/b (Ann's conflicted copy 2026-11-20).org": "* There\none\n* B\nTWO\n* C\nthree\n",
    ])
    return sandbox
  }

  @Test(
    "a copy of an encrypted file stays, also in a dry run, and with a key; an identical one is removed",
    arguments: ["gpg", "age"])
  func encrypted(suffix: String) throws {
    let sandbox = try Sandbox()
    let (file, copy) = ("a.org.\(suffix)", "a.org.sync-conflict-20261120-101500-ABCDEFG.\(suffix)")
    try sandbox.write("ciphertext\n", to: "org/\(file)")
    try sandbox.once()
    try sandbox.write("other ciphertext\n", to: "org/\(copy)")
    let before = sandbox.store
    for words in [["--all", "--dry-run"], ["--all"]] {
      let outcome = try sandbox.command(["adopt"] + words).run()
      #expect(outcome.status == 3 && outcome.text.contains("\(file) is encrypted"), "\(outcome.story)")
      #expect(sandbox.store == before)
    }
    try sandbox.write("ciphertext\n", to: "org/\(copy)")
    #expect(try adopt(sandbox, "--all").map(\.result) == ["removed"])
    #expect(sandbox.store.names == [file])
  }

  @Test("a copy with a conflict stays if no remote syncs whole files, because the conflict could not be resolved")
  func onlySubtrees() throws {
    let sandbox = try sandbox(
      ours: "* Here\none\n* B\ntwo\n* C\nthree\n", theirs: "* There\none\n* B\nTWO\n* C\nthree\n")
    // The remote with which the base was agreed is replaced.
    let settings = try #require(sandbox.read("s.toml")).replacing("home", with: "phone")
    try sandbox.write(settings.replacing("cloud = ", with: "match = \"+mobile\"\ncloud = "), to: "s.toml")
    let before = sandbox.store
    let copies = try adopt(sandbox, "--all", status: 3)
    #expect(copies.map(\.result) == ["kept"] && copies[0].reason.contains("edit a.org"), "\(copies)")
    #expect(sandbox.store == before)
  }

  @Test("files that are too large to be merged are not read")
  func large() throws {
    let sandbox = try Sandbox()
    // They occupy no space, and no memory could hold them.
    for (name, size) in [("a.mov", 1 << 38), ("a.sync-conflict-20261120-101500-ABCDEFG.mov", 1 << 37)] {
      try sandbox.shell("truncate -s \(size) org/\(name)")
    }
    let copies = try adopt(sandbox, "--all", status: 3)
    #expect(copies.map(\.result) == ["kept"] && copies[0].reason.contains("cannot be merged"), "\(copies)")
  }

  @Test("an error that is not of one copy ends the command")
  func fullDisk() throws {
    let sandbox = try two()
    let before = sandbox.store
    let outcome = try sandbox.syncd(
      "adopt", "--all", environment: ["SYNCD_FAILPOINTS": "tree.temporary.writing=error(ENOSPC)@first"])
    #expect(![0, 3].contains(outcome.status) && outcome.out.isEmpty, "\(outcome.story)")
    #expect(sandbox.store == before)
    #expect(try adopt(sandbox, "--all", status: 3).count == 2)
  }

  @Test("a run that is killed anywhere is completed by the next one, and nothing stands twice")
  func killed() throws {
    let whole = try two()
    #expect(try adopt(whole, "--all", status: 3).map(\.result).sorted() == ["conflict", "merged"])
    // All places are about 90.
    var places = 0
    for place in stride(from: 1, to: .max, by: isSoak ? 1 : 6) {
      let sandbox = try two()
      let outcome = try sandbox.syncd(
        "adopt", "--all", environment: ["SYNCD_FAILPOINTS": "*=kill@nth(\(place))"])
      guard outcome.status == 137 else { break }
      places += 1
      #expect([0, 3].contains(try sandbox.syncd("adopt", "--all").status), "place \(place)")
      // The next pass removes temporary files.
      #expect(sandbox.store.files.filter { !$0.key.hasSuffix(".tmp") } == whole.store.files, "place \(place)")
      #expect(try sandbox.syncd("conflicts").text.contains("b.org"), "place \(place)")
      try sandbox.settle()
      #expect(sandbox.tree("home") == sandbox.store && sandbox.store == whole.store, "place \(place)")
    }
    #expect(places > 10)
  }

  @Test("another program that syncs the store is named once, and by doctor")
  func notice() throws {
    let sandbox = try Sandbox()
    try sandbox.write(["org/a.org": "* A\n", ".stfolder/x": "", "org/.sync_0123abcd.db": ""])
    try FileManager.default.createDirectory(atPath: sandbox.path(".dropbox"), withIntermediateDirectories: true)
    let first = try sandbox.syncd("--once")
    #expect(first.status == 0 && first.err.contains("Syncthing also syncs") && first.err.contains("Nextcloud"))
    #expect(!first.err.contains("Dropbox"), "\(first.story)")
    #expect(try !sandbox.syncd("--once").err.contains("also syncs"))
    let doctor = try sandbox.syncd("doctor")
    #expect(doctor.status == 0 && doctor.text.contains("note: Syncthing also syncs"), "\(doctor.story)")
    try sandbox.write("", to: "org/.dropbox")
    let later = try sandbox.syncd("--once")
    #expect(later.err.contains("Dropbox also syncs") && !later.err.contains("Syncthing"), "\(later.story)")
  }

  // MARK: Random edits

  @Test("random edits of files and copies are merged as they must be", arguments: [1, 2, 3])
  func random(seed: UInt64) throws {
    var generator = SplitMix64(state: seed)
    let sandbox = try Sandbox()
    let files = (0..<12).map { _ in RandomCopy(&generator) }
    for step in 0..<RandomCopy.steps {
      for index in files.indices { try sandbox.write(files[index].version(step), to: "org/\(index).org") }
      try sandbox.once()
    }
    for index in files.indices {
      try sandbox.write(
        files[index].copy, to: "org/\(index).sync-conflict-20261120-101500-ABCDEFG.org")
    }
    let outcome = try sandbox.syncd("adopt", "--all")
    #expect(outcome.status == 0, "seed \(seed): \(outcome.story)")
    for index in files.indices {
      let text = sandbox.read("org/\(index).org") ?? ""
      #expect(RandomCopy.entries(text) == RandomCopy.entries(files[index].merged), "seed \(seed), file \(index)")
    }
    #expect(sandbox.store.files.count == files.count)
  }
}

/// The versions of a file and a copy of one of them, with random edits of different entries.
private struct RandomCopy {
  static let steps = 4
  private enum Edit: CaseIterable { case keyword, line, addition, deletion, entry }

  private var edits: [(entry: Int, edit: Edit, step: Int, isShared: Bool)] = []
  private let fork: Int

  init(_ generator: inout SplitMix64) {
    fork = Int.random(in: 0..<Self.steps - 1, using: &generator)
    for entry in 0..<16 {
      guard let edit = Edit.allCases.randomElement(using: &generator) else { continue }
      // The last step is that of the copy.
      let step = Int.random(in: 1...Self.steps + 2, using: &generator)
      // A later version without an entry that the copy has can have deleted it, or the copy can have added it.
      let isShared = Bool.random(using: &generator) || edit == .deletion
      edits.append((entry, edit, min(step, Self.steps), isShared))
    }
  }

  /// The file after a step.
  func version(_ step: Int) -> String { text { $0.step <= step } }

  /// The version of the fork with the copy's own edits, and some that the file got after the fork.
  var copy: String { text { $0.step <= fork || $0.step == Self.steps || ($0.isShared && $0.step == fork + 1) } }

  var merged: String { text { _ in true } }

  private func text(_ isMade: ((entry: Int, edit: Edit, step: Int, isShared: Bool)) -> Bool) -> String {
    edits.map { edit in Self.text(edit.entry, isMade(edit) ? edit.edit : nil) }.joined()
  }

  private static func text(_ number: Int, _ edit: Edit?) -> String {
    let (title, body) = ("Entry \(number)", "text \(number) a\ntext \(number) b\n")
    return switch edit {
    case .none: "* \(title)\n\(body)"
    case .keyword: "* DONE \(title)\n\(body)"
    case .line: "* \(title)\nTEXT \(number) a\ntext \(number) b\n"
    case .addition: "* \(title)\n\(body)more \(number)\n"
    case .deletion: ""
    case .entry: "* \(title)\n\(body)* New \(number)\nnew \(number)\n"
    }
  }

  /// The entries of a text, sorted.
  static func entries(_ text: String) -> [String] { text.split(separator: "* ").map(String.init).sorted() }
}
