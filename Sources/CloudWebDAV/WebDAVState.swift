internal import SyncKit
import Synchronization

/// The state of a storage: what it has seen, in memory, and what must survive the process, in the journal.
final class WebDAVState: Sendable {
  private let journal: any Journal
  private let held = Mutex(Held())
  /// Serialises writes to the same path.
  let locks = LockQueue()
  private let probing = LockQueue()

  private struct Held {
    var traits: Traits?
    /// The time at which the traits were last doubted.
    var doubted: Timestamp?
    /// The folders that exist.
    var folders: Set<SyncPath> = []
    /// Files and folders that the server lists under their names.
    var spelled: Set<SyncPath> = []
    /// Files and folders that the server lists under other names; nil before they were read from the journal.
    var altered: Set<SyncPath>?
    /// The number of files in each folder when it was last listed.
    var fileCounts: [SyncPath?: Int] = [:]
    /// The marker in the last listing of the root.
    var marker: Observation?
    var mayTidy = false
    /// Temporaries that are in use.
    var temporaries: Set<SyncPath> = []
    /// The versions that this device has written, which are therefore complete however young they are.
    var written: [SyncPath: Revision] = [:]
  }

  private static let traitsKey = "webdav.traits"

  init(journal: any Journal) { self.journal = journal }

  // MARK: Traits

  /// Returns the server's traits; nil if it was never probed.
  func traits() async throws(SyncError) -> Traits? {
    if let traits = held.withLock({ $0.traits }) { return traits }
    let traits = try await journal.records()[Self.traitsKey].flatMap(Traits.init)
    if let traits { held.withLock { $0.traits = traits } }
    return traits
  }

  /// Returns the server's traits, and probes it first if it was never probed, not for a week, or has changed.
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

  /// Discards the traits, because the server behaves differently now: the next write probes it again. Does nothing if the last
  /// probe is recent.
  func doubtTraits(at now: Timestamp) async throws(SyncError) {
    let mayProbe = held.withLock { held in
      let mayProbe =
        held.doubted.map { now.seconds < $0.seconds || now.seconds - $0.seconds >= Self.doubtPause } ?? true
      if mayProbe { (held.doubted, held.traits) = (now, nil) }
      return mayProbe
    }
    if mayProbe { try await journal.write([Self.traitsKey: nil]) }
  }

  /// The time in seconds after which a server that was probed because of a doubt can be doubted again.
  private static let doubtPause: Int64 = 600

  /// Returns the traits of the server that answers now; nil if another one was probed.
  func traits(of server: Server) async throws(SyncError) -> Traits? {
    guard let traits = try await traits(), traits.isOf(server) else { return nil }
    return traits
  }

  // MARK: Observations

  /// - Parameter unchanged: the unchanged folders that did not have to be listed.
  func remember(_ listing: Listing.Found, _ unchanged: [SyncPath: SeenFolders.Folder]) {
    held.withLock { held in
      held.folders = listing.folders.union(unchanged.keys)
      held.fileCounts = listing.fileCounts.merging(unchanged.map { ($0, $1.count) }) { $1 }
      held.marker = listing.marker
    }
  }

  /// Returns the marker in the last listing; only once, because it may be outdated later.
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

  /// Removes folders that are missing according to the server.
  func forget(_ folders: [SyncPath]) { held.withLock { $0.folders.subtract(folders) } }

  func record(written path: SyncPath, _ revision: Revision) { held.withLock { $0.written[path] = revision } }

  func wrote(_ path: SyncPath, _ revision: Revision) -> Bool { held.withLock { $0.written[path] == revision } }

  // MARK: Names

  private static let alteredPrefix = "webdav.altered-name "

  /// Returns the files and folders that the server lists under other names.
  func alteredNames() async throws(SyncError) -> Set<SyncPath> {
    if let names = held.withLock({ $0.altered }) { return names }
    let names = Set(
      try await journal.records().compactMap { key, record in
        key.hasPrefix(Self.alteredPrefix) ? SyncPath(bytes: record) : nil
      })
    held.withLock { $0.altered = ($0.altered ?? []).union(names) }
    return names
  }

  /// Records that the server lists a file or folder under another name, so that nothing is uploaded there again.
  func record(altered path: SyncPath) async throws(SyncError) {
    _ = try await alteredNames()
    try await journal.write([Self.alteredPrefix + Digest(of: path.bytes).description: path.bytes])
    held.withLock { _ = $0.altered?.insert(path) }
  }

  func record(spelled path: SyncPath) { held.withLock { _ = $0.spelled.insert(path) } }

  func isSpelled(_ path: SyncPath) -> Bool { held.withLock { $0.spelled.contains(path) } }

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
