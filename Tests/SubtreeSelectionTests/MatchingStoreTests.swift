import SyncKit
import SyncKitTesting
import Testing

@testable import SubtreeSelection

/// Passes over a remote with `match`.
@Suite struct MatchingStoreTests {
  private static let notes = "#+TITLE: N\n* Shopping :mobile:\n** Gift for Ann :private:\n** Milk\n* Diary\n** Today\n"

  private func synced(_ files: [String: String] = ["notes.org": notes]) async throws -> MatchedPair {
    let pair = try MatchedPair()
    for (name, text) in files { await pair.put(text, at: name, in: pair.store) }
    let report = await pair.run()
    #expect(report.failure == nil && report.counts.failed == 0)
    return pair
  }

  @Test func `the remote gets the matching subtrees only, and no file without any`() async throws {
    let pair = try await synced([
      "notes.org": Self.notes, "diary.org": "* Diary\n", "photo.jpg": "* A :mobile:\n", "a.org.gpg": "* A :mobile:\n",
      "UP.ORG": "* Up :mobile:\n", "setup.org": "#+SETUPFILE: x\n* A :mobile:\n",
    ])
    #expect(await pair.remoteTexts() == ["notes.org": "* Shopping :mobile:\n** Milk\n"])
    #expect(await pair.texts(pair.remote)["UP.ORG"] == "* Up :mobile:\n")
    #expect(await pair.texts(pair.remote).count == 2)
  }

  @Test func `an edit at the remote is put into the whole file, whose former version is in the history`() async throws {
    let pair = try await synced()
    await pair.put("* Shopping :mobile:\n** DONE Milk\n** Bread\n", at: "notes.org", in: pair.remote)
    await pair.run()
    let expected =
      "#+TITLE: N\n* Shopping :mobile:\n** Gift for Ann :private:\n** DONE Milk\n** Bread\n* Diary\n** Today\n"
    #expect(await pair.texts(pair.store)["notes.org"] == expected)
    let versions = await pair.archive.backup.versions.filter { $0.side == .local }
    #expect(versions.map(\.digest) == [Digest(of: Array(Self.notes.utf8))])
    #expect(await pair.remoteTexts() == ["notes.org": "* Shopping :mobile:\n** DONE Milk\n** Bread\n"])
  }

  @Test func `edits of both sides are merged`() async throws {
    let pair = try await synced()
    await pair.put("* Shopping :mobile:\n** DONE Milk\n", at: "notes.org", in: pair.remote)
    await pair.put(
      Self.notes.replacing("** Milk\n", with: "** Milk\n** Bread\n*** Rye :private:\n"), at: "notes.org", in: pair.store
    )
    await pair.run()
    #expect(await pair.remoteTexts() == ["notes.org": "* Shopping :mobile:\n** DONE Milk\n** Bread\n"])
    let expected = Self.notes.replacing("** Milk\n", with: "** DONE Milk\n** Bread\n*** Rye :private:\n")
    #expect(await pair.texts(pair.store)["notes.org"] == expected)
  }

