import SyncKitTesting
import Testing

@testable import SyncKit

@Suite("A pass killed between writing a side and recording it")
struct InterruptedPassTests {
  /// Runs a pass that is killed as soon as `side` is written, and then edits both sides.
  private func interrupted(
    _ pair: Pair, writing side: Side, then edits: [(Side, [String: String?])]
  ) async -> [String: String]? {
    await pair.put(around: side) { Interference(replica: $0, diesAfterCommit: true) }
    #expect(await pair.pass().failure != nil)
    await pair.put(around: side, nil)
    for (place, files) in edits { await pair.edit(place, files) }
    let (report, isQuiet) = await pair.passes()
    #expect(report.failure == nil && isQuiet)
    #expect(await pair.lost().isEmpty)
    return await pair.both()
  }

  @Test("a new file that is deleted at its source is deleted on both sides", arguments: Side.allCases)
  func deletedWhereItCameFrom(from side: Side) async {
    let pair = Pair()
    await pair.agree(on: ["other.org": "x"])
    await pair.edit(side, ["a.org": "TODO"])
    #expect(await interrupted(pair, writing: side.other, then: [(side, ["a.org": nil])]) == ["other.org": "x"])
  }

  @Test("a new file that is edited at its source is one edit", arguments: Side.allCases)
  func editedWhereItCameFrom(from side: Side) async {
    let pair = Pair()
    await pair.edit(side, ["a.org": "TODO"])
    #expect(await interrupted(pair, writing: side.other, then: [(side, ["a.org": "DONE"])]) == ["a.org": "DONE"])
  }

  @Test("a file that is edited twice at its source is one edit", arguments: Side.allCases)
  func editedTwice(from side: Side) async {
    let pair = Pair()
    await pair.agree(on: ["a.org": "one"])
    await pair.edit(side, ["a.org": "two"])
    #expect(await interrupted(pair, writing: side.other, then: [(side, ["a.org": "three"])]) == ["a.org": "three"])
  }

