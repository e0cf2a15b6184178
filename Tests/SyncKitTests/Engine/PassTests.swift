import SettingsRegistry
import SyncKitTesting
import Testing

@testable import SyncKit

@Suite("A pass")
struct PassTests {
  /// A path's content in the base, in the store and on the remote, and on both sides after a pass.
  struct Case: Sendable {
    var base, local, remote, after: String?

    init(_ base: String?, _ local: String?, _ remote: String?, _ after: String?) {
      (self.base, self.local, self.remote, self.after) = (base, local, remote, after)
    }
  }

  @Test(
    "of two equal files of which each side deletes another, one stays, unless they are empty", arguments: ["one", ""])
  func lastCopies(text: String) async {
    let pair = Pair()
    await pair.agree(on: ["a": text, "b": text, "keep": "x"])
    await pair.edit(.local, ["a": nil])
    await pair.edit(.remote, ["b": nil])
    #expect(await pair.passes().isQuiet)
    #expect(await pair.both() == (text.isEmpty ? ["keep": "x"] : ["a": text, "keep": "x"]))
  }

  @Test(
    "a pass does what each of the nine cases requires, and the next one does nothing",
    arguments: [
      Case("1", "1", "1", "1"), Case("1", "2", "1", "2"), Case("1", "1", "2", "2"), Case("1", nil, "1", nil),
      Case("1", "1", nil, nil), Case("1", nil, nil, nil), Case("1", "2", nil, "2"), Case("1", nil, "2", "2"),
      Case("1", "2", "2", "2"), Case(nil, "1", nil, "1"), Case(nil, nil, "1", "1"), Case(nil, "1", "1", "1"),
    ], [true, false])
  func nineCases(row: Case, isFirm: Bool) async throws {
    let pair = Pair(
      store: MemoryReplica(address: "store", identity: "disk", isFirm: isFirm),
      remote: MemoryReplica(address: "remote", isFirm: isFirm))
    await pair.agree(on: ["a": row.base, "other": "x"])
    await pair.edit(.local, ["a": row.local])
    await pair.edit(.remote, ["a": row.remote])
    let (report, isQuiet) = await pair.passes()
    #expect(report.result == .synced)
    #expect(await pair.both() == ["a": row.after, "other": "x"].compactMapValues(\.self))
    #expect(isQuiet)
    #expect(await pair.lost().isEmpty)
    #expect(report.bytes.up + report.bytes.down == (row.local == row.remote || row.after == nil ? 0 : 1))
  }

  @Test(
    "at a first meeting, equal files are not transferred, single ones are copied, and different ones are kept side by side"
  )
  func firstMeeting() async throws {
    let pair = Pair()
    await pair.edit(.local, ["same": "1", "mine": "2", "a.txt": "3"])
    await pair.edit(.remote, ["same": "1", "theirs": "4", "a.txt": "5"])
    let (report, isQuiet) = await pair.passes()
    let files = try #require(await pair.both())
    #expect(files.count == 5)
    #expect(Set(files.values) == ["1", "2", "3", "4", "5"])
    #expect(!report.actions.contains { $0.path == path("same") })
    #expect(report.result == .conflicts)
    #expect(isQuiet)
  }

  @Test("a first meeting deletes nothing, whichever side is empty", arguments: Side.allCases)
  func emptySide(side: Side) async throws {
    let pair = Pair()
    await pair.edit(side, ["a": "1", "b/c": "2"])
    _ = await pair.pass()
    #expect(await pair.both() == ["a": "1", "b/c": "2"])
  }

  // MARK: Conflicts

  @Test("edits of both sides are merged, and both versions are in the history")
  func merge() async throws {
    let pair = Pair()
    await pair.agree(on: ["a.org": "base "])
    await pair.edit(.local, ["a.org": "base local "])
    await pair.edit(.remote, ["a.org": "base remote "])
    let (report, isQuiet) = await pair.passes()
    #expect(await pair.both() == ["a.org": "base local remote "])
    #expect(report.counts.merged == 1 && report.result == .synced)
    #expect(await pair.lost().isEmpty)
    #expect(isQuiet)
  }