  @Test func `a file that the remote deletes keeps everything that it never had`() async throws {
    let pair = try await synced(["notes.org": Self.notes, "keep.org": "* K :mobile:\n", "all.org": "* All :mobile:\n"])
    await pair.put(nil, at: "notes.org", in: pair.remote)
    await pair.put(nil, at: "all.org", in: pair.remote)
    await pair.run()
    #expect(
      await pair.texts(pair.store)
        == ["notes.org": "#+TITLE: N\n* Gift for Ann :private:\n* Diary\n** Today\n", "keep.org": "* K :mobile:\n"])
    #expect(await pair.remoteTexts() == ["keep.org": "* K :mobile:\n"])
  }

  @Test func `an entry that no longer matches leaves the remote and stays at home`() async throws {
    let pair = try await synced(["notes.org": "* A :mobile:\n* B :mobile:\n", "keep.org": "* K :mobile:\n"])
    await pair.put("* A\ntext\n* B :mobile:\n* New\n", at: "notes.org", in: pair.remote)
    await pair.run()
    #expect(await pair.texts(pair.store)["notes.org"] == "* A\ntext\n* B :mobile:\n* New\n")
    #expect(await pair.remoteTexts()["notes.org"] == "* B :mobile:\n")
    await pair.put("* A\ntext\n* B\n* New\n", at: "notes.org", in: pair.store)
    await pair.run()
    #expect(await pair.remoteTexts() == ["keep.org": "* K :mobile:\n"])
    #expect(await pair.texts(pair.store)["notes.org"] == "* A\ntext\n* B\n* New\n")
  }

  @Test func `a new file of the remote comes home, and into a file of this name that was never sent`() async throws {
    let pair = try await synced(["notes.org": Self.notes, "diary.org": "#+TITLE: D\n* Diary\n"])
    await pair.put("* Entry :mobile:\n", at: "diary.org", in: pair.remote)
    await pair.put("* Free :mobile:\n", at: "new.org", in: pair.remote)
    await pair.run()
    #expect(await pair.texts(pair.store)["diary.org"] == "#+TITLE: D\n* Diary\n* Entry :mobile:\n")
    #expect(await pair.texts(pair.store)["new.org"] == "* Free :mobile:\n")
    #expect(await pair.remoteTexts()["diary.org"] == "* Entry :mobile:\n")
  }

  @Test func `a file that the remote empties leaves it, and what it never had stays`() async throws {
    let pair = try await synced(["notes.org": Self.notes, "a.org": "* A :mobile:\n", "keep.org": "* K :mobile:\n"])
    await pair.put("", at: "notes.org", in: pair.remote)
    await pair.put("", at: "a.org", in: pair.remote)
    await pair.run()
    await pair.run()
    #expect(await pair.remoteTexts() == ["keep.org": "* K :mobile:\n"])
    let home = await pair.texts(pair.store)
    #expect(home["notes.org"] == "#+TITLE: N\n* Gift for Ann :private:\n* Diary\n** Today\n" && home["a.org"] == "")
  }

  @Test func `an edit that would show hidden entries is refused, and nothing leaves`() async throws {
    let pair = try await synced()
    await pair.put("#+FILETAGS: :mobile:\n* Shopping :mobile:\n** Milk\n", at: "notes.org", in: pair.remote)
    let report = await pair.run()
    #expect(report.counts.failed == 1 && report.actions.contains { $0.detail.contains("do not match now") })
    #expect(await pair.texts(pair.store)["notes.org"] == Self.notes)
    #expect(!pair.written.contains("Diary") && !pair.written.contains("Ann"))
  }

  @Test func `a pass without changes reads no file`() async throws {
    let pair = try await synced(["notes.org": Self.notes, "diary.org": "* Diary\n"])
    await pair.run()
    var parts = pair.parts(nil)
    let reads = Counted(replica: parts.local)
    let remote = RemoteParts(
      name: "phone", device: parts.device, runtime: .real, contents: pair.archive,
      journal: pair.archive.journal(of: "phone"))
    parts.local = MatchingStore(reads, pair.rule, remote)
    parts.options.filter = parts.options.filter.narrowed(include: MatchRule.patterns, ignore: [])
    let report = await SyncPass(parts).run()
    #expect(report.failure == nil && !report.didSomething)
  }

  /// A replica that fails when a file is read.
  private struct Counted: ReplicaAround {
    let replica: any Replica

    func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
      throw SyncError(.unexpected, "\(paths) was read")
    }
  }

  @Test func `under another match both sides are synced again without deletions, and what matches no longer leaves`()
    async throws
  {
    let pair = try await synced(["notes.org": "* A :mobile:\n* B :work:\n", "keep.org": "* K :mobile:work:\n"])
    guard let rule = MatchRule("work") else { return }
    _ = await SyncRun([pair.parts(rule)]).run()
    _ = await SyncRun([pair.parts(rule)]).run()
    #expect(await pair.texts(pair.store)["notes.org"] == "* A :mobile:\n* B :work:\n")
    #expect(await pair.remoteTexts()["notes.org"] == "* B :work:\n")
  }

  @Test func `a remote with whole files that gets a match loses what does not match, and home loses nothing`()
    async throws
  {
    let pair = try MatchedPair()
    await pair.put(Self.notes, at: "notes.org", in: pair.store)
    await pair.put("* K :mobile:\n", at: "keep.org", in: pair.store)
    _ = await SyncRun([pair.parts(nil)]).run()
    #expect(await pair.remoteTexts()["notes.org"] == Self.notes)
    await pair.run()
    await pair.run()
    #expect(await pair.texts(pair.store)["notes.org"] == Self.notes)
    #expect(await pair.remoteTexts()["notes.org"] == "* Shopping :mobile:\n** Milk\n")
  }

  @Test func `a remote whose match is removed gets whole files, and home loses nothing`() async throws {
    let pair = try await synced()
    _ = await SyncRun([pair.parts(nil)]).run()
    _ = await SyncRun([pair.parts(nil)]).run()
    #expect(await pair.texts(pair.store)["notes.org"] == Self.notes)
    #expect(await pair.remoteTexts()["notes.org"] == Self.notes)
  }
}