  @Test("a file that is renamed at its source has one name", arguments: Side.allCases)
  func renamedWhereItCameFrom(from side: Side) async {
    let pair = Pair()
    await pair.edit(side, ["a.org": "TODO"])
    #expect(
      await interrupted(pair, writing: side.other, then: [(side, ["a.org": nil, "b.org": "TODO"])]) == ["b.org": "TODO"]
    )
  }

  @Test(
    "a file that one side renamed and edited and the other side edited has one name", arguments: Side.allCases,
    Side.allCases)
  func renamedAndEdited(on side: Side, writing written: Side) async {
    let pair = Pair()
    await pair.put(merger: LineMerger())
    let base = "a line\nb line\nc line\n"
    await pair.agree(on: ["a.org": base, "other.org": "x"])
    await pair.edit(side, ["a.org": nil, "b.org": base + "d\n"])
    await pair.edit(side.other, ["a.org": base + "e\n"])
    #expect(
      await interrupted(pair, writing: written, then: []) == ["b.org": base + "d\ne\n", "other.org": "x"])
  }

  // The remote is written first: if it refuses the new name, the store does not get it either.
  @Test(
    "an edit of a renamed file is not merged with what an unfinished pass has merged",
    arguments: [(.local, "a.org"), (.remote, "a.org"), (.remote, "b.org")] as [(Side, String)])
  func editedAfterRename(on side: Side, without refused: String) async {
    func lines(_ words: String) -> String { words.split(separator: " ").map { "\($0) line\n" }.joined() }
    // A line of the edit is deleted; a line that the edit deleted is written again; the edit goes on.
    for (edited, again, after, expected) in [
      ("a b c e", nil, "a b c d", "a b c d"), ("a c", nil, "a b c d", "a b c d"),
      ("a b c e", "a b c e f", "a b c d", "a b c d f"),
    ] {
      let pair = Pair()
      await pair.put(merger: LineMerger())
      await pair.agree(on: ["a.org": lines("a b c"), "other.org": "x"])
      await pair.edit(side, ["a.org": nil, "b.org": lines("a b c d")])
      await pair.edit(side.other, ["a.org": lines(edited)])
      await pair.put(around: side.other) { replica in
        Interference(
          replica: replica,
          answer: { change in
            change.path.description == refused ? .failed(SyncError(.unavailable, "no answer")) : nil
          })
      }
      _ = await pair.pass()
      await pair.put(around: side.other, nil)
      #expect(
        await pair.texts(side)["b.org"]
          == lines(edited + " d").split(separator: "\n").sorted().map { $0 + "\n" }.joined())
      await pair.edit(side, ["b.org": lines(after)])
      if let again { await pair.edit(side.other, ["a.org": lines(again)]) }
      let (report, isQuiet) = await pair.passes()
      #expect(report.failure == nil && isQuiet)
      // Once both sides have the new name, an edit under the old one is an edit of a file that was removed.
      let former = refused == "a.org" ? again : nil
      var files = ["b.org": lines(former == nil ? expected : after), "other.org": "x"]
      if let former { files["a.org"] = lines(former) }
      let both = await pair.both()
      #expect(both == files, "\(edited), then \(again ?? edited): \(both as Any)")
    }
  }

  @Test("the content of files that were equal at the first meeting is there for a merge after a kill")
  func equalAtFirst() async {
    let pair = Pair()
    await pair.put(merger: LineMerger())
    for side in Side.allCases { await pair.edit(side, ["a.org": "a line\nb line\nc line\n"]) }
    #expect(await pair.pass().result == .synced)
    await pair.archive.crash()
    await pair.edit(.local, ["a.org": "a line\nc line\n"])
    await pair.edit(.remote, ["a.org": "a line\nb line\nc line\nd line\n"])
    #expect(await pair.passes().report.failure == nil)
    #expect(await pair.both() == ["a.org": "a line\nc line\nd line\n"])
  }

  @Test("a removed file that is written again stays", arguments: Side.allCases)
  func writtenAgain(from side: Side) async {
    let pair = Pair()
    await pair.agree(on: ["a.org": "one", "other.org": "x"])
    await pair.edit(side, ["a.org": nil])
    #expect(
      await interrupted(pair, writing: side.other, then: [(side, ["a.org": "one"])]) == [
        "a.org": "one", "other.org": "x",
      ])
  }

  @Test("an edit of a new file that is ignored after the pass is one edit", arguments: Side.allCases, [nil, "one"])
  func editedWhileIgnored(from side: Side, base: String?) async throws {
    let pair = Pair()
    await pair.agree(on: ["a.org": base, "x.org": "y"])
    await pair.edit(side, ["a.org": "two"])
    await pair.put(around: side.other) { Interference(replica: $0, diesAfterCommit: true) }
    #expect(await pair.pass().failure != nil)
    await pair.put(around: side.other, nil)
    await pair.set { $0.filter = PathFilter(ignore: ["a.org"]) }
    await pair.edit(side, ["a.org": "three"])
    for _ in 0..<3 { _ = await pair.pass() }
    await pair.set { $0.filter = PathFilter() }
    let (report, isQuiet) = await pair.passes()
    #expect(await pair.both() == ["a.org": "three", "x.org": "y"])
    #expect(report.result == .synced && isQuiet)
    #expect(await pair.archive.memory(of: "home").intended.isEmpty)
    let left = try await pair.archive.journal(of: "home").records().keys.filter { $0.hasPrefix("engine.hidden") }
    #expect(left.isEmpty)
  }

  @Test(
    "a change that did not arrive before the file was ignored does not count as agreed", arguments: Side.allCases,
    [nil, "b"])
  func unreachedWhileIgnored(from side: Side, base: String?) async throws {
    let pair = Pair()
    await pair.agree(on: ["a.org": base, "x.org": "y"])
    await pair.edit(side, ["a.org": "b+new"])
    await pair.put(around: side.other) { replica in
      Interference(replica: replica, answer: { _ in .unknown(SyncError(.unavailable, "no answer")) })
    }
    _ = await pair.pass()
    await pair.put(around: side.other, nil)
    await pair.set { $0.filter = PathFilter(ignore: ["a.org"]) }
    await pair.edit(side.other, ["a.org": "b+other"])
    for _ in 0..<3 { _ = await pair.pass() }
    await pair.edit(side, ["a.org": nil])
    await pair.set { $0.filter = PathFilter() }
    await pair.put(around: side) { replica in
      Interference(replica: replica, answer: { _ in .unknown(SyncError(.unavailable, "no answer")) })
    }
    _ = await pair.pass()
    await pair.put(around: side, nil)
    await pair.edit(side, ["a.org": "b+new"])
    let isQuiet = await pair.passes().isQuiet
    let texts = try #require(await pair.both()).values.joined(separator: "\n")
    #expect(texts.contains("+new") && texts.contains("+other") && isQuiet)
  }

  @Test(
    "a file that an interrupted pass wrote and that is removed while it is ignored is restored",
    arguments: Side.allCases)
  func removedWhileIgnored(from side: Side) async {
    let pair = Pair()
    await pair.agree(on: ["x.org": "y"])
    await pair.edit(side, ["a.org": "two"])
    await pair.put(around: side.other) { Interference(replica: $0, diesAfterCommit: true) }
    #expect(await pair.pass().failure != nil)
    await pair.put(around: side.other, nil)
    await pair.set { $0.filter = PathFilter(ignore: ["a.org"]) }
    await pair.edit(side, ["a.org": nil])
    _ = await pair.pass()
    await pair.set { $0.filter = PathFilter() }
    let (report, isQuiet) = await pair.passes()
    #expect(await pair.both() == ["a.org": "two", "x.org": "y"])
    #expect(report.result == .synced && isQuiet)
  }

  @Test("a version that is restored to the old one is one edit", arguments: Side.allCases)
  func reverted(from side: Side) async {
    let pair = Pair()
    await pair.agree(on: ["a.txt": "one"])
    await pair.edit(side, ["a.txt": "two"])
    #expect(await interrupted(pair, writing: side.other, then: [(side, ["a.txt": "one"])]) == ["a.txt": "one"])
  }

  @Test("an exchange of two files that is reverted at its source loses neither", arguments: Side.allCases)
  func exchangeReverted(from side: Side) async {
    let pair = Pair()
    await pair.agree(on: ["a.txt": "one", "b.txt": "two"])
    await pair.edit(side, ["a.txt": "two", "b.txt": "one"])
    await pair.put(around: side.other) { Interference(replica: $0, diesAfterCommit: true) }
    #expect(await pair.pass().failure != nil)
    // Most storages cannot prove what a pass wrote to them.
    await pair.put(around: side.other) { replica in
      Interference(
        replica: replica,
        listing: { snapshot, _ in
          var snapshot = snapshot
          snapshot.written = []
          return snapshot
        })
    }
    await pair.edit(side, ["a.txt": "one", "b.txt": "two"])
    await pair.edit(side.other, ["a.txt": "three"])
    #expect(await pair.passes().isQuiet)
    #expect(Set(await pair.both()?.values.map(\.self) ?? []) == ["one", "two", "three"])
  }

  @Test("a renamed file that its source renames back stays, also if others rename it back", arguments: Side.allCases)
  func renameReverted(from side: Side) async {
    let pair = Pair()
    await pair.agree(on: ["a.txt": "one", "other.txt": "x"])
    await pair.edit(side, ["a.txt": nil, "b.txt": "one"])
    let files = await interrupted(pair, writing: side.other, then: [(side, ["a.txt": "one", "b.txt": nil])])
    #expect(files == ["a.txt": "one", "other.txt": "x"])
  }

  @Test("a new file that is edited where it was written is one edit", arguments: Side.allCases)
  func editedWhereItWasWritten(from side: Side) async {
    let pair = Pair()
    await pair.edit(side, ["a.txt": "TODO"])
    #expect(
      await interrupted(pair, writing: side.other, then: [(side.other, ["a.txt": "DONE"])]) == ["a.txt": "DONE"])
  }

  @Test("a new file that is deleted where it was written is deleted on both sides", arguments: Side.allCases)
  func deletedWhereItWasWritten(from side: Side) async {
    let pair = Pair()
    await pair.agree(on: ["other.org": "x"])
    await pair.edit(side, ["a.org": "TODO"])
    #expect(
      await interrupted(pair, writing: side.other, then: [(side.other, ["a.org": nil])]) == ["other.org": "x"])
  }

  @Test("a new version that is edited where it was written is one edit", arguments: Side.allCases)
  func newVersionEditedWhereItWasWritten(from side: Side) async {
    let pair = Pair()
    await pair.agree(on: ["a.txt": "one"])
    await pair.edit(side, ["a.txt": "two"])
    #expect(
      await interrupted(pair, writing: side.other, then: [(side.other, ["a.txt": "three"])]) == ["a.txt": "three"])
  }

  @Test("an edit does not count as an edit of a version that was never written", arguments: Side.allCases)
  func editedInsteadOfWritten(side: Side) async {
    let pair = Pair()
    await pair.edit(side, ["a.txt": "ours"])
    await pair.put(around: side.other) {
      Interference(replica: $0, answer: { _ in .failed(SyncError(.pathFailed, "no")) }, diesAfterCommit: true)
    }
    #expect(await pair.pass().failure != nil)
    await pair.put(around: side.other, nil)
    await pair.edit(side.other, ["a.txt": "theirs"])
    _ = await pair.passes()
    #expect(Set(await pair.both()?.values.map(\.self) ?? []) == ["ours", "theirs"])
  }

  @Test("a merge result that one side has can be edited on the other", arguments: [nil, " more"] as [String?])
  func mergedOnOneSide(end: String?) async {
    let pair = Pair()
    await pair.agree(on: ["a.org": "base"])
    await pair.edit(.local, ["a.org": "base one"])
    await pair.edit(.remote, ["a.org": "base two"])
    // The remote comes first.
    let edits: [(Side, [String: String?])] = end.map { [(.local, ["a.org": "base one" + $0])] } ?? []
    let texts = await interrupted(pair, writing: .remote, then: edits)
    let merged = texts?["a.org"] ?? ""
    #expect(texts?.count == 1)
    for part in [" one", " two"] + (end.map { [$0] } ?? []) {
      #expect(merged.components(of: part) == 1, "\(merged)")
    }
  }

  @Test("a marked conflict stays open", arguments: Side.allCases)
  func markedConflict(side: Side) async {
    let pair = Pair()
    await pair.agree(on: ["marked.org": "base"])
    await pair.edit(.local, ["marked.org": "base one"])
    await pair.edit(.remote, ["marked.org": "base two"])
    let texts = await interrupted(pair, writing: side, then: [])
    #expect(texts?["marked.org"]?.components(of: "<<<") == 1)
    #expect(await pair.archive.memory(of: "home").conflicts.count == 1)
  }

  @Test("a merge into the new name of a renamed file keeps what the new name had")
  func mergedIntoNewName() async {
    let pair = Pair()
    await pair.put(merger: LineMerger())
    let base = "a line\nb line\nc line\n"
    await pair.agree(on: ["a.org": base, "other.org": "x\n"])
    await pair.edit(.remote, ["a.org": nil, "b.org": base + "e\n"])
    await pair.edit(.local, ["a.org": base + "d\n", "b.org": "z\n"])
    await killed(pair) { _ in false }
    // The pass with another remote has merged the same two files.
    await pair.edit(.local, ["b.org": base + "e\nz\n"])
    #expect(await pair.passes().isQuiet)
    let lines = await pair.both()?.values.joined() ?? ""
    #expect(lines.contains("d\n") && lines.contains("e\n") && lines.contains("z\n"))
  }

  /// Runs a pass that is killed when the remote has made the changes that it accepts.
  private func killed(_ pair: Pair, accepting isAccepted: @escaping @Sendable (SyncPath) -> Bool) async {
    await pair.put(around: .remote) {
      Interference(
        replica: $0, answer: { isAccepted($0.path) ? nil : .failed(SyncError(.pathFailed, "no")) },
        diesAfterCommit: true)
    }
    #expect(await pair.pass().failure != nil)
    await pair.put(around: .remote, nil)
  }

  @Test("a new file in the place of a renamed one is another file", arguments: ["a.txt", "a.org"], ["", "d\n"])
  func newFileInPlaceOfRenamed(name: String, edit: String) async {
    let pair = Pair()
    await pair.put(merger: LineMerger())
    let base = "a line\nb line\nc line\n"
    await pair.agree(on: [name: base, "other.org": "x\n"])
    await pair.edit(.local, [name: nil, "renamed-" + name: base + edit])
    await killed(pair) { $0.description == name }
    #expect(await pair.texts(.remote) == ["other.org": "x\n"])
    await pair.edit(.remote, [name: "new\n"])
    #expect(await pair.passes().isQuiet)
    #expect(await pair.both() == [name: "new\n", "renamed-" + name: base + edit, "other.org": "x\n"])
  }

  @Test("a new file in the place of a renamed one does not replace that one when it is renamed back")
  func renamedBack() async {
    let pair = Pair()
    await pair.agree(on: ["a.txt": "old", "other.org": "x"])
    await pair.edit(.local, ["a.txt": nil, "b.txt": "old"])
    await killed(pair) { $0.description == "a.txt" }
    await pair.edit(.remote, ["a.txt": "new"])
    await pair.edit(.local, ["a.txt": "old", "b.txt": nil])
    #expect(await pair.passes().isQuiet)
    #expect(Set(await pair.both()?.values.map(\.self) ?? []) == ["old", "new", "x"])
  }

  @Test(
    "a line that a person removes from a merge that the other side did not take stays removed",
    arguments: [WriteResult.postponed("later"), .failed(SyncError(.pathFailed, "no")), .refused(nil)])
  func removedFromHalfAMerge(answer: WriteResult) async {
    let pair = Pair()
    await pair.put(merger: LineMerger())
    await pair.agree(on: ["a.org": "a\nb\nc\n", "other.org": "x\n"])
    await pair.edit(.local, ["a.org": "a\nb\nc\nl\n"])
    await pair.edit(.remote, ["a.org": "a\nb\nc\nr\n"])
    // The remote comes first.
    await pair.put(around: .local) { Interference(replica: $0, answer: { _ in answer }) }
    // Most storages cannot prove what a pass wrote to them.
    await pair.put(around: .remote) { replica in
      Interference(
        replica: replica,
        listing: { snapshot, _ in
          var snapshot = snapshot
          snapshot.written = []
          return snapshot
        })
    }
    _ = await pair.pass()
    #expect(await pair.texts(.remote)["a.org"] == "a\nb\nc\nl\nr\n")
    await pair.edit(.remote, ["a.org": "a\nb\nc\nr\n"])
    await pair.put(around: .local, nil)
    #expect(await pair.passes().isQuiet)
    #expect(await pair.both() == ["a.org": "a\nb\nc\nr\n", "other.org": "x\n"])
  }

  @Test("a pass records what it sees of an unrecorded change, although it changes nothing itself")
  func seenInBetween() async {
    let pair = Pair()
    await pair.put(merger: LineMerger())
    await pair.agree(on: ["a.org": "a\nb\nc\n", "other.org": "x\n"])
    await pair.edit(.local, ["a.org": "a\nb\nc\nl\n"])
    await pair.edit(.remote, ["a.org": "a\nb\nc\nr\n"])
    await killed(pair) { _ in true }
    // Most storages cannot prove what a pass wrote to them.
    await pair.put(around: .remote) { replica in
      Interference(
        replica: replica,
        listing: { snapshot, _ in
          var snapshot = snapshot
          snapshot.written = []
          return snapshot
        })
    }
    await pair.set { $0.mode = .send }
    _ = await pair.pass()
    #expect(await pair.texts(.local)["a.org"] == "a\nb\nc\nl\n")
    await pair.edit(.remote, ["a.org": "a\nb\nc\nr\n"])
    await pair.set { $0.mode = .both }
    #expect(await pair.passes().isQuiet)
    #expect(await pair.both() == ["a.org": "a\nb\nc\nr\n", "other.org": "x\n"])
  }

  @Test("marks that only one side has, in a version that a person has edited since, are an open conflict")
  func editedMarks() async {
    let pair = Pair()
    await pair.agree(on: ["marked.org": "base"])
    await pair.edit(.local, ["marked.org": "base one"])
    await pair.edit(.remote, ["marked.org": "base two"])
    await pair.put(around: .local) { Interference(replica: $0, answer: { _ in .postponed("later") }) }
    _ = await pair.pass()
    await pair.edit(.remote, ["marked.org": (await pair.texts(.remote)["marked.org"] ?? "") + " more"])
    await pair.put(around: .local, nil)
    #expect(await pair.passes().isQuiet)
    #expect(await pair.both()?["marked.org"]?.components(of: "<<<") == 1)
    #expect(await pair.archive.memory(of: "home").conflicts.count == 1)
  }

  @Test("intended changes are forgotten once they are done")
  func forgotten() async {
    let pair = Pair()
    await pair.edit(.local, ["a.org": "TODO", "b.org": "TODO"])
    _ = await interrupted(pair, writing: .remote, then: [(.local, ["a.org": nil])])
    #expect(await pair.archive.memory(of: "home").intended.isEmpty)
  }
}