  @Test("no policy loses a version", arguments: ConflictPolicy.allCases, ["a.org", "a.txt", "b"])
  func policies(policy: ConflictPolicy, name: String) async throws {
    let pair = Pair(options: PassOptions(conflicts: policy))
    await pair.agree(on: [name: "base "])
    await pair.edit(.local, [name: "one"])
    await pair.edit(.remote, [name: "two"])
    let (report, isQuiet) = await pair.passes()
    let files = try #require(await pair.both())
    switch policy {
    case .preferLocal: #expect(files == [name: "one"])
    case .preferRemote: #expect(files == [name: "two"])
    case .merge, .keepBoth, .preferNewer:
      #expect(Set(files.values) == ["one", "two"])
      #expect(files.keys.contains(name))
      #expect(report.result == .conflicts)
    }
    #expect(await pair.lost().isEmpty)
    #expect(isQuiet)
  }

  @Test("a preference also applies to files that are too large to keep while reading")
  func preferLarge() async throws {
    let pair = Pair(options: PassOptions(conflicts: .preferLocal))
    let (local, remote) = (String(repeating: "l", count: 9 << 20), String(repeating: "r", count: 9 << 20))
    await pair.edit(.local, ["a": local])
    await pair.edit(.remote, ["a": remote])
    let (report, _) = await pair.passes()
    #expect(report.result == .synced)
    #expect(await pair.both() == ["a": local])
    #expect(await pair.lost().isEmpty)
  }

  @Test(
    "a preference decides only what would be a conflict of the merge",
    arguments: [ConflictPolicy.preferLocal, .preferRemote])
  func preferenceIsATieBreaker(policy: ConflictPolicy) async {
    let pair = Pair(options: PassOptions(conflicts: policy))
    await pair.agree(on: ["a.org": "base", "marked.org": "base"])
    await pair.edit(.local, ["a.org": "base one", "marked.org": "base one"])
    await pair.edit(.remote, ["a.org": "base two", "marked.org": "base two"])
    let (report, isQuiet) = await pair.passes()
    let preferred = policy == .preferLocal ? "base one" : "base two"
    #expect(await pair.both() == ["a.org": "base one two", "marked.org": preferred])
    #expect(report.result == .synced && isQuiet)
    #expect(await pair.lost().isEmpty)
  }

  @Test("an edit survives a deletion, whatever else is merged", arguments: Side.allCases)
  func editAgainstDeletion(side: Side) async {
    for files in [["a.org": "a"], ["a.org": "a", "b.org": "b"]] {
      let pair = Pair()
      await pair.put(merger: EagerMerger())
      await pair.agree(on: files.mapValues { $0 })
      await pair.edit(side, ["a.org": nil])
      await pair.edit(side.other, ["a.org": "a edited"])
      if files["b.org"] != nil {
        await pair.edit(.local, ["b.org": "b one"])
        await pair.edit(.remote, ["b.org": "b two"])
      }
      _ = await pair.passes()
      #expect(await pair.both()?["a.org"] == "a edited")
    }
  }

  @Test("a file that only one side changed is copied, also during a merge")
  func company() async throws {
    let pair = Pair()
    await pair.agree(on: ["a.org": "base ", "b.org": "b", "c.org": "c"])
    await pair.edit(.local, ["a.org": "base local ", "b.org": "bb"])
    await pair.edit(.remote, ["a.org": "base remote ", "c.org": ""])
    let report = await pair.pass()
    #expect(await pair.both() == ["a.org": "base local remote ", "b.org": "bb", "c.org": ""])
    #expect(report.counts.merged == 1 && report.counts.copied == 2)
    #expect(await pair.archive.memory(of: "home").deletedToday == 1)
  }

