import SettingsRegistry
import SyncKitTesting
import Testing

@testable import SyncKit

@Suite("Safety of passes")
struct PassSafetyTests {
  private static func files(_ count: Int) -> [String: String?] {
    Dictionary(uniqueKeysWithValues: (0..<count).map { ("f\($0)", "text \($0)") })
  }

  private static func nothing(_ numbers: Range<Int>) -> [String: String?] {
    Dictionary(uniqueKeysWithValues: numbers.map { ("f\($0)", nil) })
  }

  @Test("held deletions wait for approval, and everything else continues", arguments: Side.allCases)
  func hold(side: Side) async throws {
    let pair = Pair()
    await pair.agree(on: Self.files(10))
    await pair.edit(side, Self.nothing(0..<6).merging(["new": "1"]) { $1 })
    let (report, isQuiet) = await pair.passes()
    #expect(report.result == .held && report.counts.held == 6 && isQuiet)
    #expect(await pair.texts(side.other).count == 11)
    #expect(await pair.archive.memory(of: "home").hold?.items.count == 6)
    await pair.archive.allowHeld(of: "home")
    let (allowed, isQuietAgain) = await pair.passes()
    #expect(allowed.result == .synced && allowed.counts.removed == 6 && isQuietAgain)
    #expect(await pair.both()?.count == 5)
    let memory = await pair.archive.memory(of: "home")
    #expect(memory.allowed.isEmpty && memory.hold == nil && memory.deletedToday == 0)
    #expect(await pair.lost().isEmpty)
  }

  @Test("a pass does exactly what was approved, and holds what was added later")
  func joined() async throws {
    let pair = Pair()
    await pair.agree(on: Self.files(20))
    await pair.edit(.local, Self.nothing(0..<6))
    #expect(await pair.pass().result == .held)
    await pair.archive.allowHeld(of: "home")
    await pair.edit(.local, Self.nothing(6..<16))
    let report = await pair.pass()
    #expect(report.result == .held && report.counts.removed == 6 && report.hold?.items.count == 10)
    #expect(await pair.texts(.remote).count == 14)
  }

  @Test("an approval expires when the files are restored, and does not apply to their next deletion")
  func lapsed() async throws {
    let pair = Pair()
    await pair.agree(on: Self.files(10))
    await pair.edit(.local, Self.nothing(0..<10))
    #expect(await pair.pass().result == .held)
    await pair.archive.allowHeld(of: "home")
    await pair.edit(.local, Self.files(10))
    #expect(await pair.pass().result == .synced)
    #expect(await pair.archive.memory(of: "home").allowed.isEmpty)
    await pair.edit(.local, Self.nothing(0..<10))
    #expect(await pair.pass().result == .held)
    #expect(await pair.texts(.remote).count == 10)
  }

  @Test("an approval waits while it is unknown if the files are deleted")
  func approvalWaits() async throws {
    let pair = Pair()
    await pair.agree(on: Self.files(10))
    await pair.edit(.local, Self.nothing(0..<6))
    _ = await pair.pass()
    await pair.archive.allowHeld(of: "home")
    await pair.put(around: .local) { replica in
      Interference(replica: replica, listing: { snapshot, known in incomplete(snapshot, since: known) })
    }
    _ = await pair.pass()
    #expect(await pair.archive.memory(of: "home").allowed.count == 6)
    await pair.put(around: .local, nil)
    #expect(await pair.pass().counts.removed == 6)
  }

  @Test("deletions in several passes are added up")
  func dribble() async throws {
    let pair = Pair()
    await pair.agree(on: Self.files(12))
    var deleted = 0
    while deleted < 12, await pair.pass().result == .synced {
      await pair.edit(.local, Self.nothing(deleted..<min(deleted + 2, 12)))
      deleted += 2
    }
    #expect(await pair.pass().result == .held)
    #expect(await pair.texts(.remote).count == 8)
  }

