import SettingsRegistry
import Testing

@testable import SyncKit

@Suite("The deletion guard")
struct GuardTests {
  @Test(
    "the guard holds more deletions than the limit allows, and fewer than five only if it is 0",
    arguments: [
      (4, 6, Share.percent(0), true), (4, 6, .percent(1), false), (1, 100, .count(0), true),
      (5, 20, .percent(25), false), (5, 19, .percent(25), true),
      (6, 20, .percent(25), true), (4, 5, .percent(25), false), (5, 6, .percent(100), false), (5, 100, .count(4), true),
      (5, 100, .count(5), false), (6, 100, .count(5), true), (4, 100, .count(0), true), (4, 100, .count(1), false),
      (5, 100, .percent(0), true),
      (30, 100, .percent(25), true), (25, 100, .percent(25), false),
    ])
  func limits(deleted: Int, of count: Int, limit: Share, isHeld: Bool) {
    for side in Side.allCases {
      let plan = Guard(limit: limit).examine(plan(deleting(deleted, of: count, on: side)))
      #expect((plan.hold != nil) == isHeld)
      #expect(plan.decisions.count { $0 == .hold(.removal(from: side.other)) } == (isHeld ? deleted : 0))
      #expect(plan.hold?.items.count ?? deleted == deleted)
    }
  }

  @Test("the reason of what is left of a hold counts it, once")
  func remainder() {
    let items = (0..<5).map { HeldItem(path: path("\($0)"), digest: digest("x"), side: .remote) }
    let whole = Hold(reason: "5 of 9 files would be deleted", items: Set(items))
    #expect(whole.of(whole.items) == whole)
    let part = whole.of(Set(items[..<3]))
    #expect(part.reason == "5 of 9 files would be deleted; 3 of them are still held" && part.items == Set(items[..<3]))
    #expect(part.of([items[0]]).reason == "5 of 9 files would be deleted; 1 of them is still held")
  }

  @Test(
    "the guard holds whatever would empty a side that had two files or more",
    arguments: [(2, true), (4, true), (1, false)])
  func emptied(count: Int, isHeld: Bool) {
    let plan = Guard(limit: .percent(100)).examine(plan(deleting(count, of: count, on: .local)))
    #expect((plan.hold != nil) == isHeld)
  }

  @Test("the guard also holds what would empty a side if the other side has lost some files itself")
  func emptiedTogether() {
    let rows = [Row("a", "1", nil, nil), Row("b", "2", nil, "2"), Row("c", "3", nil, "3")]
    #expect(Guard(limit: .percent(100)).examine(plan(rows)).hold?.items.count == 2)
  }

  @Test("a side that keeps or receives a file does not count as emptied")
  func notEmptied() {
    let kept = deleting(3, of: 3, on: .local) + [Row("new", nil, nil, "9")]
    #expect(Guard(limit: .percent(100)).examine(plan(kept)).hold == nil)
    let given = deleting(3, of: 3, on: .local) + [Row("new", nil, "9", nil)]
    #expect(Guard(limit: .percent(100)).examine(plan(given)).hold == nil)
    let refused = Guard(limit: .percent(100)).examine(
      plan(deleting(3, of: 3, on: .local) + [Row("a:b", nil, "9", nil)], remote: NamingRules(forbiddenBytes: [0x3A])))
    #expect(refused.hold?.items.count == 3)
  }

  @Test("emptying a file counts as deleting it")
  func emptyFiles() {
    let rows = (0..<10).map { Row("\($0)", "x\($0)", $0 < 6 ? "" : "x\($0)", "x\($0)") }
    let plan = Guard(limit: .percent(25)).examine(plan(rows))
    #expect(plan.decisions.count { $0 == .hold(.emptying(on: .remote)) } == 6)
    #expect(plan.hold?.items.contains(HeldItem(path: path("0"), digest: digest("x0"), side: .remote)) == true)
    let all = (0..<3).map { Row("\($0)", "x\($0)", "", "x\($0)") }
    #expect(Guard(limit: .percent(100)).examine(SyncKitTests.plan(all)).hold != nil)
  }

  @Test("the guard holds what would leave the only file without a byte, on either side", arguments: Side.allCases)
  func onlyFile(side: Side) {
    let row = side == .local ? Row("a", "1", "", "1") : Row("a", "1", "1", "")
    #expect(Guard(limit: .percent(100)).examine(SyncKitTests.plan([row])).hold?.items.count == 1)
    let edited = side == .local ? Row("a", "1", "2", "1") : Row("a", "1", "1", "2")
    #expect(Guard(limit: .percent(100)).examine(SyncKitTests.plan([edited])).hold == nil)
  }

  @Test("renames and files that were already empty do not count")
  func renames() {
    let renamed = (0..<20).flatMap { [Row("old\($0)", "\($0)", nil, "\($0)"), Row("new\($0)", nil, "\($0)", nil)] }
    #expect(Guard(limit: .percent(0)).examine(plan(renamed)).hold == nil)
    let emptied = (0..<20).map { Row("\($0)", "", "", "") } + [Row("a", "1", "2", "1")]
    #expect(Guard(limit: .percent(0)).examine(plan(emptied)).hold == nil)
  }