  @Test("two devices resolve the same conflict to the same files")
  func twoDevices() async throws {
    let storage = MemoryStorage()
    let one = Pair(device: "laptop")
    let two = Pair(store: MemoryReplica(address: "store", identity: "other"), device: "phone")
    for (pair, name) in [(one, "laptop"), (two, "phone")] {
      await pair.put(around: .remote) { _ in
        var parts = RemoteParts.inMemory(storage: storage)
        parts.device = Device(id: name, name: name)
        return StorageReplica(storage, parts)
      }
    }
    await one.edit(.local, ["a.txt": "base"])
    for pair in [one, two] { _ = await pair.pass() }
    await one.edit(.local, ["a.txt": "one"])
    await two.edit(.local, ["a.txt": "two"])
    for _ in 0..<3 { for pair in [one, two] { _ = await pair.pass() } }
    let files = await one.texts(.local)
    #expect(await two.texts(.local) == files)
    #expect(await storage.contents.count == files.count + 1)
    #expect(Set(files.values) == ["one", "two"] && files.count == 2)
  }

  @Test("a conflict is open until its copy is removed")
  func settlesCopy() async throws {
    let pair = Pair(options: PassOptions(conflicts: .keepBoth))
    await pair.agree(on: ["a": "base"])
    await pair.edit(.local, ["a": "one"])
    await pair.edit(.remote, ["a": "two"])
    #expect(await pair.pass().openConflicts == 1)
    #expect(await pair.pass().result == .conflicts)
    let copy = try #require(await pair.texts(.local).keys.first { $0 != "a" })
    await pair.edit(.local, [copy: nil])
    let (report, isQuiet) = await pair.passes()
    #expect(report.result == .synced && report.openConflicts == 0)
    #expect(await pair.both()?.count == 1)
    #expect(isQuiet)
    #expect(await pair.lost().isEmpty)
  }

  @Test("a new conflict of a file is open although the former one is resolved in the same pass")
  func conflictAfterConflict() async throws {
    let pair = Pair(options: PassOptions(conflicts: .keepBoth))
    await pair.agree(on: ["a": "base"])
    await pair.edit(.local, ["a": "one"])
    await pair.edit(.remote, ["a": "two"])
    _ = await pair.pass()
    let copy = try #require(await pair.texts(.local).keys.first { $0 != "a" })
    await pair.edit(.local, [copy: nil, "a": "three"])
    await pair.edit(.remote, [copy: nil, "a": "four"])
    #expect(await pair.pass().openConflicts == 1)
    let again = await pair.pass()
    #expect(again.openConflicts == 1 && again.result == .conflicts)
  }

  @Test("a conflict stays open over a first meeting, until it is resolved")
  func conflictAtNewMeeting() async throws {
    let pair = Pair(options: PassOptions(conflicts: .keepBoth))
    await pair.agree(on: ["a": "base"])
    await pair.edit(.local, ["a": "one"])
    await pair.edit(.remote, ["a": "two"])
    _ = await pair.passes()
    await pair.replace(remote: MemoryReplica(address: "another place", identity: "another disk"))
    #expect(await pair.pass().openConflicts == 1)
    let (again, _) = await pair.passes()
    #expect(again.openConflicts == 1 && again.result == .conflicts)
    let copy = try #require(await pair.texts(.local).keys.first { $0 != "a" })
    await pair.edit(.local, [copy: nil])
    let (report, isQuiet) = await pair.passes()
    #expect(report.result == .synced && report.openConflicts == 0 && isQuiet)
  }

  @Test("a marked conflict is open until its marks are removed")
  func settlesMarks() async throws {
    let pair = Pair()
    await pair.agree(on: ["marked.org": "base"])
    await pair.edit(.local, ["marked.org": "one"])
    await pair.edit(.remote, ["marked.org": "two"])
    let (report, isQuiet) = await pair.passes()
    #expect(report.result == .conflicts && isQuiet)
    #expect(await pair.both() == ["marked.org": "<<<one===two"])
    await pair.edit(.local, ["marked.org": "<<<one===two!"])
    #expect(await pair.passes().report.result == .conflicts)
    await pair.edit(.remote, ["marked.org": "one and two"])
    _ = await pair.passes()
    #expect(await pair.pass().result == .synced)
    #expect(await pair.lost().isEmpty)
  }

