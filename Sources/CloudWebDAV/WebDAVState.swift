internal import SyncKit
import Synchronization

/// What a storage remembers: for the time of the program what it has seen, and in the journal what has to outlive it.
final class WebDAVState: Sendable {
  private let journal: any Journal
  private let held = Mutex(Held())
  /// Two writers of one storage to one path wait for each other.
  let locks = LockQueue()
  private let probing = LockQueue()

  private struct Held {
    var traits: Traits?
    /// When the traits were doubted last.
    var doubted: Timestamp?
    /// The folders that are there.
    var folders: Set<SyncPath> = []
    /// How many files each had when it was listed last.
    var fileCounts: [SyncPath?: Int] = [:]
    /// The marker as the last listing of the root showed it.
    var marker: Observation?
    var mayTidy = false
    /// Temporaries that are in use.
    var temporaries: Set<SyncPath> = []
    /// The versions that were written here, and are therefore complete however young they are.
    var written: [SyncPath: Revision] = [:]
  }

  private static let traitsKey = "webdav.traits"

  init(journal: any Journal) { self.journal = journal }

  // MARK: Traits

  /// What is known of the server; nil if it was never probed.
  func traits() async throws(SyncError) -> Traits? {
    if let traits = held.withLock({ $0.traits }) { return traits }
    let traits = try await journal.records()[Self.traitsKey].flatMap(Traits.init)
    if let traits { held.withLock { $0.traits = traits } }
    return traits
  }

  /// What is known of the server, after a probe if it was never tried out, not for a week, or is another one by now.
  func provenTraits(of server: Server) async throws(SyncError) -> Traits {
    try await probing.withLock("probe") { () throws(SyncError) in
      if let traits = try await self.traits(), traits.isOf(server), !traits.isOld(at: server.runtime.now()) {
        return traits
      }
      let traits = try await Probe.run(on: server)
      try await self.journal.write([Self.traitsKey: traits.record])
      self.held.withLock { $0.traits = traits }
      return traits
    }
  }

  /// Forgets what a probe found, because the server behaves otherwise now: the next write probes it again. Does nothing if the
  /// last probe is recent.
  func doubtTraits(at now: Timestamp) async throws(SyncError) {
    let mayProbe = held.withLock { held in
      let mayProbe =
        held.doubted.map { now.seconds < $0.seconds || now.seconds - $0.seconds >= Self.doubtPause } ?? true
      if mayProbe { (held.doubted, held.traits) = (now, nil) }
      return mayProbe
    }
    if mayProbe { try await journal.write([Self.traitsKey: nil]) }
  }

  /// How many seconds pass until a server that was probed because of a doubt can be doubted again.
  private static let doubtPause: Int64 = 600

  /// What is known of the server that answers now; nil if another one was probed.
  func traits(of server: Server) async throws(SyncError) -> Traits? {
    guard let traits = try await traits(), traits.isOf(server) else { return nil }
    return traits
  }

  // MARK: What was seen and done

  /// - Parameter unchanged: the folders that were there before and did not have to be listed.
  func remember(_ listing: Listing.Found, _ unchanged: [SyncPath: SeenFolders.Folder]) {
    held.withLock { held in
      held.folders = listing.folders.union(unchanged.keys)
      held.fileCounts = listing.fileCounts.merging(unchanged.map { ($0, $1.count) }) { $1 }
      held.marker = listing.marker
    }
  }

  /// The marker as the last listing showed it; asked for once, because it may have been changed since.
  func removeMarker() -> Observation? {
    held.withLock { held in
      defer { held.marker = nil }
      return held.marker
    }
  }

  func fileCount(of folder: SyncPath?) -> Int { held.withLock { $0.fileCounts[folder] ?? 0 } }

  func record(fileCount: Int, of folder: SyncPath?) { held.withLock { $0.fileCounts[folder] = fileCount } }

  func knows(folder: SyncPath) -> Bool { held.withLock { $0.folders.contains(folder) } }

  func record(folder: SyncPath) { held.withLock { _ = $0.folders.insert(folder) } }

  /// Forgets that folders are there, because the server says so.
  func forget(_ folders: [SyncPath]) { held.withLock { $0.folders.subtract(folders) } }

  func record(written path: SyncPath, _ revision: Revision) { held.withLock { $0.written[path] = revision } }

  func wrote(_ path: SyncPath, _ revision: Revision) -> Bool { held.withLock { $0.written[path] == revision } }

  // MARK: Temporaries

  func allowTidying() { held.withLock { $0.mayTidy = true } }

  var mayTidy: Bool { held.withLock { $0.mayTidy } }

  func use(_ temporary: SyncPath) { held.withLock { _ = $0.temporaries.insert(temporary) } }

  func release(_ temporary: SyncPath) { held.withLock { _ = $0.temporaries.remove(temporary) } }

  func isInUse(_ temporary: SyncPath) -> Bool { held.withLock { $0.temporaries.contains(temporary) } }

  // MARK: Journal

  func records() async throws(SyncError) -> [String: [UInt8]] { try await journal.records() }

  func write(_ records: [String: [UInt8]?]) async throws(SyncError) { try await journal.write(records) }
}