  @Test("the guard permits exactly what was approved")
  func allowed() {
    let rows = deleting(10, of: 20, on: .local)
    let held = Guard(limit: .percent(25)).examine(plan(rows)).hold?.items ?? []
    #expect(held.count == 10)
    #expect(Guard(limit: .percent(25), allowed: held).examine(plan(rows)).hold == nil)
    let joined = Guard(limit: .percent(25), allowed: held).examine(plan(deleting(16, of: 20, on: .local)))
    #expect(joined.hold?.items.count == 6)
    #expect(joined.decisions.count { $0 == .remove(from: .remote) } == 10)
    let others = Set(held.map { HeldItem(path: $0.path, digest: digest("another"), side: $0.side) })
    #expect(Guard(limit: .percent(25), allowed: others).examine(plan(rows)).hold?.items == held)
  }

  @Test("deletions within a day are added up")
  func dribble() {
    let rows = deleting(3, of: 12, on: .local)
    #expect(Guard(limit: .percent(25), deletedToday: 0).examine(plan(rows)).hold == nil)
    #expect(Guard(limit: .percent(25), deletedToday: 2).examine(plan(rows)).hold != nil)
    #expect(Guard(limit: .percent(25), deletedToday: 1).examine(plan(rows)).hold == nil)
  }

  @Test("the guard keeps holding the same deletions when their share shrinks, and holds no others with them")
  func holdsOn() throws {
    let many = deleting(10, of: 20, on: .local)
    let hold = try #require(Guard(limit: .percent(25)).examine(plan(many)).hold)
    // The store has grown meanwhile, so that the same deletions would be allowed, and one more file is deleted.
    let grown = deleting(11, of: 200, on: .local)
    #expect(Guard(limit: .percent(25)).examine(plan(grown)).hold == nil)
    let examined = Guard(limit: .percent(25), hold: hold).examine(plan(grown))
    #expect(examined.hold == hold)
    #expect(examined.table["10"] == .remove(from: .remote))
    // Restored files are no longer held.
    let back = deleting(3, of: 200, on: .local)
    #expect(Guard(limit: .percent(25), hold: hold).examine(plan(back)).hold?.items.count == 3)
    #expect(Guard(limit: .percent(25), hold: hold).examine(plan(deleting(0, of: 200, on: .local))).hold == nil)
  }

  @Test("the guard holds the deletion of files that are missing on another disk")
  func strangers() {
    let rows = [Row("a", "1", nil, "1"), Row("b", "2", "2", "2"), Row("c", "3", "3", "3"), Row("d", "4", "4", "4")]
    #expect(Guard(limit: .percent(100)).examine(plan(rows)).hold == nil)
    #expect(Guard(limit: .percent(100), strangers: [.local]).examine(plan(rows)).hold?.items.count == 1)
    let other = [Row("a", "1", "1", nil), Row("b", "2", "2", "2"), Row("c", "3", "3", "3")]
    #expect(Guard(limit: .percent(100), strangers: [.local]).examine(plan(other)).hold == nil)
  }

  @Test("the guard permits no change while a disk is unverified, because it may be the wrong one")
  func doubt() {
    let rows = [
      Row("a", "1", nil, "1"), Row("b", nil, nil, "2"), Row("c", nil, "3", nil), Row("d", "4", "5", "4"),
      Row("e", "6", "7", "8"), Row("f", nil, "9", "9"), Row("g", "1", nil, nil),
    ]
    let plan = Guard(limit: .percent(100), strangers: [.local]).examine(plan(rows))
    #expect(plan.decisions.filter { $0 != .leave } == [.hold(.removal(from: .remote))])
  }

  @Test("other changes continue during a hold")
  func harmless() {
    let rows = deleting(10, of: 20, on: .local) + [Row("new", nil, "n", nil), Row("19", "19", "19", "edited")]
    let plan = Guard(limit: .percent(25)).examine(plan(rows.filter { $0.path != "19" || $0.remote == "edited" }))
    #expect(plan.hold?.items.count == 10)
    #expect(plan.table["new"] == .copy(to: .remote))
    #expect(plan.table["19"] == .copy(to: .local))
  }

  @Test("the ID of a hold depends on exactly its set")
  func names() {
    let (a, b) = (
      HeldItem(path: path("a"), digest: digest("1"), side: .local),
      HeldItem(path: path("b"), digest: digest("1"), side: .local)
    )
    let hold = Hold(reason: "", items: [a, b])
    #expect(hold.id == Hold(reason: "other words", items: [b, a]).id)
    #expect(hold.id != Hold(reason: "", items: [a]).id)
    #expect(hold.id != Hold(reason: "", items: [a, HeldItem(path: path("b"), digest: digest("2"), side: .local)]).id)
    #expect(hold.id != Hold(reason: "", items: [a, HeldItem(path: path("b"), digest: digest("1"), side: .remote)]).id)
  }

  /// `count` files, the first of which are deleted on `side`.
  private func deleting(_ deleted: Int, of count: Int, on side: Side) -> [Row] {
    (0..<count).map { number in
      let word = "\(number)"
      let left = number < deleted ? nil : word
      return side == .local ? Row(word, word, left, word) : Row(word, word, word, left)
    }
  }
}
