import SyncKitTesting
import Testing

@testable import SyncKit

/// A version of the store that comes back through another remote, after the store has replaced or removed it.
@Suite("Versions that return through another remote")
struct ReturnedVersionTests {
  private let home: Pair
  private let away: Pair

  init() async {
    let (store, archive) = (MemoryReplica(address: "store", identity: "disk"), MemoryArchive())
    home = Pair(store: store, archive: archive)
    away = Pair(store: store, remote: MemoryReplica(address: "away"), archive: archive, name: "away")
    for pair in [home, away] { await pair.put(merger: LineMerger()) }
  }

  /// Makes the store and both remotes agree on these files.
  private func agree(on files: [String: String?]) async {
    await home.edit(.local, files)
    for pair in [home, away] { _ = await pair.passes() }
  }

  /// Syncs both remotes until nothing is left to do, and returns the files if all three places are equal.
  private func settled() async -> [String: String]? {
    for pair in [home, away, home] { #expect(await pair.passes().isQuiet) }
    #expect(await home.lost().isEmpty)
    let files = await home.both()
    return await away.both() == files ? files : nil
  }

  @Test("a change that was undone stays undone")
  func undone() async {
    await agree(on: ["a.org": "one\n", "x.org": "x"])
    await home.edit(.local, ["a.org": "two\n"])
    #expect(await away.passes().isQuiet)
    await home.edit(.local, ["a.org": "one\n"])
    // Another device has got it from one remote and sent it to the other.
    await home.edit(.remote, ["a.org": "two\n"])
    #expect(await settled() == ["a.org": "one\n", "x.org": "x"])
  }

  @Test("a version that a pass over another remote brings meanwhile is not taken for an old one")
  func broughtMeanwhile() async {
    await agree(on: ["a.org": "one\n", "x.org": "x"])
    for pair in [home, away] { await pair.edit(.remote, ["a.org": "two\n"]) }
    await home.put(around: .local) { [away] in BusyStore(replica: $0, afterListing: { _ = await away.passes() }) }
    _ = await home.pass()
    #expect(await home.texts(.remote)["a.org"] == "two\n")
    await home.put(around: .local, nil)
    #expect(await settled() == ["a.org": "two\n", "x.org": "x"])
  }

  @Test("the same under a new name: no line of that version is lost")
  func renamedMeanwhile() async {
    await agree(on: ["old.org": "one\n", "x.org": "x"])
    await home.edit(.local, ["old.org": nil, "new.org": "two\n"])
    #expect(await away.passes().isQuiet)
    // Other devices bring the first version back in one remote, and rename the file in the other one.
    await away.edit(.remote, ["new.org": "one\n"])
    await home.edit(.remote, ["old.org": nil, "new.org": "one\n"])
    await home.put(around: .local) { [away] in BusyStore(replica: $0, afterReading: { _ = await away.passes() }) }
    _ = await home.pass()
    #expect(await home.texts(.remote)["new.org"]?.contains("one\n") == true)
    await home.put(around: .local, nil)
    #expect(await settled()?["new.org"]?.contains("one\n") == true)
  }

  @Test("an edit that brings back what a slower pass recorded after a newer version stays")
  func recordedLate() async {
    await agree(on: ["a.org": "one\n", "x.org": "x"])
    await home.edit(.local, ["a.org": "two\n"])
    await home.put(around: .local) { [home, away] in
      BusyStore(
        replica: $0,
        afterReading: {
          await home.edit(.local, ["a.org": "three\n"])
          _ = await away.passes()
        })
    }
    _ = await home.pass()
    #expect(await home.texts(.remote)["a.org"] == "two\n")
    #expect(await away.texts(.remote)["a.org"] == "three\n")
    await home.put(around: .local, nil)
    await away.edit(.remote, ["a.org": "two\n"])
    for pair in [away, home] { #expect(await pair.passes().isQuiet) }
    #expect(await settled() == ["a.org": "two\n", "x.org": "x"])
  }

  @Test("the same if the other remote already has the undone change, too")
  func undoneElsewhere() async {
    await agree(on: ["a.org": "one\n", "x.org": "x"])
    for text in ["two\n", "one\n"] {
      await home.edit(.local, ["a.org": text])
      #expect(await away.passes().isQuiet)
    }
    await home.edit(.remote, ["a.org": "two\n"])
    #expect(await settled() == ["a.org": "one\n", "x.org": "x"])
  }

  @Test("a line that was added and removed does not come back")
  func removedLine() async {
    await agree(on: ["a.org": "one\n", "x.org": "x"])
    await home.edit(.local, ["a.org": "one\ntwo\n"])
    #expect(await away.passes().isQuiet)
    await home.edit(.local, ["a.org": "one\nthree\n"])
    await home.edit(.remote, ["a.org": "one\ntwo\n"])
    #expect(await settled() == ["a.org": "one\nthree\n", "x.org": "x"])
  }

  @Test("a deleted file does not come back")
  func deleted() async {
    await agree(on: ["a.org": "one\n", "x.org": "x"])
    await home.edit(.local, ["a.org": "two\n"])
    #expect(await away.passes().isQuiet)
    await home.edit(.local, ["a.org": nil])
    await home.edit(.remote, ["a.org": "two\n"])
    #expect(await settled() == ["x.org": "x"])
  }

  @Test("a file that has got the former content does not count as the renamed one")
  func movedContent() async {
    await agree(on: ["a.org": "one\n", "x.org": "x"])
    await home.edit(.local, ["a.org": "two\n"])
    #expect(await away.passes().isQuiet)
    // What a.org had before is in another file now, and a.org has another name.
    await home.edit(.local, ["a.org": nil, "b.org": "one\n", "c.org": "two\nthree\n"])
    await home.edit(.remote, ["a.org": "two\n"])
    #expect(await settled() == ["b.org": "one\n", "c.org": "two\nthree\n", "x.org": "x"])
  }

  @Test("an edit by another user counts, although the store had that version before the last agreement")
  func broughtBack() async {
    await agree(on: ["a.org": "one\n", "x.org": "x"])
    for text in ["two\n", "one\n"] { await agree(on: ["a.org": text]) }
    await home.edit(.remote, ["a.org": "two\n"])
    #expect(await settled() == ["a.org": "two\n", "x.org": "x"])
  }

  @Test("an edit by another user counts if the store and the remote were seen with the former version since")
  func seenAgain() async {
    await agree(on: ["a.org": "one\n", "x.org": "x"])
    for (pair, text) in [(away, "two\n"), (home, "one\n")] {
      await home.edit(.local, ["a.org": text])
      #expect(await pair.passes().isQuiet)
    }
    await home.edit(.remote, ["a.org": "two\n"])
    #expect(await settled() == ["a.org": "two\n", "x.org": "x"])
  }

  @Test("an edit of what came back is merged with the store's edits")
  func editedOnItsWay() async {
    await agree(on: ["a.org": "one\n", "x.org": "x"])
    await home.edit(.local, ["a.org": "one\ntwo\n"])
    #expect(await away.passes().isQuiet)
    await home.edit(.local, ["a.org": "one\ntwo\nthree\n"])
    await home.edit(.remote, ["a.org": "one\ntwo\nfour\n"])
    #expect(await settled() == ["a.org": "four\none\nthree\ntwo\n", "x.org": "x"])
  }
}

/// A store that another pass changes after it was listed or read.
private struct BusyStore: ReplicaAround {
  let replica: any Replica
  var afterListing: @Sendable () async -> Void = {}
  var afterReading: @Sendable () async -> Void = {}

  func list(since known: Known) async throws(SyncError) -> Snapshot {
    let snapshot = try await replica.list(since: known)
    await afterListing()
    return snapshot
  }

  func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    let results = try await replica.read(paths, into: sink)
    await afterReading()
    return results
  }
}
