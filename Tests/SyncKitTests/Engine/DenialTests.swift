import SyncKitTesting
import Testing

@testable import SyncKit

@Suite("Denying held deletions")
struct DenialTests {
  private static let files = Dictionary(uniqueKeysWithValues: (0..<8).map { ("\($0).org", "text \($0)") })

  /// Syncs both sides, then removes files from one of them, which the pass holds.
  private func held(_ lost: [String: String?], from side: Side) async throws -> (Pair, Hold) {
    let pair = Pair()
    await pair.agree(on: Self.files)
    await pair.edit(side, lost)
    let hold = try #require(await pair.pass().hold)
    return (pair, hold)
  }

  private func deny(_ items: Set<HeldItem>, of pair: Pair) async throws {
    try await DeniedDeletions(in: pair.archive.journal(of: "home")).add(items)
  }

  private static let six = Dictionary(uniqueKeysWithValues: (0..<6).map { ("\($0).org", String?.none) })
  private static let sixEmpty = six.mapValues { _ in String?.some("") }

  @Test("a denial restores what one side deleted or emptied", arguments: Side.allCases, [six, sixEmpty])
  func putsBack(side: Side, lost: [String: String?]) async throws {
    let (pair, hold) = try await held(lost, from: side)
    try await deny(hold.items, of: pair)
    let (report, isQuiet) = await pair.passes()
    #expect(report.hold == nil && report.failure == nil && isQuiet)
    #expect(await pair.both() == Self.files)
    #expect(await pair.archive.memory(of: "home").hold == nil)
  }

  @Test("a denial counts once, and the same deletion is held again", arguments: Side.allCases)
  func once(side: Side) async throws {
    let (pair, hold) = try await held(Self.six, from: side)
    try await deny(hold.items, of: pair)
    _ = await pair.pass()
    await pair.edit(side, Self.six)
    #expect(await pair.pass().hold == hold)
  }

  @Test("the other deletions of the hold stay held", arguments: Side.allCases)
  func partly(side: Side) async throws {
    let (pair, hold) = try await held(Self.six, from: side)
    let denied = hold.items.filter { $0.path == SyncPath("0.org")! }
    try await deny(denied, of: pair)
    let report = await pair.pass()
    #expect(report.hold?.items == hold.items.subtracting(denied))
    #expect(await pair.texts(side)["0.org"] == "text 0")
    #expect(await pair.texts(side)["1.org"] == nil)
  }

  @Test("a denial overwrites nothing that has replaced the deleted file", arguments: Side.allCases)
  func writtenMeanwhile(side: Side) async throws {
    let (pair, hold) = try await held(Self.six, from: side)
    await pair.edit(side, ["0.org": "new text"])
    try await deny(hold.items, of: pair)
    let (_, isQuiet) = await pair.passes()
    #expect(isQuiet)
    #expect(await pair.both() == Self.files.merging(["0.org": "new text"]) { $1 })
    #expect(try await DeniedDeletions(in: pair.archive.journal(of: "home")).items().isEmpty)
  }

  @Test("a denial keeps a new file that has the name of the lost files' folder", arguments: Side.allCases)
  func newFileInPlaceOfFolder(side: Side) async throws {
    let pair = Pair()
    let files = Dictionary(uniqueKeysWithValues: (0..<8).map { ("d/\($0).org", "text \($0)") })
    await pair.agree(on: files.merging(["e/a.org": "a", "e/b.org": "b"]) { $1 })
    await pair.edit(side, files.mapValues { _ in String?.none })
    await pair.edit(side, ["d": "new text"])
    let hold = try #require(await pair.pass().hold)
    try await deny(hold.items, of: pair)
    let (report, isQuiet) = await pair.passes()
    #expect(report.hold == nil && report.counts.failed == 0 && isQuiet)
    let texts = try #require(await pair.both())
    #expect(Set(texts.values) == Set(files.values).union(["a", "b", "new text"]))
    #expect(files.allSatisfy { texts[$0.key] == $0.value })
  }

  @Test("a denied file is restored under another name if its own is a folder now", arguments: Side.allCases)
  func newFolderInPlaceOfFile(side: Side) async throws {
    let (pair, hold) = try await held(Self.six, from: side)
    await pair.edit(side, ["0.org/new.org": "new text"])
    try await deny(hold.items, of: pair)
    let (report, isQuiet) = await pair.passes()
    #expect(report.hold == nil && report.counts.failed == 0 && isQuiet)
    let texts = try #require(await pair.both())
    #expect(texts["0.org/new.org"] == "new text" && texts.values.contains("text 0"))
    #expect(try await DeniedDeletions(in: pair.archive.journal(of: "home")).items().isEmpty)
  }

  @Test("a denial survives a kill before and after the file is restored", arguments: Side.allCases)
  func killed(side: Side) async throws {
    let (pair, hold) = try await held(Self.six, from: side)
    try await deny(hold.items, of: pair)
    await pair.put(around: side) { Interference(replica: $0, diesAfterCommit: true) }
    #expect(await pair.pass().failure != nil)
    await pair.put(around: side, nil)
    let (report, isQuiet) = await pair.passes()
    #expect(report.hold == nil && isQuiet)
    #expect(await pair.both() == Self.files)
    #expect(try await DeniedDeletions(in: pair.archive.journal(of: "home")).items().isEmpty)
  }
}