  @Test("a version stays in place until its copy is written", arguments: Side.allCases)
  func copyFails(side: Side) async throws {
    let pair = Pair(options: PassOptions(conflicts: .keepBoth))
    await pair.agree(on: ["a": "base"])
    await pair.edit(.local, ["a": "one"])
    await pair.edit(.remote, ["a": "two"])
    await pair.put(around: side) { replica in
      Interference(replica: replica, answer: { $0.path == path("a") ? nil : .cannot("no such names here") })
    }
    let (report, _) = await pair.passes()
    #expect(report.result == .failed)
    #expect(await pair.texts(.local)["a"] == "one")
    #expect(await pair.texts(.remote)["a"] == "two")
    await pair.put(around: side, nil)
    #expect(await pair.passes().isQuiet)
    #expect(Set(try #require(await pair.both()).values) == ["one", "two"])
  }

  @Test("a longer name is used if another file has the name of the copy")
  func copyNameTaken() async throws {
    let first = Pair(options: PassOptions(conflicts: .keepBoth))
    await first.edit(.local, ["a": "one"])
    await first.edit(.remote, ["a": "two"])
    _ = await first.pass()
    let copy = try #require(await first.texts(.local).keys.first { $0 != "a" })
    let pair = Pair(options: PassOptions(conflicts: .keepBoth))
    await pair.edit(.local, ["a": "one"])
    await pair.edit(.remote, ["a": "two", copy: "somebody's own"])
    let (_, isQuiet) = await pair.passes()
    #expect(Set(try #require(await pair.both()).values) == ["one", "two", "somebody's own"])
    #expect(isQuiet)
  }

  // MARK: Structure

  @Test("an edit follows a rename, and the old name disappears", arguments: Side.allCases)
  func follow(side: Side) async throws {
    let pair = Pair()
    await pair.agree(on: ["old": "text", "x": "y"])
    await pair.edit(side, ["old": nil, "new": "text"])
    await pair.edit(side.other, ["old": "text, edited"])
    let (report, isQuiet) = await pair.passes()
    #expect(await pair.both() == ["new": "text, edited", "x": "y"])
    #expect(report.result == .synced && isQuiet)
    #expect(await pair.lost().isEmpty)
  }

  @Test(
    "a file that one side renamed and edited and the other side edited is one file with both edits",
    arguments: Side.allCases,
    ["nothing", "one kept line"])
  func renamedAndEdited(side: Side, other: String) async throws {
    let pair = Pair()
    await pair.put(merger: LineMerger())
    let base = "a line\nb line\nc line\n"
    await pair.agree(on: ["old.org": base, "x.org": "y"])
    await pair.edit(side, ["old.org": nil, "new.org": base + "d line\n"])
    if other != "nothing" { await pair.edit(side, ["other.org": "a line\nquite another text\n"]) }
    await pair.edit(side.other, ["old.org": base + "e line\n"])
    let (report, isQuiet) = await pair.passes()
    let files = try #require(await pair.both())
    #expect(files["new.org"] == base + "d line\ne line\n" && files["old.org"] == nil, "\(files)")
    #expect(report.result == .synced && isQuiet)
    #expect(await pair.lost().isEmpty)
  }

  @Test("a new file that resembles two others equally, or none, is a new file", arguments: Side.allCases)
  func uncertainRename(side: Side) async throws {
    for (new, alike) in [("a line\nb line\n", true), ("another\n", false)] {
      let pair = Pair()
      await pair.put(merger: LineMerger())
      let base = "a line\nb line\n"
      await pair.agree(on: ["one.org": base, "two.org": base, "x.org": "y"])
      await pair.edit(side, ["one.org": nil, "two.org": nil, "new.org": new + (alike ? "c\n" : "")])
      await pair.edit(side.other, ["one.org": base + "e line\n", "two.org": base + "f line\n"])
      let (report, isQuiet) = await pair.passes()
      #expect(try #require(await pair.both()).keys.sorted() == ["new.org", "one.org", "two.org", "x.org"])
      #expect(report.result == .synced && isQuiet)
    }
  }