  @Test("an emptied side is held, even with only two files", arguments: Side.allCases, [2, 3, 30])
  func emptied(side: Side, count: Int) async throws {
    let pair = Pair()
    await pair.agree(on: Self.files(count))
    await pair.edit(side, Self.nothing(0..<count))
    #expect(await pair.passes().report.result == .held)
    #expect(await pair.texts(side.other).count == count)
  }

  @Test("a pass stops if a side has disappeared", arguments: Side.allCases)
  func vanished(side: Side) async throws {
    let pair = Pair()
    await pair.agree(on: Self.files(3))
    if side == .local { await pair.replace(store: MemoryReplica(address: "store")) }
    if side == .remote { await pair.replace(remote: MemoryReplica(address: "remote")) }
    let report = await pair.pass()
    #expect(report.failure?.code == .wrongReplica && report.result == .held)
    #expect(await pair.texts(side.other).count == 3)
  }

  @Test("a pass changes nothing in a store on another disk until the user confirms it")
  func otherDisk() async throws {
    let pair = Pair()
    await pair.agree(on: ["a": "1", "b": "2"])
    let right = await pair.store
    await pair.replace(store: MemoryReplica(address: "store", identity: "another disk"))
    await pair.edit(.remote, ["a": "1, edited", "new": "3"])
    await pair.edit(.local, ["stray": "4"])
    let (report, isQuiet) = await pair.passes()
    #expect(report.result == .held && isQuiet)
    #expect(await pair.texts(.local) == ["stray": "4"])
    #expect(await pair.texts(.remote) == ["a": "1, edited", "b": "2", "new": "3"])
    await pair.replace(store: right)
    #expect(await pair.passes().report.result == .synced)
    #expect(await pair.both() == ["a": "1, edited", "b": "2", "new": "3"])
  }

  @Test("a store with its files is recognized although its disk got another number, as after a restart")
  func renumberedDisk() async throws {
    let pair = Pair()
    await pair.agree(on: ["a": "1", "b": "2", "c": "3"])
    await pair.edit(.local, ["a": nil])
    await pair.put(around: .local) { replica in
      Interference(
        replica: replica,
        listing: { snapshot, _ in
          var snapshot = snapshot
          snapshot.root.id = "another number"
          return snapshot
        })
    }
    let report = await pair.pass()
    #expect(report.result == .synced && report.counts.removed == 1)
    #expect(await pair.texts(.remote) == ["b": "2", "c": "3"])
    #expect(await pair.archive.memory(of: "home").localRoot?.id == "another number")
  }

  @Test("a file that was renamed to a name that the other side cannot hold keeps its old name there")
  func unholdableRename() async throws {
    let pair = Pair(
      remote: MemoryReplica(address: "remote", naming: NamingRules(maximumNameLength: 8)))
    await pair.agree(on: ["short": "1", "b": "2", "c": "3"])
    await pair.edit(.local, ["short": nil, "much longer": "1"])
    let (report, isQuiet) = await pair.passes()
    #expect(report.result == .failed && report.counts.removed == 0 && isQuiet)
    #expect(await pair.texts(.remote) == ["short": "1", "b": "2", "c": "3"])
    await pair.edit(.local, ["much longer": nil, "long": "1"])
    #expect(await pair.passes().report.result == .synced)
    #expect(await pair.both() == ["long": "1", "b": "2", "c": "3"])
  }

  @Test("a file that the remote has in another Unicode form is left unchanged, also after an agreement")
  func otherForm() async throws {
    let (composed, decomposed) = ("\u{E9}.org", "e\u{301}.org")
    let pair = Pair()
    await pair.agree(on: [decomposed: "1", "b": "2"])
    let rules = NamingRules(foldsUnicode: true, unicodeForm: .composed)
    let remote = MemoryReplica(address: "remote", identity: "replica of remote", naming: rules)
    await pair.replace(remote: remote)
    await pair.edit(.remote, [composed: "1", "b": "2"])
    await pair.edit(.local, ["c": "3"])
    let (report, isQuiet) = await pair.passes()
    #expect(report.result == .failed && !report.needsSecondCheck && isQuiet)
    #expect(Set(await pair.store.contents.keys.map(\.bytes)) == Set([decomposed, "b", "c"].map { Array($0.utf8) }))
    #expect(Set(await remote.contents.keys.map(\.bytes)) == Set([composed, "b", "c"].map { Array($0.utf8) }))
    // Renamed in the store to what the remote can hold, it is in sync again.
    await pair.edit(.local, [decomposed: nil])
    await pair.edit(.local, [composed: "1"])
    #expect(await pair.passes().report.result == .synced)
  }

