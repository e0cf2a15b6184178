import SyncKit
import SyncKitTesting

/// One sequence of rounds: both people edit, passes run, and both sides are compared byte by byte with what is expected.
struct EverydayBench {
  struct Outcome: Sendable {
    var tally: EditTally
    /// The first difference; nil if there is none.
    var problem: String?
  }

  private let seed: UInt64
  private let pair: MatchedPair
  private var world: EverydayWorld
  /// The markers and lines that the remote may have had, and the names of its files.
  private var allowedMarkers: Set<Int> = []
  private var allowedLines: Set<[UInt8]> = []
  private var allowedNames: Set<String> = []

  /// Files at home that no edit concerns. The first one is also on the remote, because a side without any file is a hold.
  private static let others: [String: [UInt8]] = [
    "keep.org": "* Keep :mobile:\n", "photo-k8000001.jpg": "k8000002", "k8000003.org.gpg": "* k8000004 :mobile:\n",
    "setup-k8000005.org": "#+SETUPFILE: k8000006\n* k8000007 :mobile:\n",
  ].mapValues { Array($0.utf8) }

  init(seed: UInt64) throws {
    self.seed = seed
    world = EverydayWorld(seed: seed)
    pair = try MatchedPair(isFirm: seed % 3 != 0)
  }

  mutating func run(edits count: Int) async -> Outcome {
    await pair.set(world.home.texts.merging(Self.others) { $1 }, in: pair.store)
    allow(Self.withKept(world.away.texts))
    var problem = described(await difference(await settle()), "the first pass")
    while problem == nil, world.tally.total < count {
      problem = await round(count: count - world.tally.total, plan())
    }
    return Outcome(tally: world.tally, problem: problem)
  }

  // MARK: Rounds

  /// How a round goes.
  private struct Plan {
    var sides: [Side]
    /// True if the process dies at a commit of the first pass.
    var isKilled: Bool
    /// The side whose edits are made while the first pass runs, before it writes to this side.
    var late: Side?
    /// The number of the commit at which the process dies.
    var commit: Int
  }

  private mutating func plan() -> Plan {
    let sides: [Side] =
      [[.local], [.remote], [.local, .remote], [.local, .remote]].randomElement(using: &world.random) ?? []
    let isLate = sides.count == 2 && world.chance(4)
    return Plan(
      sides: sides, isKilled: !isLate && world.chance(4),
      late: isLate ? sides.randomElement(using: &world.random) : nil,
      commit: Int.random(in: 1...4, using: &world.random))
  }

  /// Makes at most `count` edits, runs passes, and returns the first difference from what is expected.
  private mutating func round(count: Int, _ plan: Plan) async -> String? {
    let before = world.home.texts
    var left = count
    for side in plan.sides {
      for _ in 0..<min(left, Int.random(in: 2...8, using: &world.random)) where world.edit(side) { left -= 1 }
    }
    world.settleEndings()
    let (home, away) = (world.home.texts.merging(Self.others) { $1 }, Self.withKept(world.awayTexts))
    allow(world.home.selected().texts)
    allow(away)
    // A file of which the remote has something now has the settings of the whole file.
    for file in world.truth.selected().files.values { allowedLines.formUnion(file.settings.map { Array($0.utf8) }) }
    await put(home, away, plan)
    let report = await settle()
    let story = "\(plan): \(world.story)\n\(report.actions)"
    let problem = await difference(report)
    world.beginRound()
    return described(problem, story, before, home, away)
  }

  private func described(_ problem: Problem?, _ story: String, _ files: [String: [UInt8]]...) -> String? {
    guard let problem else { return nil }
    let versions = zip(["before", "home", "away"], files).map { "--- \($0)\n\(Self.text($1[problem.file]))" }
    return "\(problem.text)\nseed \(seed), \(world.tally.total) edits, \(story)\n\(versions.joined(separator: "\n"))"
  }

