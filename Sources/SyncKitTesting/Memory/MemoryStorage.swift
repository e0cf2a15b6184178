public import SyncKit

/// A storage in memory: small, and right in everything that a storage promises.
///
/// It is what a storage of any kind is compared with, and what tests stack layers and engines on. Each write gives the
/// file a new revision, also when the content is the same.
public actor MemoryStorage: Storage {
  public nonisolated let address: String
  private nonisolated let proved: Capabilities
  private var files: MemoryFiles
  private var hasRoot: Bool

  /// An empty storage.
  /// - Parameters:
  ///   - isFirm: Whether entries say that their revision is firm, so that the engine need not compare content.
  ///   - hasRoot: Whether the root is there from the start; if not, `createRoot` makes it.
  public init(
    address: String = "memory:", capabilities: Capabilities = Capabilities(replacement: .conditional),
    isFirm: Bool = true, hasRoot: Bool = true
  ) {
    self.address = address
    self.proved = capabilities
    self.files = MemoryFiles(naming: capabilities.naming, isFirm: isFirm)
    self.hasRoot = hasRoot
  }

  /// The content of every file, the program's own ones included.
  public var contents: [SyncPath: Content] { files.files.mapValues(\.content) }

  /// Stores a content unconditionally, as somebody does who does not sync.
  public func put(_ content: Content, at path: SyncPath) { _ = files.put(content, at: path) }

  /// Removes a file unconditionally, as somebody does who does not sync.
  public func take(_ path: SyncPath) { files.take(path) }

  public func capabilities() -> Capabilities { proved }

  public func createRoot() async { hasRoot = true }

  public func list(since known: Known) throws(SyncError) -> Snapshot {
    try requireRoot()
    return files.snapshot(since: known, root: RootIdentity(address: address, id: nil))
  }

  public func read(
    _ path: SyncPath, expecting expected: Revision?, into sink: any ContentSink
  ) async throws(SyncError) -> ReadResult {
    try requireRoot()
    return try await files.read(path, expecting: expected, into: sink)
  }

  public func write(
    _ content: Content, to path: SyncPath, if condition: Condition
  ) async throws(SyncError) -> WriteResult {
    let copy: Content
    do throws(SyncError) { copy = try await inMemory(content) } catch { return .failed(error) }
    try requireRoot()
    return files.write(copy, to: path, if: condition)
  }

  public func remove(_ path: SyncPath, if condition: Condition) throws(SyncError) -> WriteResult {
    try requireRoot()
    return files.remove(path, if: condition)
  }

  public func confirm(_ path: SyncPath) throws(SyncError) -> Presence {
    try requireRoot()
    return files.presence(of: path)
  }

  private func requireRoot() throws(SyncError) {
    guard hasRoot else { throw SyncError(.notFound, "there is nothing at \(address)") }
  }
}