  @Test("a remote that was restored from a backup is repaired, even if the first listing is incomplete")
  func restoredAndCut() async throws {
    let pair = Pair()
    await pair.agree(on: ["a": "1", "b": "2"])
    await pair.edit(.local, ["c": "3"])
    #expect(await pair.passes().report.result == .synced)
    await pair.replace(remote: MemoryReplica(address: "remote", identity: "replica of remote"))
    await pair.edit(.remote, ["a": "1", "b": "2"])
    await pair.put(around: .remote) { replica in
      Interference(replica: replica, listing: { incomplete($0, since: $1) })
    }
    _ = await pair.pass()
    await pair.put(around: .remote, nil)
    #expect(await pair.passes().report.result == .synced)
    #expect(await pair.both() == ["a": "1", "b": "2", "c": "3"])
  }

  @Test(
    "an edit in a restored remote is kept, also if the first passes afterwards fail or are killed",
    arguments: [true, false], [["one", "two"], ["two", "one"]])
  func restoredAndEdited(isKilled: Bool, texts: [String]) async throws {
    let pair = Pair()
    await pair.agree(on: ["a.txt": "old", "b": "1"])
    await pair.edit(.local, ["b": "2"])
    #expect(await pair.passes().report.result == .synced)
    await pair.replace(remote: MemoryReplica(address: "remote", identity: "replica of remote"))
    await pair.edit(.remote, ["a.txt": texts[0], "b": "1"])
    await pair.edit(.local, ["a.txt": texts[1]])
    await failTwice(pair, isKilled: isKilled)
    #expect(await pair.passes().isQuiet)
    #expect(Set(await pair.both()?.values.map(\.self) ?? []) == ["one", "two", "2"])
  }

  @Test("a new file in the store does not replace a deleted one that returned with a restored remote")
  func restoredBesideNewFile() async throws {
    let pair = Pair()
    await pair.agree(on: ["a.txt": "old", "b": "1"])
    await pair.edit(.remote, ["a.txt": nil])
    #expect(await pair.passes().report.result == .synced)
    await pair.replace(remote: MemoryReplica(address: "remote", identity: "replica of remote"))
    await pair.edit(.remote, ["a.txt": "old", "b": "1"])
    await pair.edit(.local, ["a.txt": "new"])
    #expect(await pair.passes().isQuiet)
    #expect(Set(await pair.both()?.values.map(\.self) ?? []) == ["old", "new", "1"])
  }

  /// Runs two passes in which the remote refuses each change.
  private func failTwice(_ pair: Pair, isKilled: Bool) async {
    await pair.put(around: .remote) { replica in
      Interference(
        replica: replica, answer: { _ in .failed(SyncError(.pathFailed, "no")) }, diesAfterCommit: isKilled)
    }
    for _ in 0..<2 { _ = await pair.pass() }
    await pair.put(around: .remote, nil)
  }

  @Test(
    "a restored remote gets newer versions again, also if the first passes afterwards fail or are killed",
    arguments: [true, false])
  func restoredTwice(isKilled: Bool) async throws {
    let pair = Pair()
    await pair.agree(on: ["a.txt": "old", "b": "1"])
    for text in ["new", "newer"] {
      await pair.edit(.local, ["a.txt": text])
      #expect(await pair.passes().report.result == .synced)
    }
    await pair.replace(remote: MemoryReplica(address: "remote", identity: "replica of remote"))
    await pair.edit(.remote, ["a.txt": "old", "b": "1"])
    await failTwice(pair, isKilled: isKilled)
    #expect(await pair.passes().report.result == .synced)
    #expect(await pair.both() == ["a.txt": "newer", "b": "1"])
  }

