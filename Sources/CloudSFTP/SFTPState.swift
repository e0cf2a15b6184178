internal import SyncKit
import Synchronization

/// The state of a storage: what it has seen, in memory, and what must survive the process, in the journal.
final class SFTPState: Sendable {
  private static let traitsKey = "sftp.traits"

  let journal: any Journal
  private let held = Mutex(Held())
  /// One probe at a time, and one change of a path at a time.
  let locks = LockQueue()

  private struct Held {
    var record: ProbeRecord?
    var clock = ServerClock()
    var known = Known()
    /// The regular files in the last listing.
    var files: Set<SyncPath> = []
    /// The contents that this handle has read or written, with their revisions.
    var contents: [SyncPath: (revision: Revision, digest: Digest)] = [:]
    /// The suffixes of the changes in progress.
    var active: Set<String> = []
    var mayRepair = false
  }

  init(journal: any Journal) { self.journal = journal }

  // MARK: Traits

  /// The observed behaviour of the server; nil if it was never probed.
  func record() async throws(SyncError) -> ProbeRecord? {
    if let record = held.withLock({ $0.record }) { return record }
    let record = try await journal.records()[Self.traitsKey].flatMap { ProbeRecord($0) }
    held.withLock { $0.record = record }
    return record
  }

  func store(_ record: ProbeRecord) async throws(SyncError) {
    try await journal.write([Self.traitsKey: record.bytes])
    held.withLock { $0.record = record }
  }

  // MARK: Revisions

  var clock: ServerClock {
    get { held.withLock { $0.clock } }
    set { held.withLock { $0.clock = newValue } }
  }

  func record(time: UInt32) { held.withLock { $0.clock.record(time) } }

  /// Returns true if no other content can have had these attributes, or if that was proved earlier.
  func isFirm(_ facts: FileFacts, at path: SyncPath, _ clock: ServerClock? = nil) -> Bool {
    held.withLock { held in
      (clock ?? held.clock).isPast(facts.seconds) || held.known[path] == facts.revision
    }
  }

  func record(_ digest: Digest, _ revision: Revision, of path: SyncPath) {
    held.withLock { $0.contents[path] = (revision, digest) }
  }

  /// The content that this handle has seen with this revision.
  func digest(of path: SyncPath, _ revision: Revision) -> Digest? {
    held.withLock { held in
      held.contents[path].flatMap { $0.revision == revision ? $0.digest : nil }
        ?? (held.known[path] == revision ? held.known.digest(of: path) : nil)
    }
  }

  // MARK: Listing

  func record(known: Known, files: Set<SyncPath>) {
    held.withLock { held in
      (held.known, held.files) = (known, files)
      held.contents = held.contents.filter { files.contains($0.key) }
    }
  }

  /// Returns true if the last listing had a regular file at the path.
  func isFile(_ path: SyncPath) -> Bool { held.withLock { $0.files.contains(path) } }

  func record(file path: SyncPath) { held.withLock { _ = $0.files.insert(path) } }

  // MARK: Changes in progress

  func begin(_ suffix: String) { held.withLock { _ = $0.active.insert(suffix) } }

  func end(_ suffix: String) { held.withLock { _ = $0.active.remove(suffix) } }

  func isActive(_ suffix: String) -> Bool { held.withLock { $0.active.contains(suffix) } }

  /// True once `recover` was called: this is not a dry run.
  var mayRepair: Bool {
    get { held.withLock { $0.mayRepair } }
    set { held.withLock { $0.mayRepair = newValue } }
  }
}
