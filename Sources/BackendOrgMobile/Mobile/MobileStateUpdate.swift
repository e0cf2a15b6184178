internal import OrgKit
internal import SyncKit

/// Updates the phone's state after the desktop has pulled or pushed. Pure.
struct MobileStateUpdate {
  let options: EditPlan.Options
  /// Creates the IDs of new requests.
  let newID: () -> NoteID

  /// The known state of a file in the staging area.
  enum Staged: Hashable {
    case present(Bytes)
    case absent
    /// A push is in progress, or the file cannot be read.
    case unknown
  }

  /// Returns the state after reading the staging area: `ids` are in the capture file, and `staged` was pushed.
  func updated(_ state: MobileState, ids: Set<NoteID>, staged: [SyncPath: Staged]) -> MobileState {
    var next = state.batch.isEmpty || ids.isDisjoint(with: state.ids) ? state.pulled : state
    for (path, overlay) in next.overlays {
      switch staged[path] ?? .unknown {
      case .unknown: continue
      case .absent:
        if overlay.staged != nil, overlay.isPulled || overlay.isRemoved { next.overlays[path] = nil }
      case .present(let bytes):
        if bytes != overlay.staged { next.overlays[path] = pushed(bytes, at: path, over: overlay) }
      }
    }
    return next.overlays == state.overlays ? next : expressed(next)
  }

  /// Returns the presented version of a file after a push, unless it is the pushed version.
  private func pushed(_ new: Bytes, at path: SyncPath, over overlay: MobileState.Overlay) -> MobileState.Overlay? {
    // Every push creates the views again.
    if path == StagingArea.path(StagingName.agendas) { return nil }
    if overlay.isRemoved { return removed(new, over: overlay) }
    guard overlay.isPulled else {
      let sent = merged(base: overlay.desktop, overlay.sent, new) ?? overlay.sent
      return isMissing(sent, in: new, at: path) ? MobileState.Overlay(staged: new, desktop: new, sent: sent) : nil
    }
    // The desktop stamps the files that a pull changes: with a new stamp, the pushed version is its answer. Without one the
    // push preceded the pull, which is assumed once.
    let isAnswered = StampLine.stamp(of: new) != overlay.staged.flatMap(StampLine.stamp)
    guard !isAnswered, !overlay.wasMissed, overlay.staged != nil,
      let shown = merged(base: overlay.staged, overlay.sent, new), shown != new
    else { return nil }
    return MobileState.Overlay(staged: new, desktop: shown, sent: shown, wasMissed: true)
  }

  /// A file that the store has removed stays hidden unless the desktop has added something to it.
  private func removed(_ new: Bytes, over overlay: MobileState.Overlay) -> MobileState.Overlay? {
    let document = OrgDocument(new, todoKeywords: options.todoLines)
    let rest = document.withoutEntries
    if document.entries.isEmpty {
      return MobileState.Overlay(staged: new, desktop: new, sent: rest, isRemoved: true)
    }
    guard let old = overlay.staged, document.saysTheSame(as: OrgDocument(old, todoKeywords: options.todoLines)) else {
      return nil
    }
    guard overlay.isPulled else { return MobileState.Overlay(staged: new, desktop: new, sent: rest, isRemoved: true) }
    // Pulled, but the entries still exist: the push preceded the pull, which is assumed once.
    let isAnswered = StampLine.stamp(of: new) != StampLine.stamp(of: old)
    guard !isAnswered, !overlay.wasMissed else { return nil }
    return MobileState.Overlay(staged: new, desktop: rest, sent: rest, wasMissed: true, isRemoved: true)
  }

  /// Returns true if the desktop still lacks some of `sent`. If it has the same in other bytes, such as with aligned tags, its
  /// version is shown.
  private func isMissing(_ sent: Bytes, in pushed: Bytes, at path: SyncPath) -> Bool {
    sent != pushed && !EditPlan([EditPlan.Change(path: path, old: pushed, new: sent)], options).requests.isEmpty
  }

  private func merged(base: Bytes?, _ ours: Bytes, _ theirs: Bytes) -> Bytes? {
    var options = OrgMerge.Options()
    if !self.options.todoLines.isEmpty { options.keywords = self.options.todoLines.joined(separator: " ") }
    return OrgMerge.merge(base: base, ours: ours, theirs: theirs, options: options).content
  }

  /// Returns the state with the requests that its overlays need. An unchanged request keeps its ID.
  func expressed(_ state: MobileState) -> MobileState {
    var state = state
    let changes = state.overlays.filter { !$0.value.isPulled }.map {
      EditPlan.Change(path: $0.key, old: $0.value.desktop, new: $0.value.sent)
    }
    var former = Dictionary(grouping: state.batch, by: \.bytes)
    state.batch = EditPlan(changes, options).requests.map { bytes in
      former[bytes]?.popLast() ?? MobileState.Request(id: newID(), bytes: bytes)
    }
    return state.batch.isEmpty ? state.pulled : state
  }
}

extension OrgDocument {
  /// The text above the first entry.
  var withoutEntries: Bytes { Bytes(bytes[..<(topLevelEntries.first?.bytes.startIndex ?? bytes.count)]) }

  /// Returns true if the entries are equal, regardless of the text above them.
  fileprivate func saysTheSame(as other: OrgDocument) -> Bool {
    bytes.dropFirst(withoutEntries.count).elementsEqual(other.bytes.dropFirst(other.withoutEntries.count))
  }
}
