import SettingsRegistry
import SyncKitTesting
import Synchronization
import Testing

@testable import SyncKit

@Suite("Passes in a mode")
struct ModeTests {
  private func pair(_ mode: RemoteMode, _ files: [String: String?] = ["a.org": "a", "b.org": "b"]) async -> Pair {
    let pair = Pair()
    await pair.agree(on: files)
    await pair.set { $0.mode = mode }
    return pair
  }

  private func ignored(_ report: PassReport) -> [String: String] {
    Dictionary(uniqueKeysWithValues: report.ignored.map { ($0.path.description, $0.change) })
  }

  @Test("send reports what the remote changed, sends the rest, and merges with the right base in the mode both")
  func send() async {
    let pair = await pair(.send, ["a.org": "a", "b.org": "b", "c.org": "c", "d.org": "d"])
    await pair.edit(.local, ["a.org": "a local;", "b.org": "b local;", "n.org": "n"])
    await pair.edit(.remote, ["a.org": "a remote;", "c.org": "c remote;", "d.org": nil, "m.org": "m"])
    let (report, isQuiet) = await pair.passes()
    #expect(isQuiet && report.result == .synced && report.counts.ignored == 4)
    #expect(
      ignored(report) == [
        "a.org": "edited in the store and edited on the remote", "c.org": "edited on the remote",
        "d.org": "deleted on the remote", "m.org": "new on the remote",
      ])
    #expect(
      await pair.texts(.local) == ["a.org": "a local;", "b.org": "b local;", "c.org": "c", "d.org": "d", "n.org": "n"])
    #expect(
      await pair.texts(.remote)
        == ["a.org": "a remote;", "b.org": "b local;", "c.org": "c remote;", "m.org": "m", "n.org": "n"])
    await pair.set { $0.mode = .both }
    _ = await pair.passes()
    #expect(
      await pair.both() == [
        "a.org": "a local; remote;", "b.org": "b local;", "c.org": "c remote;", "m.org": "m", "n.org": "n",
      ])
    #expect(await pair.lost() == [])
  }

  @Test("receive writes nothing to the remote, not even its identity or the generation of the archive")
  func receive() async {
    let remote = MemoryReplica(address: "remote")
    let pair = Pair(options: PassOptions(mode: .receive), remote: remote)
    await pair.edit(.remote, ["a.org": "a", "b.org": "b", "c.org": "c"])
    await pair.edit(.local, ["l.org": "l"])
    #expect(ignored(await pair.passes().report) == ["l.org": "new in the store"])
    #expect(await remote.list(since: Known()).root == RootIdentity(address: "remote", id: nil))
    await pair.edit(.remote, ["b.org": nil, "c.org": "c remote;"])
    await pair.edit(.local, ["a.org": "a local;"])
    let report = await pair.pass()
    #expect(ignored(report) == ["l.org": "new in the store", "a.org": "edited in the store"] && report.hold == nil)
    #expect(await pair.texts(.local) == ["a.org": "a local;", "c.org": "c remote;", "l.org": "l"])
    #expect(await pair.texts(.remote) == ["a.org": "a", "c.org": "c remote;"])
    // The base of an ignored change stays: an edit on the remote is merged with it later.
    await pair.edit(.remote, ["a.org": "a remote;"])
    await pair.set { $0.mode = .both }
    _ = await pair.passes()
    #expect(await pair.both() == ["a.org": "a local; remote;", "c.org": "c remote;", "l.org": "l"])
  }

  @Test("receive holds what is missing on a remote without a marker that shows none of the known files")
  func unmarked() async {
    let pair = Pair(options: PassOptions(mode: .receive), remote: MemoryReplica(address: "remote"))
    await pair.edit(.remote, ["a.org": "a"])
    _ = await pair.pass()
    await pair.replace(remote: MemoryReplica(address: "remote"))
    await pair.edit(.remote, ["other.org": "o"])
    for mode in [RemoteMode.receive, .both] {
      await pair.set { $0.mode = mode }
      #expect(await pair.pass().hold?.items.count == 1)
      #expect(await pair.texts(.local) == ["a.org": "a"])
      #expect(await pair.texts(.remote) == ["other.org": "o"])
    }
    // The former disk is back.
    await pair.replace(remote: MemoryReplica(address: "remote"))
    await pair.edit(.remote, ["a.org": "a"])
    #expect(await pair.passes().report.result == .synced)
    #expect(await pair.both() == ["a.org": "a"])
  }

  @Test("no-delete passes no deletion, no emptied file and no rename, and passes edits in both directions")
  func noDelete() async {
    let pair = await pair(.noDelete, ["a.org": "a", "b.org": "b", "c.org": "c", "d.org": "d", "e.org": "e"])
    await pair.edit(.local, ["a.org": nil, "b.org": "", "c.org": "c local;"])
    await pair.edit(.remote, ["d.org": nil, "new.org": "e", "c.org": "c remote;"])
    await pair.edit(.remote, ["e.org": nil])
    let (report, isQuiet) = await pair.passes()
    #expect(isQuiet && report.hold == nil && report.result == .synced)
    #expect(Set(ignored(report).keys) == ["a.org", "b.org", "d.org", "e.org"])
    #expect(
      await pair.texts(.local)
        == ["b.org": "", "c.org": "c local; remote;", "d.org": "d", "e.org": "e", "new.org": "e"])
    #expect(
      await pair.texts(.remote) == ["a.org": "a", "b.org": "b", "c.org": "c local; remote;", "new.org": "e"])
    await pair.set { $0.mode = .both }
    _ = await pair.passes()
    #expect(await pair.both() == ["b.org": "", "c.org": "c local; remote;", "new.org": "e"])
  }

  @Test("a deletion of many files that the mode ignores is not held, and is held in the mode both")
  func manyDeletions() async {
    let files = Dictionary(uniqueKeysWithValues: (0..<10).map { ("\($0)", String?.some("\($0)")) })
    for (mode, side) in [(RemoteMode.send, Side.remote), (.receive, .local), (.noDelete, .local), (.noDelete, .remote)]
    {
      let pair = await pair(mode, files)
      await pair.edit(side, files.filter { $0.key != "0" }.mapValues { _ in nil })
      let report = await pair.pass()
      #expect(report.hold == nil && report.counts.ignored == 9)
      await pair.set { $0.mode = .both }
      #expect(await pair.pass().hold?.items.count == 9)
      #expect(await pair.texts(side.other).count == 10)
    }
  }

  @Test(
    "an exchanged store is held in each mode, although the mode would ignore what is missing",
    arguments: RemoteMode.allCases)
  func exchangedStore(mode: RemoteMode) async {
    let pair = await pair(mode)
    await pair.replace(store: MemoryReplica(address: "store", identity: "another disk"))
    await pair.edit(.local, ["x.org": "x"])
    #expect(await pair.pass().hold?.items.count == 2)
    await pair.set { $0.mode = .both }
    #expect(await pair.pass().hold?.items.count == 2)
    #expect(await pair.texts(.remote) == ["a.org": "a", "b.org": "b"])
  }

  @Test("a denied deletion is not put back where the mode forbids it, and is as soon as it allows it")
  func denied() async throws {
    let files = Dictionary(uniqueKeysWithValues: (0..<8).map { ("\($0)", String?.some("\($0)")) })
    let pair = await pair(.both, files)
    await pair.edit(.remote, files.filter { $0.key < "6" }.mapValues { _ in nil })
    let hold = try #require(await pair.pass().hold)
    try await DeniedDeletions(in: pair.archive.journal(of: "home")).add(hold.items)
    await pair.set { $0.mode = .receive }
    let report = await pair.pass()
    #expect(report.counts.ignored == 6 && report.hold == nil)
    #expect(await [pair.texts(.remote).count, pair.texts(.local).count] == [2, 8])
    await pair.set { $0.mode = .both }
    _ = await pair.passes()
    #expect(await pair.both()?.count == 8)
  }

  @Test("a pass that was killed between writing and recording continues with the right base in another mode")
  func killed() async {
    let pair = await pair(.both)
    await pair.edit(.local, ["a.org": "a local;"])
    await pair.put(around: .remote) { Interference(replica: $0, diesAfterCommit: true) }
    #expect(await pair.pass().failure != nil)
    await pair.put(around: .remote, nil)
    await pair.edit(.remote, ["a.org": "a local; remote;"])
    await pair.set { $0.mode = .send }
    #expect(ignored(await pair.pass()) == ["a.org": "edited on the remote"])
    await pair.set { $0.mode = .both }
    _ = await pair.passes()
    #expect(await pair.both() == ["a.org": "a local; remote;", "b.org": "b"])
  }

  @Test("a remote that was restored from a backup does not take the store back while nothing is sent to it")
  func restored() async {
    let remote = MemoryReplica(address: "remote", identity: "r")
    let pair = Pair(remote: remote)
    await pair.agree(on: ["a.org": "old", "b.org": "b"])
    await pair.edit(.local, ["a.org": "new"])
    _ = await pair.passes()
    await pair.set { $0.mode = .receive }
    let older = MemoryReplica(address: "remote", identity: "r")
    await pair.replace(remote: older)
    await pair.edit(.remote, ["a.org": "old", "b.org": "b"])
    for _ in 0..<3 { _ = await pair.pass() }
    #expect(await pair.texts(.local) == ["a.org": "new", "b.org": "b"])
    #expect(await pair.texts(.remote) == ["a.org": "old", "b.org": "b"])
    await pair.set { $0.mode = .both }
    _ = await pair.passes()
    #expect(await pair.both() == ["a.org": "new", "b.org": "b"])
  }

  @Test("a file that is new on the side that is not passed on is not read")
  func notRead() async {
    let pair = await pair(.send)
    await pair.edit(.remote, ["large": "a film", "a.org": "a remote;"])
    await pair.put(around: .remote) { replica in
      Interference(
        replica: replica, reading: { $0.description == "large" ? .failed(SyncError(.unavailable, "read")) : nil })
    }
    let report = await pair.pass()
    #expect(report.counts.failed == 0)
    #expect(ignored(report) == ["large": "new on the remote", "a.org": "edited on the remote"])
  }

  @Test("an incremental listing is repeated from the same cursor while something is ignored")
  func cursor() async {
    let pair = await pair(.send)
    let seen = CursorLog()
    await pair.put(around: .remote) { replica in
      Interference(
        replica: replica,
        listing: { snapshot, known in
          seen.add(known.cursor)
          return Snapshot(
            known: snapshot.known, same: snapshot.same, others: snapshot.others, unread: snapshot.unread,
            isComplete: snapshot.isComplete, root: snapshot.root, naming: snapshot.naming, wentBackwards: false,
            cursor: Cursor(bytes: [9]))
        })
    }
    await pair.edit(.remote, ["m.org": "m"])
    for _ in 0..<3 { #expect(await pair.pass().counts.ignored == 1) }
    #expect(seen.cursors.allSatisfy { $0 == nil })
  }
}

/// The cursors from which a replica was listed.
private final class CursorLog: Sendable {
  private let log = Mutex<[Cursor?]>([])
  var cursors: [Cursor?] { log.withLock { $0 } }
  func add(_ cursor: Cursor?) { log.withLock { $0.append(cursor) } }
}
