internal import SyncKit

/// The recorded state of the phone: the files that the store has changed, and the requests in the capture file for them.
struct MobileState: Hashable, Sendable {
  /// A file that is shown differently from its pushed version, because the desktop was asked to change it.
  struct Overlay: Hashable, Sendable {
    /// The pushed version; nil if the file was never pushed.
    var staged: Bytes?
    /// The desktop's version, as far as known: the pushed one, with every edit that it has pulled.
    var desktop: Bytes?
    /// The store's version, which the remote shows until the desktop has pushed it.
    var sent: Bytes
    /// True if a push has not contained the edits yet.
    var wasMissed = false
    /// True if the store has removed the file. The protocol has no command for that: its entries are removed, and the rest of
    /// the file is hidden as long as it has none.
    var isRemoved = false

    /// True if the desktop has pulled all edits of the file.
    var isPulled: Bool { desktop == sent }
  }

  /// One of our parts in the capture file.
  struct Request: Hashable, Sendable {
    var id: NoteID
    /// The heading with its subtree, without the line with the ID.
    var bytes: Bytes

    var marked: Bytes { bytes + id.line }
  }

  var overlays: [SyncPath: Overlay] = [:]
  /// The requests for the capture file; a pure function of the overlays.
  var batch: [Request] = []

  var ids: Set<NoteID> { Set(batch.map(\.id)) }

  /// Returns the capture file with this batch instead of an earlier one. Parts of others stay.
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

/// An unfinished change of the capture file: the state after it, and the file before it.
struct Intent: Hashable, Sendable {
  var state: MobileState
  /// The revision of the capture file that is replaced, nil for none, and the parts of others in it.
  var revision: Bytes?
  var others: Bytes
}
