/// What may become of a tiny state, by the promises alone (P1, P3, P5 and P6 of the reliability page).
///
/// It is written without looking at the engine, and as plainly as can be: it lists every end that the promises allow and
/// checks that the end is one of them.
enum ReconcileOracle {
  /// What is wrong with an end, or nil if the promises allow it.
  static func objection(to end: TinyEnd, of state: TinyState) -> String? {
    guard end.local == end.remote, end.localCopies == end.remoteCopies else { return "the sides differ (P6)" }
    let live = Set(end.local + end.localCopies)
    let lost = Set(state.local + state.remote).subtracting(live).subtracting(end.history).subtracting([0])
    guard lost.isEmpty else { return "\(lost.sorted()) are lost (P1)" }
    guard outcomes(of: state).contains(where: { $0.allows(end, live: live) }) else {
      return "the paths hold what no rule puts there, or a version of a conflict is not live (P3, P5)"
    }
    return nil
  }

  /// An end that is allowed: what the paths hold, and which versions lost their name to another one.
  struct Outcome: Equatable {
    var files: TinyState.Files
    var displacedByConflict: [UInt8] = []

    func allows(_ end: TinyEnd, live: Set<UInt8>) -> Bool {
      guard files == end.local, live.isSuperset(of: displacedByConflict) else { return false }
      // Nothing but the losers of conflicts gets another name, and each at most once.
      var losers = displacedByConflict
      return end.localCopies.allSatisfy { copy in
        guard let index = losers.firstIndex(of: copy) else { return false }
        losers.remove(at: index)
        return true
      }
    }
  }

  /// Every end that is allowed: whichever renames are followed, and whichever version of a conflict keeps the name.
  private static func outcomes(of state: TinyState) -> [Outcome] {
    followings(of: state).flatMap { renames in
      (0..<TinyState.paths).reduce([Outcome(files: [])]) { outcomes, path in
        outcomes.flatMap { outcome in
          choices(at: path, in: state, following: renames).map { choice in
            Outcome(
              files: outcome.files + [choice.content],
              displacedByConflict: outcome.displacedByConflict + choice.displaced)
          }
        }
      }
    }
  }

  private typealias Choice = (content: UInt8, displaced: [UInt8])

  /// What one path may hold in the end.
  private static func choices(at path: Int, in state: TinyState, following renames: [Rename]) -> [Choice] {
    if renames.contains(where: { $0.from == path }) { return [(0, [])] }
    if let rename = renames.first(where: { $0.to == path }) { return [(rename.edit, [])] }
    let (base, local, remote) = (state.base[path], state.local[path], state.remote[path])
    if local == remote { return [(local, [])] }
    if local == base { return [(remote, [])] }
    if remote == base { return [(local, [])] }
    // From here on both sides changed the path, in different ways: an edit wins over a deletion, and two both survive.
    if local == 0 { return [(remote, [])] }
    if remote == 0 { return [(local, [])] }
    return [(local, [remote]), (remote, [local])]
  }

  /// A file that has another name on one side and another content on the other.
  private struct Rename {
    var from: Int
    var to: Int
    var edit: UInt8
  }

  /// Every set of renames that may be followed together, the empty one included: following is allowed, not required.
  private static func followings(of state: TinyState) -> [[Rename]] {
    let renames = renames(in: state, on: \.local, \.remote) + renames(in: state, on: \.remote, \.local)
    return renames.reduce([[]]) { sets, rename in
      sets
        + sets.filter { set in
          set.allSatisfy { Set([$0.from, $0.to]).isDisjoint(with: [rename.from, rename.to]) }
        }.map { $0 + [rename] }
    }
  }

  /// What a crash left half-way counts as the rename that it was: the edit may stand under the new name already, on one
  /// side or on both.
  private static func renames(
    in state: TinyState, on side: KeyPath<TinyState, TinyState.Files>, _ other: KeyPath<TinyState, TinyState.Files>
  ) -> [Rename] {
    let (here, there) = (state[keyPath: side], state[keyPath: other])
    var renames: [Rename] = []
    for from in 0..<TinyState.paths where state.base[from] != 0 && here[from] == 0 {
      guard there[from] != 0, there[from] != state.base[from] else { continue }
      for to in 0..<TinyState.paths where state.base[to] == 0 {
        guard [state.base[from], there[from]].contains(here[to]), [0, there[from]].contains(there[to]) else { continue }
        renames.append(Rename(from: from, to: to, edit: there[from]))
      }
    }
    return renames
  }
}