  @Test("a restored remote gets an agreed version again that a user had brought back once", arguments: [true, false])
  func restoredAfterBringingBack(isKilled: Bool) async throws {
    let pair = Pair()
    await pair.agree(on: ["a.txt": "old", "b": "1"])
    for text in ["new", "newer", "new"] {
      await pair.edit(.local, ["a.txt": text])
      #expect(await pair.passes().report.result == .synced)
    }
    await pair.replace(remote: MemoryReplica(address: "remote", identity: "replica of remote"))
    await pair.edit(.remote, ["a.txt": "old", "b": "1"])
    await failTwice(pair, isKilled: isKilled)
    let (report, isQuiet) = await pair.passes()
    #expect(report.result == .synced && isQuiet)
    #expect(await pair.both() == ["a.txt": "new", "b": "1"])
  }

  @Test(
    "a file that was ignored while the remote was restored is neither deleted nor reverted",
    arguments: [nil, "old"] as [String?], [true, false])
  func restoredWhileIgnored(backup: String?, hasSynced: Bool) async throws {
    let pair = Pair()
    await pair.agree(on: ["a": "old", "b": "1"])
    await pair.edit(.local, ["a": "new"])
    #expect(await pair.passes().report.result == .synced)
    await pair.set { $0.filter = PathFilter(ignore: ["a"]) }
    if hasSynced { _ = await pair.passes() }
    await pair.replace(remote: MemoryReplica(address: "remote", identity: "replica of remote"))
    await pair.edit(.remote, ["a": backup, "b": "1"])
    #expect(await pair.passes().report.result == .synced)
    await pair.set { $0.filter = PathFilter(ignore: []) }
    _ = await pair.passes()
    for side in Side.allCases {
      #expect(await pair.texts(side).values.contains { $0.contains("new") }, "\(side)")
    }
  }

  @Test("a restored remote keeps an edit that was merged, if the store did not take the result")
  func restoredAfterHalfAMerge() async throws {
    let pair = Pair()
    await pair.put(merger: LineMerger())
    await pair.agree(on: ["a.org": "a\nb\nc\n", "b": "1"])
    await pair.edit(.local, ["a.org": "a\nb\nc\nl\n", "b": "2"])
    await pair.edit(.remote, ["a.org": "a\nb\nc\nr\n"])
    // The remote comes first.
    await pair.put(around: .local) { Interference(replica: $0, answer: { _ in .postponed("later") }) }
    _ = await pair.pass()
    await pair.put(around: .local, nil)
    #expect(await pair.texts(.remote) == ["a.org": "a\nb\nc\nl\nr\n", "b": "2"])
    await pair.replace(remote: MemoryReplica(address: "remote", identity: "replica of remote"))
    await pair.edit(.remote, ["a.org": "a\nb\nc\nr\n", "b": "1"])
    #expect(await pair.passes().isQuiet)
    #expect(await pair.both() == ["a.org": "a\nb\nc\nl\nr\n", "b": "2"])
  }

  @Test("a store on another disk with all files is accepted")
  func movedStore() async throws {
    let pair = Pair()
    await pair.agree(on: ["a": "1", "b": "2"])
    await pair.replace(store: MemoryReplica(address: "store", identity: "new disk"))
    await pair.edit(.local, ["a": "1", "b": "2", "c": "3"])
    #expect(await pair.passes().report.result == .synced)
    #expect(await pair.both() == ["a": "1", "b": "2", "c": "3"])
  }