  @Test("an edit of a temporarily ignored file is an edit, not a first meeting", arguments: Side.allCases)
  func hidden(side: Side) async throws {
    let pair = Pair()
    await pair.agree(on: ["a.org": "base", "b.org": "base", "c.org": "base", "x.org": "y"])
    await pair.set { $0.filter = PathFilter(ignore: ["[abc].org"]) }
    for _ in 0..<2 { _ = await pair.pass() }
    await pair.edit(side, ["a.org": "rewritten", "b.org": "base one", "c.org": nil])
    await pair.edit(side.other, ["b.org": "base two"])
    _ = await pair.pass()
    #expect(await pair.texts(side.other)["a.org"] == "base")
    await pair.set { $0.filter = PathFilter() }
    let (report, isQuiet) = await pair.passes()
    // Files that were deleted while they were hidden are restored: a filter deletes nothing.
    let wanted = ["a.org": "rewritten", "b.org": "base one two", "c.org": "base", "x.org": "y"]
    #expect(await pair.both() == wanted)
    #expect(report.result == .synced && isQuiet)
    #expect(await pair.lost().isEmpty)
    let left = try await pair.archive.journal(of: "home").records().keys.filter { $0.hasPrefix("engine.hidden") }
    #expect(left.isEmpty)
  }

  @Test("an edit keeps its old name until it is written under the new one", arguments: Side.allCases, Side.allCases)
  func followFails(side: Side, failing: Side) async throws {
    let pair = Pair()
    await pair.agree(on: ["old": "text", "x": "y"])
    await pair.edit(side, ["old": nil, "new": "text"])
    await pair.edit(side.other, ["old": "text, edited"])
    await pair.put(around: failing) { replica in
      Interference(replica: replica, answer: { $0.path == path("new") ? .cannot("no such name") : nil })
    }
    _ = await pair.passes()
    #expect(await pair.texts(side.other)["old"] == "text, edited")
    await pair.put(around: failing, nil)
    let (_, isQuiet) = await pair.passes()
    #expect(try #require(await pair.both()).values.contains("text, edited"))
    #expect(isQuiet)
  }

  @Test("a file and a folder of the same name are both kept, and the folder keeps the name", arguments: Side.allCases)
  func clash(side: Side) async throws {
    let pair = Pair()
    await pair.agree(on: ["other": "1"])
    await pair.edit(side, ["x": "file"])
    await pair.edit(side.other, ["x/a": "inside"])
    let (report, isQuiet) = await pair.passes()
    let files = try #require(await pair.both())
    #expect(files["x/a"] == "inside" && files["x"] == nil && files.values.contains("file") && files.count == 3)
    #expect(report.result == .conflicts && isQuiet)
  }

  @Test(
    "a file can become a folder, and a folder a file",
    arguments: [
      (["x": "1"], ["x": nil, "x/a": "2"]), (["x/a": "1", "x/b": "2"], ["x/a": nil, "x/b": nil, "x": "3"]),
      (["a": "1", "b": "2"], ["a": "2", "b": "1"]), (["a/b": "1"], ["a/b": nil, "b/a": "1"]),
      (["a": "1", "b": "2", "c": "3"], ["a": "3", "b": "1", "c": "2"]),
    ] as [([String: String?], [String: String?])])
  func turns(base: [String: String?], edit: [String: String?]) async throws {
    for side in Side.allCases {
      let pair = Pair()
      await pair.agree(on: base.merging(["keep": "k"]) { $1 })
      await pair.edit(side, edit)
      let (report, isQuiet) = await pair.passes()
      let expected = base.merging(edit) { $1 }.merging(["keep": "k"]) { $1 }.compactMapValues(\.self)
      #expect(await pair.both() == expected)
      #expect(report.result == .synced && isQuiet)
    }
  }
}