  private static func withKept(_ files: [String: [UInt8]]) -> [String: [UInt8]] {
    files.merging(others.filter { $0.key == "keep.org" }) { $1 }
  }

  /// Writes the edited files before the first pass, or while it runs.
  private func put(_ home: [String: [UInt8]], _ away: [String: [UInt8]], _ plan: Plan) async {
    let pair = pair
    if plan.late != .local { await pair.set(home, in: pair.store) }
    if plan.late != .remote { await pair.set(away, in: pair.remote) }
    switch plan.late {
    case .local: await pair.runInterrupted(on: .local) { await pair.set(home, in: pair.store) }
    case .remote: await pair.runInterrupted(on: .remote) { await pair.set(away, in: pair.remote) }
    case nil: if plan.isKilled { await pair.runUntilKilled(at: plan.commit) }
    }
  }

  /// Runs passes until none has anything to do.
  private func settle() async -> PassReport {
    var report = await pair.run()
    for _ in 0..<4 where report.didSomething { report = await pair.run() }
    return report
  }

  // MARK: Judging

  private struct Problem {
    var text: String
    var file: String
  }

  private mutating func allow(_ texts: [String: [UInt8]]) {
    for (name, bytes) in texts {
      allowedNames.insert(name)
      allowedMarkers.formUnion(Marker.numbers(in: Array(name.utf8)))
      allowedMarkers.formUnion(Marker.numbers(in: bytes))
      allowedLines.formUnion(Self.lines(of: bytes))
    }
  }

  /// The lines of a file without stars, which depend on what is above an entry, and without their ends.
  private static func lines(of bytes: [UInt8]) -> [[UInt8]] {
    bytes.split { $0 == 10 || $0 == 13 }.map { Array($0.drop { $0 == UInt8(ascii: "*") }) }
  }

  private func difference(_ report: PassReport) async -> Problem? {
    guard report.failure == nil, report.hold == nil, report.counts.failed + report.counts.waiting == 0,
      !report.didSomething
    else {
      let text = "the passes do not end well: \(String(describing: report.failure)), \(report.counts)"
      return Problem(text: text, file: report.actions.first.map { "\($0.path)" } ?? "")
    }
    if let leak = leak() { return leak }
    let home = world.truth.texts.merging(Self.others) { $1 }
    if let problem = Self.difference("home", await pair.bytes(pair.store), home) { return problem }
    return Self.difference("the remote", await pair.bytes(pair.remote), Self.withKept(world.truth.selected().texts))
  }

  /// Looks in everything that was written to the remote since the last look for what it must never have.
  private func leak() -> Problem? {
    for (name, bytes) in pair.takeWritten() {
      let markers = Marker.numbers(in: Array(name.utf8)).union(Marker.numbers(in: bytes))
      if !markers.isSubset(of: allowedMarkers) {
        return Problem(text: "private text was in the remote: \(markers.subtracting(allowedMarkers))", file: name)
      }
      if !allowedNames.contains(name) { return Problem(text: "a private name was in the remote", file: name) }
      if let line = Self.lines(of: bytes).first(where: { !allowedLines.contains($0) }) {
        return Problem(
          text: "a line of neither side was in the remote: \(String(decoding: line, as: UTF8.self))", file: name)
      }
    }
    return nil
  }

  private static func difference(_ side: String, _ found: [String: [UInt8]], _ expected: [String: [UInt8]]) -> Problem?
  {
    for name in Set(found.keys).union(expected.keys).sorted() where found[name] != expected[name] {
      let text = "\(side) has another \(name)\n--- expected\n\(text(expected[name]))\n--- found\n\(text(found[name]))"
      return Problem(text: text, file: name)
    }
    return nil
  }

  private static func text(_ bytes: [UInt8]?) -> String {
    let visible = bytes?.flatMap { $0 == 13 ? Array("<CR>".utf8) : [$0] }
    return visible.map { String(decoding: $0, as: UTF8.self) } ?? "no file"
  }
}