  @Test("a pass with a lost or restored archive deletes nothing", arguments: [true, false])
  func archive(isLost: Bool) async throws {
    let pair = Pair()
    await pair.agree(on: ["gone": "1", "a": "2", "b": "3"])
    let backup = await pair.archive.backup
    await pair.edit(.local, ["gone": nil, "c": "4"])
    #expect(await pair.passes().report.result == .synced)
    await pair.edit(.remote, ["gone": "1"])
    #expect(await pair.passes().report.result == .synced)
    await pair.edit(.local, ["gone": nil])
    await pair.edit(.local, ["gone": "1"])
    if isLost { await pair.archive.restore(await MemoryArchive().backup) } else { await pair.archive.restore(backup) }
    await pair.edit(.remote, ["a": nil])
    let (report, isQuiet) = await pair.passes()
    #expect(report.counts.removed == 0 && isQuiet)
    #expect(await pair.both() == ["gone": "1", "a": "2", "b": "3", "c": "4"])
  }

  @Test("a file that was restored unchanged is kept although the base is out of date")
  func staleBase() async throws {
    let pair = Pair()
    await pair.agree(on: ["a": "1", "b": "2"])
    let stale = await pair.archive.backup
    await pair.edit(.local, ["a": nil])
    _ = await pair.passes()
    await pair.edit(.local, ["a": "1"])
    await pair.archive.restore(stale)
    _ = await pair.passes()
    #expect(await pair.both() == ["a": "1", "b": "2"])
  }

  @Test("files in an unreadable folder are left unchanged", arguments: Side.allCases)
  func unreadFolder(side: Side) async throws {
    let pair = Pair()
    await pair.agree(on: ["docs/a": "1", "docs/deep/b": "2", "c": "3"])
    await pair.edit(side, ["docs/a": nil, "docs/deep/b": nil, "c": "3!"])
    await pair.edit(side.other, ["docs/new": "4"])
    await pair.put(around: side) { replica in
      Interference(replica: replica, listing: { unread(path("docs"), in: $0, since: $1) })
    }
    let report = await pair.pass()
    #expect(report.result == .failed)
    #expect(await pair.texts(side.other) == ["docs/a": "1", "docs/deep/b": "2", "docs/new": "4", "c": "3!"])
    #expect(await pair.texts(side) == ["c": "3!"])
  }

  @Test("a listing without a file that a lookup finds, or cannot decide on, is not trusted", arguments: Side.allCases)
  func confirmation(side: Side) async throws {
    let answers: [(Presence, PassResult)] = [
      (.present(Entry(path: path("a"), revision: Revision("1"))), .unsettled), (.postponed("busy"), .unsettled),
      (.unknown("a link"), .waiting),
    ]
    for (answer, result) in answers {
      let pair = Pair()
      await pair.agree(on: ["a": "1", "b": "2"])
      await pair.edit(side, ["a": nil])
      await pair.put(around: side) { replica in Interference(replica: replica, presence: { _ in answer }) }
      let (report, _) = await pair.passes()
      #expect(report.result == result)
      #expect(await pair.texts(side.other) == ["a": "1", "b": "2"])
    }
  }

  @Test("a renamed folder does not count as a deletion, neither at once nor within the day")
  func renamedFolder() async {
    let pair = Pair()
    await pair.agree(on: Dictionary(uniqueKeysWithValues: (0..<12).map { ("\($0 < 6 ? "d" : "o")/\($0)", "\($0)") }))
    for number in 0..<6 { await pair.edit(.local, ["d/\(number)": nil, "e/\(number)": "\(number)"]) }
    _ = await pair.passes()
    #expect(await pair.archive.memory(of: "home").deletedToday == 0)
    await pair.edit(.local, ["o/7": nil])
    #expect(await pair.passes().report.hold == nil)
    #expect(await pair.both()?.count == 11)
  }

  @Test("files that exist under another name do not count as deletions")
  func removedCopies() async {
    let pair = Pair()
    let files = (0..<12).flatMap { [("a/\($0)", "\($0)"), ("copy/\($0)", "\($0)")] }
    await pair.agree(on: Dictionary(uniqueKeysWithValues: files))
    for number in 0..<12 { await pair.edit(.remote, ["copy/\(number)": nil]) }
    #expect(await pair.passes().report.hold == nil)
    #expect(await pair.both()?.count == 12)
  }

