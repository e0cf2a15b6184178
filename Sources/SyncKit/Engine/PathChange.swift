/// The changes of one path in a plan: what each side has and must have.
struct PathChange: Sendable {
  var path: SyncPath
  /// The last common content; nil if there is none.
  var ancestor: Digest?
  /// The content that both sides must have; nil for none.
  var target: Target?
  var local: Step
  var remote: Step
  /// The kind of action in the report; nil for changes that are not reported, such as recording equal files.
  var kind: Action.Kind?
  var detail = ""
  /// The conflict that is open after the change.
  var conflict: OpenConflict?
  /// A deletion that counts towards the limit, or that a user approved.
  var loss: HeldItem?
  /// The denied deletion that this reverses.
  var denied: HeldItem?
  /// The path whose changes must be made on both sides first, because it keeps a version that this one removes.
  var after: SyncPath?

  struct Target: Hashable, Sendable {
    var digest: Digest
    var size: Int
    var modified: Timestamp?
    /// The source of the content if the archive does not have it.
    var source: Source?
  }

  struct Source: Hashable, Sendable {
    var side: Side
    var path: SyncPath
    var revision: Revision
  }

  /// The change of one side.
  enum Step: Hashable, Sendable {
    /// The side is as planned, with its revision; nil if the file does not exist.
    case stands(Revision?)
    /// A version is replaced or removed, or a new file is written.
    case changes(from: Entry?)
  }

  subscript(side: Side) -> Step {
    get { side == .local ? local : remote }
    set { if side == .local { local = newValue } else { remote = newValue } }
  }

  /// The sides that are changed.
  var changedSides: [Side] {
    Side.allCases.filter { if case .changes = self[$0] { true } else { false } }
  }

  /// Returns true if a side must be changed; a missing file need not be removed.
  func hasSomethingToDo(on side: Side) -> Bool {
    if case .changes(let entry) = self[side] { entry != nil || target != nil } else { false }
  }

  /// The version that is replaced on `side`, with its digest.
  func displaced(on side: Side) -> Entry? {
    if case .changes(let entry) = self[side] { entry } else { nil }
  }

  /// Writes the target to the remote even if `entry`, its version there, already has that content: one version must replace
  /// all that are concurrent.
  fileprivate mutating func unite(with entry: Entry) {
    if case .stands = remote, target != nil { remote = .changes(from: entry) }
  }

  var reportTarget: Action.Target {
    switch changedSides {
    case [.local]: .local
    case [.remote]: .remote
    default: .both
    }
  }
}

/// Turns a plan into changes.
struct ChangeList {
  let plan: Plan
  let parts: PassParts
  let resolutions: [Int: Resolution]
  let allowed: Set<HeldItem>
  /// The deletions of the plan; a version that gets another name does not count.
  let losses: Set<HeldItem>
  /// The differences for which nothing is done.
  private(set) var omitted: Set<Int> = []

  init(
    plan: Plan, parts: PassParts, resolutions: [Int: Resolution], allowed: Set<HeldItem>, losses: Set<HeldItem>
  ) {
    self.plan = plan
    self.parts = parts
    self.resolutions = resolutions
    self.allowed = allowed
    self.losses = losses
  }

  /// Returns the list without the differences that lead to a change outside `reviewed`, and those changes. A version is not
  /// removed if writing it under another name was omitted.
  func limited(to reviewed: Set<PlannedChange>) -> (ChangeList, omitted: [PlannedChange]) {
    let planned = plan.indices.map { index in changes(for: index).compactMap(PlannedChange.init) }
    var limited = self
    limited.omitted = Set(plan.indices.filter { !reviewed.isSuperset(of: planned[$0]) })
    let unwritten = Set(limited.omitted.flatMap { planned[$0].compactMap(\.after) })
    for index in plan.indices {
      let isNeeded = planned[index].contains { change in
        change.kind == .remove && [change.local, change.remote].contains { $0.map(unwritten.contains) ?? false }
      }
      if isNeeded { limited.omitted.insert(index) }
    }
    return (limited, limited.omitted.sorted().flatMap { planned[$0] })
  }

  /// Returns the changes for the difference at `index`: for no, one or two paths.
  func changes(for index: Int) -> [PathChange] {
    guard !omitted.contains(index) else { return [] }
    return changesWithoutAncestor(for: index).map { change in
      guard change.path == path(index) else { return change }
      var change = change
      change.ancestor = plan.scan.baseDigest(of: plan.differences[index])
      if let entry = entry(index, on: .remote), entry.concurrent != nil { change.unite(with: entry) }
      return change
    }
  }

  private func changesWithoutAncestor(for index: Int) -> [PathChange] {
    if let resolution = resolutions[index] { return resolve(index, by: resolution) }
    if plan.objections[index] != nil { return [] }
    switch plan.decisions[index] {
    case .leave, .hold, .merge: return []
    case .agree: return [agreement(at: index)].compactMap(\.self)
    case .forget: return [PathChange(path: path(index), local: .stands(nil), remote: .stands(nil))]
    case .copy(let side): return [copy(index, to: side)]
    case .remove(let side): return plan.followed.contains(index) ? [] : [removalOnceRenamed(index, from: side)]
    case .setAside(let side): return setAside(index, on: side)
    case .follow(let side): return follow(index, on: side)
    }
  }

