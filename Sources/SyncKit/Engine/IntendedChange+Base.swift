extension IntendedChange {
  /// Returns the last common content after a change whose result is not recorded. Pure.
  ///
  /// A side was written if it has the target, is recorded as written, or has other proof of it. If all were, the target was common.
  /// If one of two was, the other one descends from what it held before, and the target includes that. If none was, the files
  /// are as the decision saw them, and so is their ancestor; but if a side stood as the target, which includes the former version
  /// of the other one, that version counts. So does the version at the old path of a renamed file once the target, which includes
  /// it, is at the new path.
  ///
  /// A side in doubt may have been written and edited since. It counts as not written, unless it may be a new file, or the other
  /// side was edited as well: then both are merged without a base.
  ///
  /// - Parameters:
  ///   - agreed: the agreed content in the archive.
  ///   - written: the sides with proof of the write, whatever they have now.
  ///   - isAtNewPath: true if a side has or had the target at `newPath`.
  func base(
    agreed: Digest?, local: FileState, remote: FileState, written: Set<Side> = [], isAtNewPath: Bool = false
  ) -> Digest? {
    guard local != remote else { return agreed }
    let state = { (side: Side) in side == .local ? local : remote }
    let changed = Side.allCases.filter { self[$0] != nil }
    let unmade = changed.filter { state($0) != goal && !self.written.contains($0) && !written.contains($0) }
    guard let side = unmade.first else { return target }
    if unmade.count < changed.count { return former(side) }
    let doubtful = unmade.filter { !isUntouched($0, state($0)) }
    if doubtful.contains(where: { mayBeNew(state($0), on: $0) }) { return nil }
    if !doubtful.isEmpty, isUndecided(local, remote) { return nil }
    return unmade.count == 1 && (targetIncludesFormer || isAtNewPath) ? former(side) : ancestor
  }

  /// Returns true if a side's version certainly descends from its former one.
  private func isUntouched(_ side: Side, _ state: FileState) -> Bool {
    !begun.contains(side) || self[side].map(FileState.init) == state
  }

  /// The content of a side before the change; the ancestor if it had no file.
  private func former(_ side: Side) -> Digest? {
    if case .content(let former)? = self[side] { former } else { ancestor }
  }

  /// False if the version that is replaced or removed goes to another name: a conflict copy, or a renamed file.
  private var targetIncludesFormer: Bool { target != nil && conflict?.copy == nil }

  /// Returns true if a side that was to be changed has or had the target.
  func wasMade(local: FileState, remote: FileState) -> Bool {
    !written.isEmpty || (self.local != nil && local == goal) || (self.remote != nil && remote == goal)
  }

  /// Returns the change with what the present versions show: which sides have the target, and which still have their former
  /// version.
  func observed(local: FileState, remote: FileState, written proved: Set<Side>) -> IntendedChange {
    var change = self
    for (side, state) in [(Side.local, local), (.remote, remote)] where self[side] != nil {
      if state == goal || proved.contains(side) { change.written.insert(side) }
      if !change.written.contains(side), self[side].map(FileState.init) == state { change.begun.remove(side) }
    }
    return change
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

  /// The intent of `change`; nil if it changes no content.
  init?(_ change: PathChange) {
    guard Side.allCases.contains(where: { change.former(on: $0) != nil }) else { return nil }
    self.init(
      path: change.path, target: change.target?.digest, ancestor: change.ancestor, local: change.former(on: .local),
      remote: change.former(on: .remote), conflict: change.conflict)
    if conflict == nil { newPath = change.after }
  }
}

extension PathChange {
  /// The content of a side before the change; nil if it stays the same.
  fileprivate func former(on side: Side) -> IntendedChange.Former? {
    guard case .changes(let entry) = self[side] else { return nil }
    if let digest = entry?.digest, digest == target?.digest { return nil }
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
