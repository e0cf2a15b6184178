import SyncKitTesting
import Testing

@testable import SyncKit

/// Contents that go from one file to another while a device sees only a part of it. Each of these cases once lost a line.
@Suite("Content that moves between files")
struct MovedContentTests {
  @Test("a file in the middle of an exchange does not count as an edit of a renamed one", arguments: Side.allCases)
  func exchange(renamed side: Side) async {
    let pair = Pair()
    await pair.put(merger: LineMerger())
    await pair.agree(on: ["b.org": "one\n", "x.org": "x"])
    await pair.edit(side, ["b.org": nil, "c.org": "one\n"])
    // Another device exchanges b.org and its own c.org, and has done so with one of them.
    await pair.edit(side.other, ["b.org": "two\n", "c.org": "two\n"])
    #expect(await pair.passes().isQuiet)
    #expect(await pair.both() == ["b.org": "two\n", "c.org": "one\ntwo\n", "x.org": "x"])
  }

  @Test("an edit of a deleted file stays although both sides have a new file like it", arguments: Side.allCases)
  func likeAnotherFile(deleted side: Side) async {
    let pair = Pair()
    await pair.agree(on: ["a.org": "one", "x.org": "x"])
    await pair.edit(side, ["a.org": nil])
    await pair.edit(side.other, ["a.org": "two"])
    for place in Side.allCases { await pair.edit(place, ["new.org": "two"]) }
    #expect(await pair.passes().isQuiet)
    #expect(await pair.both() == ["a.org": "two", "new.org": "two", "x.org": "x"])
  }

  @Test("an agreement from before a restore ends when neither side has the file", arguments: Side.allCases)
  func restored(renamedBack side: Side) async {
    let pair = Pair()
    await pair.put(merger: LineMerger())
    await pair.agree(on: ["x.org": "x"])
    await pair.edit(.local, ["a.org": "one\n"])
    _ = await pair.passes()
    await pair.edit(.local, ["a.org": nil, "c.org": "one\n"])
    await pair.replace(remote: MemoryReplica(address: "remote", identity: "replica of remote"))
    await pair.edit(.remote, ["x.org": "x"])
    #expect(await pair.pass().result == .synced)
    #expect(await pair.both() == ["c.org": "one\n", "x.org": "x"])
    await pair.edit(side, ["a.org": "one\n", "c.org": nil])
    await pair.edit(side.other, ["a.org": "two\n"])
    #expect(await pair.passes().isQuiet)
    #expect(await pair.both() == ["a.org": "one\ntwo\n", "x.org": "x"])
  }

  @Test(
    "an edit under the old name takes no line from a file that was merged with the renamed one",
    arguments: Side.allCases)
  func mergedWithTheNewName(renamed side: Side) async {
    let pair = Pair()
    await pair.put(merger: LineMerger())
    await pair.agree(on: ["b.org": "one\nthree\n", "x.org": "x"])
    await pair.edit(side, ["b.org": nil, "a.org": "one\nsix\nthree\n"])
    // Another device has moved a line to a new file, whose name is the one that this side chose.
    await pair.edit(side.other, ["a.org": "three\n", "b.org": "four\none\n"])
    await pair.put(around: .remote) { Interference(replica: $0, diesAfterCommit: true) }
    #expect(await pair.pass().failure != nil)
    await pair.put(around: .remote, nil)
    #expect(await pair.passes().isQuiet)
    #expect(await pair.both() == ["a.org": "one\nsix\nthree\n", "b.org": "four\none\n", "x.org": "x"])
  }
}
