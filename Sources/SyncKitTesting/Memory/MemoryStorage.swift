public import SyncKit

/// A storage in memory: small, and correct in everything that a storage promises.
///
/// It is the reference for storages of every kind, and tests build layers and engines on it. Each write gives the file a new
/// revision, even if the content is the same.
public actor MemoryStorage: StorageDefaults {
  public nonisolated let address: String
  private nonisolated let proved: Capabilities
  private var files: MemoryFiles
  private var hasRoot: Bool

  /// An empty storage.
  /// - Parameters:
  ///   - isFirm: True if entries declare their revision firm, so that the engine need not compare content.
  ///   - hasRoot: True if the root exists from the start; otherwise `createRoot` creates it.
  public init(
    address: String = "memory:", capabilities: Capabilities = Capabilities(replacement: .conditional),
    isFirm: Bool = true, hasRoot: Bool = true
  ) {
    self.address = address
    self.proved = capabilities
    self.files = MemoryFiles(naming: capabilities.naming, isFirm: isFirm)
    self.hasRoot = hasRoot
  }

  /// The content of every file, including the program's own.
  public var contents: [SyncPath: Content] { files.files.mapValues(\.content) }

  /// Writes a file unconditionally, like a program that does not sync.
  public func put(_ content: Content, at path: SyncPath) { _ = files.put(content, at: path) }

  /// Removes a file unconditionally, like a program that does not sync.
  public func take(_ path: SyncPath) { files.take(path) }

  /// The files of a storage at one time.
  public struct Backup: Sendable {
    fileprivate let files: MemoryFiles

    /// True if the storage had a marker.
    public var hasMarker: Bool { files.files[RootMarker.path] != nil }
  }

  /// The files as they are now, to be restored later.
  public var backup: Backup { Backup(files: files) }

  /// Restores the files and revisions of a backup; later changes get new revisions.
  public func restore(_ backup: Backup) { files.restore(backup.files) }

  public func capabilities() -> Capabilities { proved }

  public func createRoot() async { hasRoot = true }

  public func list(since known: Known) throws(SyncError) -> Snapshot {
    try requireRoot()
    return files.snapshot(since: known, root: RootIdentity(address: address, id: nil))
  }

  public func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    try requireRoot()
    var results: [ReadResult] = []
    for path in paths { results.append(try await files.read(path, into: sink)) }
    return results
  }

  public func confirm(_ paths: [SyncPath]) throws(SyncError) -> [Presence] {
    try requireRoot()
    return paths.map(files.presence)
  }

  public func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    var results: [WriteResult?] = Array(repeating: nil, count: changes.count)
    for index in changes.steps.joined() { results[index] = try await carryOut(changes[index]) }
    return results.complete
  }

  private func carryOut(_ change: Change) async throws(SyncError) -> WriteResult {
    var change = change
    do throws(SyncError) { change.content = try await inMemory(change.content) } catch { return .failed(error) }
    try requireRoot()
    return files.carryOut(change)
  }

  private func requireRoot() throws(SyncError) {
    guard hasRoot else { throw SyncError(.notFound, "\(address) does not exist") }
  }
}