  private func path(_ index: Int) -> SyncPath { plan.path(at: index) }

  private func entry(_ index: Int, on side: Side) -> Entry? {
    plan.scan.entry(of: plan.differences[index], on: side)
  }

  private func target(_ entry: Entry, on side: Side) -> PathChange.Target? {
    entry.digest.map { digest in
      PathChange.Target(
        digest: digest, size: entry.size, modified: entry.modified,
        source: PathChange.Source(side: side, path: entry.path, revision: entry.revision))
    }
  }

  /// The record that both sides have the same content; nil if it is in the base already, as for a file that was only read
  /// because its revision is not firm.
  private func agreement(at index: Int) -> PathChange? {
    let (local, remote) = (entry(index, on: .local), entry(index, on: .remote))
    if let base = plan.scan.agreement(of: plan.differences[index]), base.digest == local?.digest,
      base.local == local?.provenRevision, base.remote == remote?.provenRevision, remote?.concurrent == nil
    {
      return nil
    }
    var change = PathChange(
      path: path(index), target: local.flatMap { target($0, on: .local) }, local: .stands(local?.provenRevision),
      remote: .stands(remote?.provenRevision))
    if let conflict = plan.scan.interruptedConflict(of: plan.differences[index]) {
      (change.kind, change.conflict) = (.conflict, conflict)
      let place = conflict.copy.map { "the other version is in \($0)" }
      change.detail = place ?? "both versions are in the file, marked"
    }
    return change
  }

  private func copy(_ index: Int, to side: Side) -> PathChange {
    let source = entry(index, on: side.other)
    var change = PathChange(
      path: path(index), target: source.flatMap { target($0, on: side.other) }, local: .stands(source?.provenRevision),
      remote: .stands(source?.provenRevision), kind: .copy)
    change[side] = .changes(from: entry(index, on: side))
    change.conflict = plan.scan.interruptedConflict(of: plan.differences[index])
    if let denied = plan.denied[index] {
      change.denied = denied
      change.detail = "put back, because the deletion was denied"
    }
    if change.target?.digest == .empty, let base = plan.scan.baseDigest(of: plan.differences[index]), base != .empty {
      change.loss = HeldItem(path: change.path, digest: base, side: side)
    }
    return change
  }

  private func removal(_ index: Int, from side: Side) -> PathChange {
    var change = PathChange(path: path(index), local: .stands(nil), remote: .stands(nil), kind: .remove)
    change[side] = .changes(from: entry(index, on: side))
    change.ancestor = plan.scan.baseDigest(of: plan.differences[index])
    let loss = change.ancestor.map { HeldItem(path: change.path, digest: $0, side: side) }
    if let loss, losses.contains(loss) { change.loss = loss }
    return change
  }

  /// Returns the removal of a version. If an unfinished pass has written it under a new name on one side, it stays until both
  /// have the new name.
  private func removalOnceRenamed(_ index: Int, from side: Side) -> PathChange {
    var removal = removal(index, from: side)
    if let newPath = plan.scan.intendedChange(of: plan.differences[index])?.newPath,
      let target = plan.index(of: newPath), plan.decisions[target] != .agree
    {
      removal.after = newPath
    }
    return removal
  }

  private func resolve(_ index: Int, by resolution: Resolution) -> [PathChange] {
    switch resolution {
    case .content(let digest, let size, let kind): [resolved(index, as: digest, size: size, kind)]
    case .sideBySide(let winner, let reason): sideBySide(index, winner: winner, because: reason)
    }
  }

  private func resolved(_ index: Int, as digest: Digest, size: Int, _ kind: Resolution.Kind) -> PathChange {
    let (local, remote) = (entry(index, on: .local), entry(index, on: .remote))
    let modified = [local?.modified, remote?.modified].compactMap(\.self).max()
    var goal = PathChange.Target(digest: digest, size: size, modified: modified)
    if case .preferred(let side) = kind {
      goal.source = entry(index, on: side).flatMap { target($0, on: side) }?.source
    }
    var change = PathChange(
      path: path(index), target: goal,
      local: step(local, toward: digest), remote: step(remote, toward: digest), kind: .merge)
    switch kind {
    case .merged: break
    case .decided(let side):
      change.detail =
        "the version of the \(side.word) was preferred where the sides differ; the other one is in the history"
    case .preferred(let side):
      change.detail = "the version of the \(side.word) was preferred; the other one is in the history"
    case .marked:
      change.kind = .conflict
      change.detail = "both versions are in the file, marked"
      change.conflict = OpenConflict(
        path: change.path, base: plan.scan.baseDigest(of: plan.differences[index]), local: local?.digest,
        remote: remote?.digest, marked: digest)
    }
    return change
  }

