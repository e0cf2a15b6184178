internal import RsyncWire
internal import SyncKit
import Synchronization

/// What a storage has seen of the other side, for the time of the program.
final class RsyncState: Sendable {
  private let held = Mutex(Held())
  /// One batch of changes at a time.
  let locks = LockQueue()

  private struct Held {
    var known = Known()
    /// The folders that are there.
    var folders: Set<SyncPath> = []
    /// The marker as it was listed or written last.
    var marker: (entry: Entry, bytes: [UInt8])?
    /// What was written here. Another write cannot go unnoticed, however young the file is: it sets another time than
    /// the one that was made up for it.
    var written: [SyncPath: Revision] = [:]
  }

  func remember(_ known: Known, folders: Set<SyncPath>, marker: (entry: Entry, bytes: [UInt8])?) {
    held.withLock { held in
      held.known = known
      held.folders = folders
      held.marker = marker
    }
  }

  // MARK: Revisions

  /// Returns true if this revision stood for a content already that was seen when no other one could have the same.
  func isFirm(_ revision: Revision, of path: SyncPath) -> Bool {
    held.withLock { $0.written[path] == revision || $0.known[path] == revision }
  }

  func record(written path: SyncPath, _ revision: Revision) { held.withLock { $0.written[path] = revision } }

  /// The digest of the content that was last agreed on.
  func digest(of path: SyncPath) -> Digest? { held.withLock { $0.known }.digest(of: path) }

  // MARK: Folders

  func knows(folder: SyncPath) -> Bool { held.withLock { $0.folders.contains(folder) } }

  func record(folders: some Sequence<SyncPath>) { held.withLock { $0.folders.formUnion(folders) } }

  /// Forgets which folders are there, because something was not as it was seen.
  func forgetFolders() { held.withLock { $0.folders = [] } }

  // MARK: Marker

  /// The marker, where nothing has been done to it since it was seen. It may be out of date: a write states what
  /// should be there.
  var marker: (entry: Entry, bytes: [UInt8])? { held.withLock { $0.marker } }

  func forgetMarker() { held.withLock { $0.marker = nil } }
}
