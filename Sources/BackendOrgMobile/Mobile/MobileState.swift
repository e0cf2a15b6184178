internal import SyncKit

/// What the phone remembers between passes: which files the store has changed, and what stands in the capture file for it.
struct MobileState: Hashable, Sendable {
  /// A file that is not shown as it was pushed, because the desktop is to change it.
  struct Overlay: Hashable, Sendable {
    /// What was pushed; nil if the file never was.
    var staged: Bytes?
    /// What the desktop has, as far as is known: what was pushed, with every edit that it has pulled.
    var desktop: Bytes?
    /// What the store made of it, and what the remote shows until the desktop has pushed it.
    var sent: Bytes
    /// True if a push came that did not show the edits yet.
    var wasMissed = false
    /// True if the store has removed the file. The protocol has no command for that: its entries are to go, and what is
    /// left of it is not shown as long as it has none.
    var isRemoved = false

    /// True if the desktop has pulled all of it.
    var isPulled: Bool { desktop == sent }
  }

  /// A part of the capture file that is ours.
  struct Request: Hashable, Sendable {
    var id: NoteID
    /// The heading with what is below it, without the line that tells the ID.
    var bytes: Bytes

    var marked: Bytes { bytes + id.line }
  }

  var overlays: [SyncPath: Overlay] = [:]
  /// What has to stand in the capture file; a pure function of the overlays.
  var batch: [Request] = []

  var ids: Set<NoteID> { Set(batch.map(\.id)) }

  /// The capture file with this batch in the place of an earlier one. What others wrote stays.
  func capture(_ file: CaptureFile, replacing former: Set<NoteID>) -> CaptureFile {
    var file = file.removing(former.union(ids))
    if file.isBlank { file.parts = [] }
    file.parts += batch.map { CaptureFile.Part(bytes: $0.marked) }
    return file
  }

  /// The state after a pull: the desktop has everything that was sent.
  var pulled: MobileState {
    var state = self
    for path in overlays.keys { state.overlays[path]?.desktop = overlays[path]?.sent }
    state.batch = []
    return state
  }
}

/// A running change of the capture file: the state after it, and the file before it.
struct Intent: Hashable, Sendable {
  var state: MobileState
  /// The version of the capture file that is replaced, nil if there was none, and what others had in it.
  var revision: Bytes?
  var others: Bytes
}
