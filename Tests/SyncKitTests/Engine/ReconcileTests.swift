import Testing

@testable import SyncKit

@Suite("Reconciling")
struct ReconcileTests {
  @Test("differences from the agreement are found in folder order", arguments: 0..<60 as Range<UInt64>)
  func differences(seed: UInt64) {
    var random = SplitMix64(state: seed)
    let words: [String?] = [nil, "1", "2"]
    let rows = (0..<(seed == 0 ? 5_000 : 60)).map { number in
      Row(
        ["a/\(number)", "b\(number)", "a/b/\(number)", "\(number)"].randomElement(using: &random) ?? "",
        words.randomElement(using: &random) ?? nil, words.randomElement(using: &random) ?? nil,
        words.randomElement(using: &random) ?? nil)
    }
    let unequal = rows.filter { !($0.local == $0.base && $0.remote == $0.base) }
    let scan = scan(rows)
    let differences = scan.differences()
    #expect(differences.map { scan.path(of: $0) } == unequal.map { path($0.path) }.sorted())
    let byPath = Dictionary(uniqueKeysWithValues: rows.map { (path($0.path), $0) })
    for difference in differences {
      let row = byPath[scan.path(of: difference)]
      #expect(scan.baseDigest(of: difference) == row?.base.map(digest))
      #expect(scan.state(of: difference, on: .local) == row?.local.map { .present(digest($0)) } ?? .absent)
      #expect(scan.state(of: difference, on: .remote) == row?.remote.map { .present(digest($0)) } ?? .absent)
      #expect(scan.entry(of: difference, on: .local)?.digest == row?.local.map(digest))
      #expect(scan.entry(of: difference, on: .remote)?.revision == row?.remote.map { Revision($0) })
    }
  }

  @Test("each path is decided separately, by the table of nine cases")
  func table() {
    let (x, y, z) = (FileState.present(digest("x")), FileState.present(digest("y")), FileState.present(digest("z")))
    let rows: [(Digest?, FileState, FileState, Decision)] = [
      (digest("x"), x, x, .agree), (digest("x"), y, x, .copy(to: .remote)), (digest("x"), x, y, .copy(to: .local)),
      (digest("x"), .absent, x, .remove(from: .remote)), (digest("x"), x, .absent, .remove(from: .local)),
      (digest("x"), .absent, .absent, .forget), (digest("x"), y, .absent, .copy(to: .remote)),
      (digest("x"), .absent, y, .copy(to: .local)), (digest("x"), y, z, .merge), (digest("x"), y, y, .agree),
      (nil, x, .absent, .copy(to: .remote)), (nil, .absent, x, .copy(to: .local)), (nil, x, x, .agree),
      (nil, x, y, .merge), (nil, .absent, .absent, .leave),
    ]
    for (base, local, remote, decision) in rows {
      #expect(Decision.decide(base: base, local: local, remote: remote) == decision)
    }
  }

  @Test(
    "a content that each side has under a name that the other has given up stays at the first path",
    arguments: [
      (others: [Row](), isLast: true), (others: [Row("c", "1", "1", "1")], isLast: false),
      (others: [Row("c", nil, "1", nil)], isLast: false), (others: [Row("c", nil, nil, "1")], isLast: false),
      (others: [Row("c", "2", "1", "2")], isLast: false),
    ])
  func lastCopies(others: [Row], isLast: Bool) {
    let table = plan([Row("a", "1", nil, "1"), Row("b", "1", "1", nil)] + others).table
    #expect(table["a"] == (isLast ? .copy(to: .local) : .remove(from: .remote)))
    #expect(table["b"] == .remove(from: .local))
  }

