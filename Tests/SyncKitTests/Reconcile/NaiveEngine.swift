/// An engine for tiny states, as simple as possible, with bugs that can be enabled: without them the oracle must accept every
/// end, and with each of them it must reject at least one.
struct NaiveEngine: Sendable {
  enum Mistake: CaseIterable, Sendable {
    case dropsTheLoser, deletionsWin, believesEmptyBases, doublesEqualEdits, localWins, forgetsHistory
    case losesFollowedEdits, bringsDeletedBack, leavesOneSideBehind, removesLastCopies
  }

  var mistake: Mistake?
  var followsRenames = false

  func end(of state: TinyState) -> TinyEnd {
    var state = state
    if followsRenames || mistake == .losesFollowedEdits { follow(in: &state) }
    var end = TinyEnd(local: [], remote: [])
    for path in 0..<TinyState.paths { settle(path, of: state, in: &end) }
    if mistake != .removesLastCopies { keepLastCopies(of: state, in: &end) }
    end.localCopies.sort()
    end.remoteCopies = end.localCopies
    if mistake != .forgetsHistory { end.history = Set(state.base + state.local + state.remote).subtracting([0]) }
    if mistake == .leavesOneSideBehind { end.remote = state.remote }
    return end
  }

  private func settle(_ path: Int, of state: TinyState, in end: inout TinyEnd) {
    let (base, local, remote) = (state.base[path], state.local[path], state.remote[path])
    let content: UInt8
    switch (local, remote) {
    case _ where local == remote:
      content = local
      if mistake == .doublesEqualEdits, local != base, local != 0 { end.localCopies.append(local) }
    case (0, _) where mistake == .believesEmptyBases && base == 0: content = 0
    case (0, base), (base, 0): content = mistake == .bringsDeletedBack ? base : 0
    case (base, _): content = remote
    case (_, base): content = local
    case (0, _), (_, 0): content = mistake == .deletionsWin ? 0 : max(local, remote)
    default:
      content = mistake == .localWins ? local : max(local, remote)
      if mistake != .dropsTheLoser { end.localCopies.append(local == content ? remote : local) }
    }
    end.local.append(content)
    end.remote.append(content)
  }

  /// Keeps a content that each side has at a path that the other has given up, if it would be nowhere.
  private func keepLastCopies(of state: TinyState, in end: inout TinyEnd) {
    for content in UInt8(1)...3 where !end.local.contains(content) && !end.localCopies.contains(content) {
      let paths = (0..<TinyState.paths).filter { path in
        state.base[path] == content && [state.local[path], state.remote[path]].sorted() == [0, content]
      }
      guard let first = paths.first, Set(paths.map { state.local[$0] }).count == 2 else { continue }
      end.local[first] = content
      end.remote[first] = content
    }
  }

  /// Applies each edit to the path to which the other side has moved the file.
  private func follow(in state: inout TinyState) {
    let original = state
    for from in 0..<TinyState.paths where original.base[from] != 0 {
      follow(from, original, &state, mover: \.local, editor: \.remote)
      follow(from, original, &state, mover: \.remote, editor: \.local)
    }
  }

  private typealias Side = WritableKeyPath<TinyState, TinyState.Files>

  private func follow(_ from: Int, _ original: TinyState, _ state: inout TinyState, mover: Side, editor: Side) {
    let (moved, edited, base) = (original[keyPath: mover], original[keyPath: editor], original.base)
    guard moved[from] == 0, edited[from] != 0, edited[from] != base[from] else { return }
    for to in 0..<TinyState.paths where base[to] == 0 && edited[to] == 0 && moved[to] == base[from] {
      // Another edit may have been applied there before.
      guard state[keyPath: mover][to] == base[from] else { continue }
      state[keyPath: editor][from] = 0
      state[keyPath: mover][to] = mistake == .losesFollowedEdits ? base[from] : edited[from]
      return
    }
  }
}
