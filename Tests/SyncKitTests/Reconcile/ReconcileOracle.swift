/// The allowed ends of a tiny state, derived only from the promises (P1, P3, P5 and P6 of the reliability page).
///
/// It was written independently of the engine, and as simply as possible: it lists every end that the promises allow and checks
/// that the end is one of them.
enum ReconcileOracle {
  /// Returns the mistake in an end; nil if the promises allow it.
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

  /// An allowed end: the contents of the paths, and the versions that lost their name to another one.
  struct Outcome: Equatable {
    var files: TinyState.Files
    var displacedByConflict: [UInt8] = []

    func allows(_ end: TinyEnd, live: Set<UInt8>) -> Bool {
      guard files == end.local, live.isSuperset(of: displacedByConflict) else { return false }
      // Only the losers of conflicts get another name, and each at most once.
      var losers = displacedByConflict
      return end.localCopies.allSatisfy { copy in
        guard let index = losers.firstIndex(of: copy) else { return false }
        losers.remove(at: index)
        return true
      }
    }

    /// The allowed ends if this one would remove a content everywhere that each side still has at a path that the other has given
    /// up: the content stays at one of these paths.
    func keepingLastCopies(of state: TinyState, following renames: [Rename]) -> [Outcome] {
      (UInt8(1)...3).reduce([self]) { outcomes, content in
        guard !files.contains(content), !displacedByConflict.contains(content) else { return outcomes }
        let removals = (0..<TinyState.paths).filter { path in
          state.base[path] == content && !renames.contains { $0.from == path || $0.to == path }
        }
        let here = removals.filter { state.local[$0] == content && state.remote[$0] == 0 }
        let there = removals.filter { state.remote[$0] == content && state.local[$0] == 0 }
        guard !here.isEmpty, !there.isEmpty else { return outcomes }
        return outcomes.flatMap { outcome in
          (here + there).map { path in
            var outcome = outcome
            outcome.files[path] = content
            return outcome
          }
        }
      }
    }
  }

  /// All allowed ends: for every choice of followed renames, and of the version of a conflict that keeps the name.
  private static func outcomes(of state: TinyState) -> [Outcome] {
    followings(of: state).flatMap { renames in
      let outcomes = (0..<TinyState.paths).reduce([Outcome(files: [])]) { outcomes, path in
        outcomes.flatMap { outcome in
          choices(at: path, in: state, following: renames).map { choice in
            Outcome(
              files: outcome.files + [choice.content],
              displacedByConflict: outcome.displacedByConflict + choice.displaced)
          }
        }
      }
      return outcomes.flatMap { $0.keepingLastCopies(of: state, following: renames) }
    }
  }

  private typealias Choice = (content: UInt8, displaced: [UInt8])

  /// The allowed final contents of one path.
  private static func choices(at path: Int, in state: TinyState, following renames: [Rename]) -> [Choice] {
    if renames.contains(where: { $0.from == path }) { return [(0, [])] }
    if let rename = renames.first(where: { $0.to == path }) { return [(rename.edit, [])] }
    let (base, local, remote) = (state.base[path], state.local[path], state.remote[path])
    if local == remote { return [(local, [])] }
    if local == base { return [(remote, [])] }
    if remote == base { return [(local, [])] }
    // Both sides changed the path in different ways: an edit wins over a deletion, and two edits both survive.
    if local == 0 { return [(remote, [])] }
    if remote == 0 { return [(local, [])] }
    return [(local, [remote]), (remote, [local])]
  }

  /// A file that has another name on one side and another content on the other.
  struct Rename {
    var from: Int
    var to: Int
    var edit: UInt8
  }

  /// Every set of renames that may be followed together, including the empty one: following is allowed, not required.
  private static func followings(of state: TinyState) -> [[Rename]] {
    let renames = renames(in: state, on: \.local, \.remote) + renames(in: state, on: \.remote, \.local)
    return renames.reduce([[]]) { sets, rename in
      sets
        + sets.filter { set in
          set.allSatisfy { Set([$0.from, $0.to]).isDisjoint(with: [rename.from, rename.to]) }
        }.map { $0 + [rename] }
    }
  }

  /// A rename that a crash interrupted still counts as one: the edit may already be under the new name, on one side or on both.
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