  @Test("of several last copies, one is kept")
  func oneOfSeveralCopies() {
    let rows = [Row("a", "1", nil, "1"), Row("b", "1", nil, "1"), Row("c", "1", "1", nil)]
    #expect(
      plan(rows).table == ["a": .copy(to: .local), "b": .remove(from: .remote), "c": .remove(from: .local)])
  }

  @Test("a path that is unknown on either side is left unchanged", arguments: [nil, "x"])
  func unknown(base: String?) {
    for state in [FileState.unknown, .absent, .present(digest("x")), .present(digest("y"))] {
      #expect(Decision.decide(base: base.map(digest), local: .unknown, remote: state) == .leave)
      #expect(Decision.decide(base: base.map(digest), local: state, remote: .unknown) == .leave)
    }
  }

  @Test("excluded files are forgotten, and none is deleted")
  func filter() {
    let plan = plan([Row("a.org", "1", nil, nil), Row("a.txt", "1", nil, nil)], filter: PathFilter(include: ["*.org"]))
    #expect(plan.table == ["a.org": .forget, "a.txt": .forget])
  }

  // MARK: Renames

  @Test("a rename is a removal and a new file")
  func rename() {
    let plan = plan([Row("old", "1", nil, "1"), Row("new", nil, "1", nil)])
    #expect(plan.table == ["old": .remove(from: .remote), "new": .copy(to: .remote)])
  }

  @Test("two edits do not follow to one name, where the second would replace the first")
  func twoToOne() {
    let rows = [Row("x", "1", "2", nil), Row("y", nil, nil, "1"), Row("z", "2", "1", nil)]
    #expect(plan(rows).table == ["x": .copy(to: .remote), "y": .copy(to: .local), "z": .copy(to: .remote)])
    let mirrored = rows.map { Row($0.path, $0.base, $0.remote, $0.local) }
    #expect(plan(mirrored).table == ["x": .copy(to: .local), "y": .copy(to: .remote), "z": .copy(to: .local)])
  }

  @Test("an edit follows a rename by the other side")
  func follow() {
    let plan = plan([Row("old", "1", nil, "2"), Row("new", nil, "1", nil)])
    #expect(plan.table == ["old": .remove(from: .remote), "new": .follow(on: .local)])
    let mirrored = SyncKitTests.plan([Row("old", "1", "2", nil), Row("new", nil, nil, "1")])
    #expect(mirrored.table == ["old": .remove(from: .local), "new": .follow(on: .remote)])
  }

  @Test(
    "an edit that has partly followed a rename continues to follow it",
    arguments: [("1", "2"), ("2", "2"), ("2", nil)] as [(String, String?)])
  func followsOn(local: String, remote: String?) {
    let change = IntendedChange(
      path: path("new"), target: digest("2"), ancestor: nil, local: .content(digest("1")), remote: .absent)
    let plan = plan([Row("old", "1", nil, "2"), Row("new", nil, local, remote)], intended: [change])
    #expect(plan.table == ["old": .remove(from: .remote), "new": .follow(on: .local)])
  }

  @Test(
    "an edit stays in place if the rename is uncertain, or its new name is taken",
    arguments: [
      [Row("old", "1", nil, "2"), Row("new", nil, "1", nil), Row("new2", nil, "1", nil)],
      [Row("old", "1", nil, "2"), Row("older", "1", nil, "3"), Row("new", nil, "1", nil)],
      [Row("old", "1", nil, "2"), Row("new", nil, "1", "3")],
      [Row("old", "1", nil, "2"), Row("new", nil, "1", "2")],
      [Row("old", "1", nil, "2"), Row("new", nil, "2", "2")],
      [Row("old", "1", nil, "2"), Row("new", "0", "1", "0")],
      [Row("old", "", nil, "2"), Row("new", nil, "", nil)],
      [Row("old", "1", nil, "2"), Row("new", nil, "9", nil)],
      [Row("old", "1", nil, "2"), Row("old/new", nil, "1", nil)],
      [Row("old/x", "1", nil, "2"), Row("old", nil, "1", nil)],
    ])
  func noFollow(rows: [Row]) {
    let plan = plan(rows)
    #expect(!plan.decisions.contains { if case .follow = $0 { true } else { false } })
    #expect(plan.origins.isEmpty)
    #expect(plan.table[rows[0].path] == .copy(to: .local) || plan.table[rows[0].path] == .setAside(on: .remote))
  }

  @Test("an edit does not follow to a name that its side cannot hold")
  func followObjection() {
    let rows = [Row("old", "1", nil, "2"), Row("a:b", nil, "1", nil)]
    let plan = plan(rows, remote: NamingRules(forbiddenBytes: [0x3A]))
    #expect(plan.table == ["old": .copy(to: .local), "a:b": .copy(to: .remote)])
    #expect(plan.refused == ["a:b"])
    let folding = SyncKitTests.plan(
      [Row("a.org", "1", nil, "2"), Row("A.org", nil, "1", nil)], remote: NamingRules(foldsCase: true))
    #expect(folding.table["a.org"] == .copy(to: .local))
  }

  // MARK: Files against folders

  @Test("a file is not moved for a folder whose files may all be removed")
  func undecidedClash() {
    let rows = [Row("x", nil, nil, "2"), Row("x/a", "1", "1", "?")]
    let plan = plan(rows)
    #expect(plan.table == ["x": .copy(to: .local), "x/a": .leave] && plan.refused == ["x"])
    let certain = SyncKitTests.plan(rows + [Row("x/b", nil, "3", nil)])
    #expect(certain.table["x"] == .setAside(on: .remote))
  }

  @Test("a folder keeps its name if the other side has a file of that name")
  func clash() {
    let new = plan([Row("x", nil, "1", nil), Row("x/a", nil, nil, "2")])
    #expect(new.table == ["x": .setAside(on: .local), "x/a": .copy(to: .local)])
    let edited = plan([Row("x", "0", "1", nil), Row("x/a", nil, nil, "2")])
    #expect(edited.table == ["x": .setAside(on: .local), "x/a": .copy(to: .local)])
    let other = plan([Row("x/deep/a", nil, "2", nil), Row("x", nil, nil, "1")])
    #expect(other.table == ["x": .setAside(on: .remote), "x/deep/a": .copy(to: .remote)])
  }

  @Test("a file that became a folder, or a folder that became a file, is not a conflict")
  func turned() {
    #expect(
      plan([Row("x", "1", nil, "1"), Row("x/a", nil, "2", nil)]).table
        == ["x": .remove(from: .remote), "x/a": .copy(to: .remote)])
    #expect(
      plan([Row("x/a", "1", nil, "1"), Row("x", nil, "2", nil)]).table
        == ["x/a": .remove(from: .remote), "x": .copy(to: .remote)])
  }

  @Test("an edit inside a folder that became a file keeps the folder")
  func turnedAndEdited() {
    #expect(
      plan([Row("x/a", "1", nil, "3"), Row("x", nil, "2", nil)]).table
        == ["x/a": .copy(to: .local), "x": .setAside(on: .local)])
  }

  // MARK: Names

  @Test("of names that a side treats as equal, only the first is copied to it")
  func twins() {
    let rows = [Row("A.org", nil, "1", nil), Row("a.org", nil, "2", nil)]
    #expect(plan(rows).refused.isEmpty)
    #expect(plan(rows, remote: NamingRules(foldsCase: true)).refused == ["a.org"])
    #expect(plan(rows, local: NamingRules(foldsCase: true)).refused.isEmpty)
    let agreed = [Row("a.org", "2", "2", "2"), Row("A.org", nil, "1", nil)]
    #expect(plan(agreed, remote: NamingRules(foldsCase: true)).refused == ["A.org"])
    let forms = [Row("\u{E9}", "2", "2", "2"), Row("e\u{301}", nil, "1", nil)]
    #expect(plan(forms, remote: NamingRules(foldsUnicode: true)).refused == ["e\u{301}"])
  }

  @Test("folders can also have names that a side treats as equal")
  func folderTwins() {
    let rows = [Row("dir/b", "2", "2", "2"), Row("DIR/c", nil, "1", nil), Row("dir/d", nil, "1", nil)]
    #expect(plan(rows, remote: NamingRules(foldsCase: true)).refused == ["DIR/c"])
    let mixed = [Row("dir/b", "2", "2", "2"), Row("DIR", nil, "1", nil)]
    #expect(plan(mixed, remote: NamingRules(foldsCase: true)).refused == ["DIR"])
  }

  @Test("a rename that changes only letter case is copied, also to a side that folds case")
  func caseOnly() {
    let plan = plan([Row("a.org", "1", nil, "1"), Row("A.org", nil, "1", nil)], remote: NamingRules(foldsCase: true))
    #expect(plan.table == ["a.org": .remove(from: .remote), "A.org": .copy(to: .remote)])
    #expect(plan.refused.isEmpty)
  }

  @Test("a name that a side cannot hold is refused only on that side")
  func names() {
    let rules = NamingRules(maximumNameLength: 4, forbiddenBytes: [0x3A])
    let rows = [Row("a:b", nil, "1", nil), Row("12345", nil, "1", nil), Row("1234", nil, "1", nil)]
    #expect(plan(rows, remote: rules).refused == ["a:b", "12345"])
    #expect(plan(rows, local: rules).refused.isEmpty)
  }
}