  @Test("an excluded file is forgotten, and synced as it is once included again")
  func filter() async throws {
    let pair = Pair()
    await pair.agree(on: ["a.org": "1", "b.txt": "2", "c.txt": "3"])
    await pair.set { $0.filter = PathFilter(ignore: ["*.txt"]) }
    await pair.edit(.local, ["b.txt": nil])
    let (report, isQuiet) = await pair.passes()
    #expect(report.result == .synced && report.counts.removed == 0 && isQuiet)
    #expect(await pair.texts(.remote).count == 3)
    await pair.set { $0.filter = PathFilter() }
    _ = await pair.passes()
    #expect(await pair.both() == ["a.org": "1", "b.txt": "2", "c.txt": "3"])
  }

  @Test("a file that a side cannot hold does not count as deleted")
  func unholdable() async throws {
    let pair = Pair()
    await pair.agree(on: ["a:b": "1", "c": "2", "d": "3"])
    let strict = MemoryReplica(
      address: "remote", identity: "replica of remote", naming: NamingRules(forbiddenBytes: [0x3A]))
    await strict.put(Content(Array("2".utf8)), at: path("c"))
    await strict.put(Content(Array("3".utf8)), at: path("d"))
    await pair.replace(remote: strict)
    #expect(await pair.passes().report.result == .failed)
    #expect(await pair.texts(.local) == ["a:b": "1", "c": "2", "d": "3"])
  }

  @Test("a dry run changes nothing")
  func dryRun() async throws {
    for isFirst in [true, false] {
      let pair = Pair()
      if !isFirst { await pair.agree(on: Self.files(8)) }
      await pair.edit(.local, ["f1": nil, "new": "1", "f2": "edited", "x": "file", "y.txt": "l"])
      await pair.edit(.remote, ["f3": nil, "f2": "edited too", "x/a": "inside", "y.txt": "r"])
      await pair.set { $0.isDryRun = true }
      await pair.put(around: .remote) { Untouchable(replica: $0) }
      await pair.put(around: .local) { Untouchable(replica: $0) }
      let before = [await pair.texts(.local), await pair.texts(.remote)]
      let (versions, actions) = (await pair.archive.backup.versions, await pair.archive.backup.actions)
      let generation = await pair.archive.memory(of: "home").generation
      let report = await pair.pass()
      #expect(report.failure == nil && !report.didSomething && !report.actions.isEmpty)
      #expect([await pair.texts(.local), await pair.texts(.remote)] == before)
      #expect(await pair.archive.backup.versions == versions)
      #expect(await pair.archive.backup.actions == actions)
      #expect(await pair.archive.memory(of: "home").generation == generation)
      #expect((await pair.archive.memory(of: "home").remoteRoot == nil) == isFirst)
    }
  }
}

/// A replica that must not be changed.
private struct Untouchable: ReplicaAround {
  let replica: any Replica

  private var touched: SyncError { SyncError(.unexpected, "a dry run touched a replica") }

  func recover() async throws(SyncError) { throw touched }
  func claim() async throws(SyncError) -> RootIdentity { throw touched }
  func createRoot() async throws(SyncError) { throw touched }
  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] { throw touched }
  func recorded(_ agreements: [Agreement]) async throws(SyncError) { throw touched }
  func stamp(generation: Int) async throws(SyncError) -> Bool { throw touched }
}

/// The same listing, declared incomplete.
func incomplete(_ snapshot: Snapshot, since known: Known) -> Snapshot {
  var builder = SnapshotBuilder(since: known)
  for entry in snapshot.entries { builder.add(entry) }
  return builder.finish(root: snapshot.root, isComplete: false)
}

/// The same listing without the contents of `folder`, which could not be read.
func unread(_ folder: SyncPath, in snapshot: Snapshot, since known: Known) -> Snapshot {
  var builder = SnapshotBuilder(since: known)
  for entry in snapshot.entries where !entry.path.isInside(folder) { builder.add(entry) }
  builder.add(unread: Unread(folder, .failed("it cannot be read")))
  return builder.finish(root: snapshot.root)
}
