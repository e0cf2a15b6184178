internal import RsyncWire
internal import SyncKit
import Synchronization

/// A storage's knowledge of the remote folder; kept in memory only.
final class RsyncState: Sendable {
  private let held = Mutex(Held())
  /// One batch of changes at a time.
  let locks = LockQueue()

  private struct Held {
    var known = Known()
    /// The folders that exist.
    var folders: Set<SyncPath> = []
    /// The marker as it was last listed or written.
    var marker: (entry: Entry, bytes: [UInt8])?
    /// The revisions that this device has written. Another write is always noticed, however young the file is: it sets another
    /// time than the random one that was chosen for it.
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

  /// Returns true if the revision identified a content when no other content could have had the same.
  func isFirm(_ revision: Revision, of path: SyncPath) -> Bool {
    held.withLock { $0.written[path] == revision || $0.known[path] == revision }
  }

  func record(written path: SyncPath, _ revision: Revision) { held.withLock { $0.written[path] = revision } }

  /// The digest of the content that was last agreed on.
  func digest(of path: SyncPath) -> Digest? { held.withLock { $0.known }.digest(of: path) }

  // MARK: Folders

  func knows(folder: SyncPath) -> Bool { held.withLock { $0.folders.contains(folder) } }

  func record(folders: some Sequence<SyncPath>) { held.withLock { $0.folders.formUnion(folders) } }

  /// Forgets the known folders, because the remote folder has changed unexpectedly.
  func forgetFolders() { held.withLock { $0.folders = [] } }

  // MARK: Marker

  /// The marker, unless this device has changed it since it was seen. It may be outdated: a write states the expected version.
  var marker: (entry: Entry, bytes: [UInt8])? { held.withLock { $0.marker } }

  func forgetMarker() { held.withLock { $0.marker = nil } }
}