  private func step(_ entry: Entry?, toward digest: Digest) -> PathChange.Step {
    if let entry, entry.digest == digest { return .stands(entry.provenRevision) }
    return .changes(from: entry)
  }

  private func sideBySide(_ index: Int, winner: Side, because reason: String?) -> [PathChange] {
    guard let kept = entry(index, on: winner), let loser = entry(index, on: winner.other), let lost = loser.digest,
      let digest = kept.digest
    else { return [] }
    let (copyPath, aside, isKept) = keptAside(loser, on: winner.other, of: index)
    var change = PathChange(
      path: path(index), target: target(kept, on: winner), local: step(entry(index, on: .local), toward: digest),
      remote: step(entry(index, on: .remote), toward: digest), kind: .conflict)
    change.detail = "the other version is in \(copyPath)" + (reason.map { " because \($0)" } ?? "")
    change.conflict = OpenConflict(
      path: change.path, base: plan.scan.baseDigest(of: plan.differences[index]),
      local: winner == .local ? digest : lost, remote: winner == .local ? lost : digest, copy: copyPath)
    change.after = isKept ? nil : copyPath
    return [aside, change].compactMap(\.self)
  }

  /// Returns the name under which a version is kept, the change that writes it there, and if both sides have it already. The
  /// change is nil if another device or an earlier pass has put the version there: then it is copied like any other file.
  private func keptAside(
    _ entry: Entry, on side: Side, of index: Int
  ) -> (path: SyncPath, change: PathChange?, isKept: Bool) {
    let digest = entry.digest ?? .empty
    // Every device that has two concurrent versions makes a copy, with a name that only their contents determine.
    let isConcurrent = plan.scan.concurrency(of: plan.differences[index]) != nil
    let limit = Side.allCases.map { plan.scan[$0].naming.maximumNameLength }.min() ?? 255
    let names = [4, 8, 16, 32, 64].map { digits in
      ConflictName.path(
        for: entry.path, at: isConcurrent ? nil : entry.modified,
        by: isConcurrent ? "" : entry.author ?? parts.author(side), digest: digest, digits: digits, atMost: limit)
    }
    if let name = names.first(where: { plan.keeps(digest, at: $0) }) {
      return (name, nil, Side.allCases.allSatisfy { plan.scan[$0][name] != nil })
    }
    let name = names.first { plan.isFree($0) } ?? names[names.count - 1]
    let change = PathChange(
      path: name, target: target(entry, on: side), local: .changes(from: nil), remote: .changes(from: nil), kind: .copy,
      detail: "the other version of \(entry.path)")
    return (name, change, false)
  }

  private func setAside(_ index: Int, on side: Side) -> [PathChange] {
    guard let entry = entry(index, on: side) else { return [] }
    let (copyPath, aside, isKept) = keptAside(entry, on: side, of: index)
    var change = PathChange(path: path(index), local: .stands(nil), remote: .stands(nil), kind: .conflict)
    change[side] = .changes(from: entry)
    change.detail = "the \(side.other.word) has a folder of this name; the file is now \(copyPath)"
    change.conflict = OpenConflict(
      path: change.path, local: side == .local ? entry.digest : nil, remote: side == .remote ? entry.digest : nil,
      copy: copyPath)
    change.after = isKept ? nil : copyPath
    return [aside, change].compactMap(\.self)
  }

  /// Returns the change that writes the edited version under the new name, and the removal of the old one.
  private func follow(_ index: Int, on side: Side) -> [PathChange] {
    guard let origin = plan.origins[index], let edited = entry(origin, on: side.other), let digest = edited.digest
    else {
      return []
    }
    if case .content(let digest, let size, let kind)? = plan.merged[index] {
      var change = resolved(index, as: digest, size: size, kind)
      change.detail = "renamed from \(edited.path), merged with the edit of the \(side.other.word)"
      let renamed = entry(index, on: side)?.digest
      if var conflict = change.conflict {
        conflict.base = plan.scan.baseDigest(of: plan.differences[origin])
        conflict.local = side == .local ? renamed : edited.digest
        conflict.remote = side == .local ? edited.digest : renamed
        change.conflict = conflict
      }
      return [change, removal(of: origin, from: side.other, after: change.path)]
    }
    var change = PathChange(
      path: path(index), target: target(edited, on: side.other), local: step(entry(index, on: .local), toward: digest),
      remote: step(entry(index, on: .remote), toward: digest))
    change.kind = change.changedSides.isEmpty ? nil : .copy
    change.detail = "renamed from \(edited.path), with the edit of the \(side.other.word)"
    return [change, removal(of: origin, from: side.other, after: change.path)]
  }

  /// Returns the removal of a version after it was written under another path.
  private func removal(of index: Int, from side: Side, after path: SyncPath) -> PathChange {
    var removal = removal(index, from: side)
    removal.loss = nil
    removal.after = path
    return removal
  }
}