@Suite("A store with two remotes")
struct TwoRemotesTests {
  @Test("an edit follows a rename on both remotes, even if one is synced later")
  func renameAgainstEdit() async {
    let store = MemoryReplica(address: "store", identity: "disk")
    let archive = MemoryArchive()
    let pairs = ["one", "two"].map { name in
      Pair(store: store, remote: MemoryReplica(address: name), archive: archive, name: name)
    }
    for pair in pairs { await pair.agree(on: ["old.org": "base"]) }
    await pairs[0].edit(.local, ["old.org": "base edited"])
    for pair in pairs { await pair.edit(.remote, ["old.org": nil, "new.org": "base"]) }
    for pair in pairs { _ = await pair.passes() }
    for pair in pairs { #expect(await pair.both() == ["new.org": "base edited"]) }
  }

  @Test("a file that gets its old name back stays, although another remote still has it")
  func renamedBack() async {
    let store = MemoryReplica(address: "store", identity: "disk")
    let archive = MemoryArchive()
    let one = Pair(store: store, remote: MemoryReplica(address: "one"), archive: archive, name: "one")
    let two = Pair(store: store, remote: MemoryReplica(address: "two"), archive: archive, name: "two")
    for pair in [one, two] { await pair.agree(on: ["a.org": "a", "b.org": "b"]) }
    await one.edit(.remote, ["a.org": nil, "c.org": "a"])
    _ = await one.passes()
    await one.edit(.remote, ["c.org": nil, "a.org": "a"])
    for pair in [one, two] { _ = await pair.passes() }
    for pair in [one, two] { #expect(await pair.both() == ["a.org": "a", "b.org": "b"]) }
  }
}

extension String {
  fileprivate func components(of part: String) -> Int {
    indices.count { self[$0...].hasPrefix(part) }
  }
}
