import SyncKit
import SyncKitTesting
import Testing

@testable import SyncKit

/// A remote that has a version which was made without knowledge of the agreed one. In all tests, A became B by an agreement, and
/// the other version is R.
@Suite("Concurrent versions")
struct ConcurrentVersionTests {
  private static let (a, b, r) = ("a\n", "a\nb\n", "a\nr\n")
  private static let file = "a.org"

  /// A case: what the store has, what the remote's other version is and goes back to, and what both have in the end.
  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var store: String?
    var other = ConcurrentVersionTests.r
    var ancestor: String? = ConcurrentVersionTests.a
    var result: [String: String]

    static let all = [
      Case(testDescription: "two edits are merged from their ancestor", store: b, result: [file: "a\nb\nr\n"]),
      Case(testDescription: "a later edit of the store takes part", store: "a\nb\nc\n", result: [file: "a\nb\nc\nr\n"]),
      Case(testDescription: "an edit outlives the deletion in the store", store: nil, result: [file: r]),
      Case(testDescription: "the store has the same content", store: r, result: [file: r]),
      Case(testDescription: "the store has gone back to the ancestor", store: a, result: [file: r]),
      Case(testDescription: "the other version has gone back to the ancestor", store: b, other: a, result: [file: b]),
      Case(testDescription: "a deleted file whose other version is the ancestor", store: nil, other: a, result: [:]),
      Case(testDescription: "both have gone back to the ancestor", store: a, other: a, result: [file: a]),
      Case(
        testDescription: "without an ancestor, the loser's name depends on the contents only", store: b, other: r,
        ancestor: nil,
        result: sideBySide(b, r)),
      Case(
        testDescription: "without an ancestor, the same content", store: r, other: r, ancestor: nil, result: [file: r]),
      Case(
        testDescription: "a deleted file without an ancestor", store: nil, other: r, ancestor: nil, result: [file: r]),
    ]

    private static func sideBySide(_ one: String, _ other: String) -> [String: String] {
      let (winner, loser) = digest(one) < digest(other) ? (one, other) : (other, one)
      return [file: winner, "a.conflict-19700101T000000Z-\(digest(loser).description.prefix(4)).org": loser]
    }
  }

  /// A pair whose remote has a concurrent version.
  private func pair(_ test: Case, options: PassOptions = PassOptions()) async -> Pair {
    let pair = Pair(options: options)
    await pair.agree(on: [Self.file: Self.a, "x.org": "x", "y.org": "y"])
    await pair.edit(.local, [Self.file: Self.b])
    _ = await pair.pass()
    await pair.remote.putConcurrently(
      Content(Array(test.other.utf8)), at: path(Self.file), ancestor: test.ancestor.map { digest($0) })
    if test.store != Self.b { await pair.edit(.local, [Self.file: test.store]) }
    return pair
  }

  private func entry(_ pair: Pair) async -> Entry? { await pair.remote.list(since: Known())[path(Self.file)] }

  @Test("one version replaces both, and nothing is lost", arguments: Case.all)
  func cases(test: Case) async {
    let pair = await pair(test)
    #expect(await entry(pair)?.concurrent != nil)
    #expect(await pair.passes().isQuiet)
    var files = await pair.both()
    files?["x.org"] = nil
    files?["y.org"] = nil
    #expect(files == test.result)
    #expect(await entry(pair)?.concurrent == nil)
    #expect(await pair.lost().isEmpty)
  }

  @Test("with two ancestors, only what came after both counts as an edit")
  func twoAncestors() async {
    // The store and another device both merged V and W, which go back to A; the other device then changed V's line.
    let (v, w, merged, other) = ("a\nv\n", "a\nw\n", "a\nv\nw\n", "a\nv later\nw\n")
    for ancestors in [[v, w], [w, v]] {
      let pair = Pair()
      for text in [Self.a, v, w, merged] {
        await pair.edit(.local, [Self.file: text])
        _ = await pair.pass()
      }
      await pair.remote.putConcurrently(
        Content(Array(other.utf8)), at: path(Self.file),
        Concurrency(ancestors: ancestors.map { digest($0) }, origin: digest(Self.a)))
      #expect(await pair.passes().isQuiet)
      #expect(await pair.both() == [Self.file: other])
    }
  }

  @Test("ancestors that contradict each other are not united")
  func contradiction() async {
    let pair = Pair()
    for text in [Self.b, "b\nv\n", "a\nw\n", "x\n"] {
      await pair.edit(.local, [Self.file: text])
      _ = await pair.pass()
    }
    await pair.remote.putConcurrently(
      Content(Array("new\nv\n".utf8)), at: path(Self.file),
      Concurrency(ancestors: [digest("b\nv\n"), digest("a\nw\n")], origin: digest(Self.b)))
    #expect(await pair.passes().isQuiet)
    #expect(await pair.lost().isEmpty)
    #expect(await pair.both()?.values.contains { $0.contains("new") } == true)
  }

  @Test("a version that stays counts as replaced nowhere", arguments: Case.all)
  func history(test: Case) async {
    let pair = await pair(test)
    let before = await pair.archive.backup.versions.count
    _ = await pair.passes()
    let replaced = await pair.archive.backup.versions.dropFirst(before).filter { $0.path == path(Self.file) }
    #expect(replaced.allSatisfy { test.result[Self.file].map { digest($0) } != $0.digest })
  }

  @Test("a dry run and a mode in which the remote may not change leave both versions", arguments: Case.all)
  func untouched(test: Case) async {
    for change in [{ $0.isDryRun = true }, { $0.mode = .receive }] as [@Sendable (inout PassOptions) -> Void] {
      let pair = await pair(test)
      await pair.set(change)
      let before = await entry(pair)
      let report = await pair.pass()
      #expect(report.failure == nil)
      #expect(await entry(pair) == before && before?.concurrent != nil)
    }
  }

  @Test("a pass that is killed after the remote was written is continued", arguments: Case.all)
  func killed(test: Case) async {
    let pair = await pair(test)
    await pair.put(around: .remote) { Interference(replica: $0, diesAfterCommit: true) }
    _ = await pair.pass()
    await pair.put(around: .remote, nil)
    #expect(await pair.passes().isQuiet)
    var files = await pair.both()
    files?["x.org"] = nil
    files?["y.org"] = nil
    #expect(files == test.result)
    #expect(await pair.lost().isEmpty)
  }

  @Test(
    "no preference decides between two devices", arguments: [ConflictPolicy.preferLocal, .preferRemote, .preferNewer])
  func preferences(policy: ConflictPolicy) async {
    var options = PassOptions()
    options.conflicts = ConflictPolicies(policy)
    let pair = await pair(Case.all[0], options: options)
    #expect(await pair.passes().isQuiet)
    #expect(await pair.both()?[Self.file] == "a\nb\nr\n")
  }

  @Test("a listing without digests knows no ancestor")
  func withoutDigests() {
    var builder = SnapshotBuilder(since: Known())
    builder.add(
      Entry(
        path: path(Self.file), revision: Revision("1"), digest: digest(Self.r),
        concurrent: Concurrency(ancestor: digest(Self.a))))
    let snapshot = builder.finish(root: RootIdentity(address: "memory:", id: "1")).withoutDigests()
    #expect(snapshot[path(Self.file)]?.concurrent == Concurrency(ancestor: nil))
    #expect(snapshot[path(Self.file)]?.digest == nil)
  }
}
