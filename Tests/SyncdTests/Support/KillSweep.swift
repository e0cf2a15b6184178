import Foundation
import ProgramTesting
import Testing

/// Two sides with different changes, and a pass between them that is killed at one failpoint after the other. The test defines
/// the remote.
struct KillSweep {
  let sandbox: Sandbox
  /// Restores both sides and the state to the beginning of the pass.
  let reset: () throws -> Void

  /// Writes the initial common files of both sides into the store.
  static func agree(_ sandbox: Sandbox) throws {
    var agreed = Dictionary(uniqueKeysWithValues: (0..<9).map { ("org/other\($0).org", "* Other \($0)\n") })
    agreed.merge([
      "org/merged.org": "* A\none\n* B\ntwo\n", "org/mine.org": "* Mine\n", "org/theirs.org": "* Theirs\n",
      "org/gone.org": "* Gone\n", "org/vanished.org": "* Vanished\n", "org/old.org": "* Old\ntext\n",
    ]) { $1 }
    try sandbox.write(agreed)
  }

  /// New, changed and removed files in the folder `far`.
  static func edit(far: String, _ sandbox: Sandbox) throws {
    try sandbox.write([
      "\(far)/merged.org": "* A\none\n* B\nTWO\n", "\(far)/theirs.org": "* Theirs\nedited\n",
      "\(far)/arrived/x.org": "* X\n",
    ])
    try sandbox.remove("\(far)/vanished.org")
  }

  /// New, changed, removed and renamed files in the store.
  static func editStore(_ sandbox: Sandbox) throws {
    try sandbox.write([
      "org/merged.org": "* A\nONE\n* B\ntwo\n", "org/mine.org": "* Mine\nedited\n", "org/new/y.org": "* Y\n",
    ])
    try sandbox.remove("org/gone.org")
    try sandbox.move("org/old.org", "org/renamed/old.org")
  }

  /// Kills passes at this part of the failpoints; each time one or two passes must finish the work, and the store is checked.
  ///
  /// - Parameters:
  ///   - sample: The number of failpoints in a normal run; with `SYNCD_SOAK=1` it is two hundred.
  ///   - check: Checks the remote; it gets the expected store, and a comment.
  func run(part: Int, of parts: Int, sample: Int, _ check: (Tree, String) throws -> Void) throws {
    try sandbox.once()
    let expected = sandbox.store
    let places = try Self.count { try isKilled(at: $0) }
    let chosen = stride(from: 1, through: places, by: max(1, places / (isSoak ? 200 : sample)))
    var killed = 0
    for (index, place) in chosen.enumerated() where index % parts == part {
      #expect(try isKilled(at: place), "place \(place)")
      var outcome = try sandbox.syncd("--once")
      if outcome.status != 0 { outcome = try sandbox.syncd("--once") }
      #expect(outcome.status == 0, "place \(place)\n\(outcome.story)")
      #expect(sandbox.store == expected, "place \(place)")
      try check(expected, "place \(place)")
      killed += 1
    }
    print("*** killed at \(killed) of \(places) places of a pass ***")
  }

  private func isKilled(at place: Int) throws -> Bool {
    try reset()
    return try sandbox.syncd("--once", environment: ["SYNCD_FAILPOINTS": "*=kill@nth(\(place))"]).status == 137
  }

  /// The number of failpoints that an undisturbed pass reaches; the pass can be killed at each of them, and at none after them.
  static func count(_ isKilled: (Int) throws -> Bool) throws -> Int {
    var (low, high) = (0, 64)
    while try isKilled(high) { (low, high) = (high, high * 2) }
    while high - low > 1 {
      let middle = (low + high) / 2
      if try isKilled(middle) { low = middle } else { high = middle }
    }
    return low
  }
}
