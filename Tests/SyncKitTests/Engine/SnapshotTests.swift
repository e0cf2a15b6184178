import Testing

@testable import SyncKit

/// A snapshot must not depend on earlier knowledge.
@Suite("Snapshots")
struct SnapshotTests {
  @Test(
    "a snapshot does not depend on what was known, or on the order of its entries", arguments: 0..<40 as Range<UInt64>)
  func model(seed: UInt64) throws {
    var random = SplitMix64(state: seed)
    let files = RandomFiles(files: seed % 8 == 0 ? 6_000 : 300, &random)
    let plain = files.snapshot(since: Known(), shuffled: nil)
    let known = Known(files.base, on: .local)
    for snapshot in [
      files.snapshot(since: known, shuffled: nil), files.snapshot(since: known, shuffled: seed),
      files.snapshotByParts(since: known), files.snapshot(since: Known(), shuffled: seed),
    ] {
      #expect(snapshot.count == files.entries.count)
      #expect(snapshot.entries.map(Facts.init) == files.entries.map(Facts.init))
      #expect(files.paths.map { snapshot[$0].map(Facts.init) } == files.paths.map { plain[$0].map(Facts.init) })
      #expect(files.paths.map(snapshot.isUnknown) == files.paths.map(plain.isUnknown))
      for folder in files.folders.union(files.paths.prefix(20)) {
        let inside = files.entries.map(\.path).filter { $0.isInside(folder) }
        #expect(Array(snapshot.paths(inside: folder)).sorted() == inside)
        #expect(snapshot.holdsFiles(inside: folder) != inside.isEmpty)
      }
    }
  }

  @Test("a name that is listed twice counts once", arguments: [true, false], [true, false])
  func doubled(knowsIt: Bool, isNewFirst: Bool) throws {
    let path = try #require(SyncPath("a.org"))
    let (old, new) = (Entry(path: path, revision: Revision("1")), Entry(path: path, revision: Revision("2")))
    let agreement = Agreement(path: path, digest: .empty, local: Revision("1"), remote: Revision("1"))
    var builder = SnapshotBuilder(since: Known(Base(knowsIt ? [agreement] : []), on: .local))
    for entry in isNewFirst ? [new, old] : [old, new] { builder.add(entry) }
    let snapshot = builder.finish(root: RootIdentity(address: "", id: "x"))
    #expect(snapshot.count == 1)
    #expect(snapshot.entries.count == 1)
    let scan = Scan(base: snapshot.known.count == 0 ? Base() : Base([agreement]), local: snapshot, remote: snapshot)
    #expect(scan.differences().count <= 1)
  }

  @Test("unread paths are unknown, and an incomplete listing proves no absence")
  func unknown() throws {
    let (docs, file, other) = (
      try #require(SyncPath("docs")), try #require(SyncPath("docs/deep/a")), try #require(SyncPath("docs2/a"))
    )
    var builder = SnapshotBuilder(since: Known())
    builder.add(unread: Unread(docs, .failed("no")))
    let complete = builder.finish(root: RootIdentity(address: "", id: "x"))
    #expect(complete.isUnknown(docs) && complete.isUnknown(file) && !complete.isUnknown(other))
    let incomplete = SnapshotBuilder(since: Known()).finish(root: RootIdentity(address: "", id: "x"), isComplete: false)
    #expect(incomplete.isUnknown(other))
  }

  @Test("a revision that is not firm proves nothing")
  func firmness() throws {
    let path = try #require(SyncPath("a.org"))
    let agreement = Agreement(path: path, digest: .empty, local: Revision("1"), remote: Revision("1"))
    var builder = SnapshotBuilder(since: Known(Base([agreement]), on: .local))
    builder.add(Entry(path: path, revision: Revision("1"), isFirm: false))
    let snapshot = builder.finish(root: RootIdentity(address: "", id: "x"))
    #expect(snapshot.others.count == 1)
    #expect(snapshot.same.count == 0)
  }
}

/// The properties of an entry that every snapshot contains.
private struct Facts: Equatable {
  var path: SyncPath
  var revision: Revision

  init(_ entry: Entry) { (path, revision) = (entry.path, entry.revision) }
}

/// Random files, and a base that knows some of them correctly, some with other contents, and some that no longer exist.
private struct RandomFiles {
  var entries: [Entry] = []
  var base = Base()
  var paths: [SyncPath] = []
  var unread: [Unread] = []

  var folders: Set<SyncPath> { Set(paths.flatMap(\.ancestors)) }

  init(files: Int, _ random: inout SplitMix64) {
    var names: Set<SyncPath> = []
    for number in 0..<files {
      let parts = (0..<Int.random(in: 0...3, using: &random)).map { _ in
        ["a", "b", "c d", "a.org", "é"].randomElement(using: &random) ?? ""
      }
      if let path = SyncPath((parts + ["\(number)"]).joined(separator: "/")) { names.insert(path) }
    }
    paths = names.sorted()
    var agreements: [Agreement] = []
    for path in paths {
      let revision = Revision("\(path.bytes.count)")
      let isThere = Int.random(in: 0..<10, using: &random) > 0
      if isThere {
        entries.append(Entry(path: path, revision: revision, isFirm: Int.random(in: 0..<10, using: &random) > 0))
      }
      guard Int.random(in: 0..<10, using: &random) > 1 else { continue }
      let known = Int.random(in: 0..<10, using: &random) > 1 ? revision : Revision("old")
      agreements.append(Agreement(path: path, digest: .empty, local: known, remote: Revision("-")))
    }
    base = Base(agreements)
    unread = paths.filter { _ in Int.random(in: 0..<40, using: &random) == 0 }.map { Unread($0, .failed("unread")) }
  }

  func snapshot(since known: Known, shuffled seed: UInt64?) -> Snapshot {
    var builder = SnapshotBuilder(since: known)
    var order = entries
    if let seed {
      var random = SplitMix64(state: seed)
      order.shuffle(using: &random)
    }
    for entry in order { builder.add(entry) }
    for part in unread { builder.add(unread: part) }
    return builder.finish(root: RootIdentity(address: "", id: "x"))
  }

  func snapshotByParts(since known: Known) -> Snapshot {
    var builder = SnapshotBuilder(since: known)
    for entry in entries {
      builder.add(
        path: entry.path.bytes, revision: entry.revision.bytes, isFirm: entry.isFirm, size: 0, modified: nil)
    }
    for part in unread { builder.add(unread: part) }
    return builder.finish(root: RootIdentity(address: "", id: "x"))
  }
}
