extension IntendedChange {
  /// Returns the last common content after a change whose result is not recorded. Pure.
  ///
  /// A side that was to be changed and has the target, or has other proof of the write, was changed. If only that side was to
  /// be changed, both had the target then. If the other side was to be changed as well but was not, its version descends from
  /// its former one. A version in the place of one that was to be removed may be a new file, which has no ancestor.
  ///
  /// - Parameters:
  ///   - agreed: the agreed content in the archive.
  ///   - written: the sides with proof of the write, whatever they have now.
  func base(agreed: Digest?, local: FileState, remote: FileState, written: Set<Side> = []) -> Digest? {
    guard local != remote else { return agreed }
    let changed = Side.allCases.filter { self[$0] != nil }
    let reached = changed.filter { ($0 == .local ? local : remote) == goal || written.contains($0) }
    guard let side = reached.first else {
      let isNew = mayBeNew(local, on: .local) || mayBeNew(remote, on: .remote)
      return isNew || isUndecided(local, remote) ? nil : ancestor
    }
    guard reached.count < changed.count else { return target }
    if case .content(let former)? = self[side.other] { return former }
    return ancestor
  }

  /// Returns true if a side that was to be changed has the target.
  func wasMade(local: FileState, remote: FileState) -> Bool {
    (self.local != nil && local == goal) || (self.remote != nil && remote == goal)
  }

  /// Returns true if a side has another version than the one that was to be removed.
  private func mayBeNew(_ state: FileState, on side: Side) -> Bool {
    guard target == nil, case .content(let former)? = self[side], case .present(let digest) = state else {
      return false
    }
    return digest != former
  }

  /// Returns true if both sides have changed since the intent: the one that had the target has another version, and the one that
  /// was to get it has neither that nor its former one. It is unknown if the latter is an edit of the target.
  private func isUndecided(_ local: FileState, _ remote: FileState) -> Bool {
    Side.allCases.contains { side in
      let (state, other) = side == .local ? (local, remote) : (remote, local)
      guard let former = self[side], self[side.other] == nil, other != goal else { return false }
      return state != FileState(former)
    }
  }

  private var goal: FileState { target.map(FileState.present) ?? .absent }

  /// The intent of `change`; nil if it changes nothing.
  init?(_ change: PathChange) {
    guard !change.changedSides.isEmpty else { return nil }
    self.init(
      path: change.path, target: change.target?.digest, ancestor: change.ancestor, local: change.former(on: .local),
      remote: change.former(on: .remote), conflict: change.conflict)
  }
}

extension PathChange {
  /// The content of a side before the change; nil if the side is not changed.
  fileprivate func former(on side: Side) -> IntendedChange.Former? {
    guard case .changes(let entry) = self[side] else { return nil }
    return entry?.digest.map(IntendedChange.Former.content) ?? .absent
  }
}

extension FileState {
  fileprivate init(_ former: IntendedChange.Former) {
    switch former {
    case .absent: self = .absent
    case .content(let digest): self = .present(digest)
    }
  }
}
