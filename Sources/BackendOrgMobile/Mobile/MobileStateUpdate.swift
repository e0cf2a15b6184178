internal import OrgKit
internal import SyncKit

/// What becomes of the phone's state when the desktop has pulled or pushed. Pure.
struct MobileStateUpdate {
  let options: EditPlan.Options
  /// Draws the IDs of new requests.
  let newID: () -> NoteID

  /// What is known of a file in the staging area.
  enum Staged: Hashable {
    case present(Bytes)
    case absent
    /// A push is in progress, or it cannot be read.
    case unknown
  }

  /// The state after reading the staging area: `ids` stand in the capture file, and `staged` is what was pushed.
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

  /// What is shown of a file after a push, if it is not simply what was pushed.
  private func pushed(_ new: Bytes, at path: SyncPath, over overlay: MobileState.Overlay) -> MobileState.Overlay? {
    // The views are made again at each push.
    if path == StagingArea.path(StagingName.agendas) { return nil }
    if overlay.isRemoved { return removed(new, over: overlay) }
    guard overlay.isPulled else {
      let sent = merged(base: overlay.desktop, overlay.sent, new) ?? overlay.sent
      return isMissing(sent, in: new, at: path) ? MobileState.Overlay(staged: new, desktop: new, sent: sent) : nil
    }
    // The desktop stamps what it changes in a pull: with a new stamp, what was pushed is its last word. Without one the
    // push came before the pull, which is believed once.
    let isAnswered = StampLine.stamp(of: new) != overlay.staged.flatMap(StampLine.stamp)
    guard !isAnswered, !overlay.wasMissed, overlay.staged != nil,
      let shown = merged(base: overlay.staged, overlay.sent, new), shown != new
    else { return nil }
    return MobileState.Overlay(staged: new, desktop: shown, sent: shown, wasMissed: true)
  }

  /// A file that the store has removed stays hidden as long as the desktop has not added to it what was not to be removed.
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
    // Pulled, and the entries are still there: the push came before the pull, which is believed once.
    let isAnswered = StampLine.stamp(of: new) != StampLine.stamp(of: old)
    guard !isAnswered, !overlay.wasMissed else { return nil }
    return MobileState.Overlay(staged: new, desktop: rest, sent: rest, wasMissed: true, isRemoved: true)
  }

  /// Returns true if the desktop still lacks something of `sent`. If it has the same with other bytes, such as with its
  /// tags aligned, its own words are shown.
  private func isMissing(_ sent: Bytes, in pushed: Bytes, at path: SyncPath) -> Bool {
    sent != pushed && !EditPlan([EditPlan.Change(path: path, old: pushed, new: sent)], options).requests.isEmpty
  }

  private func merged(base: Bytes?, _ ours: Bytes, _ theirs: Bytes) -> Bytes? {
    var options = OrgMerge.Options()
    if !self.options.todoLines.isEmpty { options.keywords = self.options.todoLines.joined(separator: " ") }
    return OrgMerge.merge(base: base, ours: ours, theirs: theirs, options: options).content
  }

  /// The state with the requests that its overlays need. A request that is the same keeps its ID.
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
  /// What stands above the first entry.
  var withoutEntries: Bytes { Bytes(bytes[..<(topLevelEntries.first?.bytes.startIndex ?? bytes.count)]) }

  /// Returns true if the entries are the same, whatever stands above them.
  fileprivate func saysTheSame(as other: OrgDocument) -> Bool {
    bytes.dropFirst(withoutEntries.count).elementsEqual(other.bytes.dropFirst(other.withoutEntries.count))
  }
}
