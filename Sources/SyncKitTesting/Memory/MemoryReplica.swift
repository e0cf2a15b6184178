public import SyncKit

/// A replica in memory: small, and correct in everything that a replica promises.
public actor MemoryReplica: Replica, StorageDefaults {
  public nonisolated let address: String
  private var files: MemoryFiles
  private var identity: String?
  private var generation: Int?
  /// The contents that commits have written and the engine may not have recorded yet.
  private var written: [SyncPath: Digest] = [:]

  /// An empty replica.
  /// - Parameters:
  ///   - identity: The identity; nil if `claim` creates one.
  ///   - isFirm: True if entries declare their revision firm, so that the engine need not compare content.
  public init(
    address: String = "memory:", identity: String? = nil, naming: NamingRules = NamingRules(), isFirm: Bool = true
  ) {
    self.address = address
    self.identity = identity
    self.files = MemoryFiles(naming: naming, isFirm: isFirm)
  }

  /// The content of every file.
  public var contents: [SyncPath: Content] { files.files.mapValues(\.content) }

  /// Writes a file unconditionally, as an editor does.
  public func put(_ content: Content, at path: SyncPath) { _ = files.put(content, at: path) }

  /// Adds a version of a file that another device made without knowledge of the present one, which stays until a commit under the
  /// new revision replaces both.
  /// - Parameter ancestor: The last content that both descend from; nil if there is none.
  public func putConcurrently(_ content: Content, at path: SyncPath, ancestor: Digest?) {
    putConcurrently(content, at: path, Concurrency(ancestor: ancestor))
  }

  /// Adds a version that was made without knowledge of the present one, with its origin. The next write replaces both.
  public func putConcurrently(_ content: Content, at path: SyncPath, _ origin: Concurrency) {
    files.putConcurrently(content, at: path, origin)
  }

  /// Removes a file unconditionally, as a user does.
  public func take(_ path: SyncPath) { files.take(path) }

  public func capabilities() -> Capabilities { Capabilities(replacement: .conditional, naming: files.naming) }

  public func list(since known: Known) -> Snapshot {
    written = written.filter { known.awaited[$0.key] == $0.value }
    var snapshot = files.snapshot(since: known, root: root)
    snapshot.written = Set(written.keys)
    return snapshot
  }

  public func claim() -> RootIdentity {
    identity = identity ?? "replica of \(address)"
    return root
  }

  public func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    var results: [ReadResult] = []
    for path in paths { results.append(try await files.read(path, into: sink)) }
    return results
  }

  public func confirm(_ paths: [SyncPath]) -> [Presence] { paths.map(files.presence) }

  public func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    var results: [WriteResult?] = Array(repeating: nil, count: changes.count)
    for index in changes.steps.joined() { results[index] = await carryOut(changes[index]) }
    return results.complete
  }

  @discardableResult public func stamp(generation: Int) async -> Bool {
    self.generation = generation
    return true
  }

  private var root: RootIdentity { RootIdentity(address: address, id: identity, generation: generation) }

  private func carryOut(_ change: Change) async -> WriteResult {
    var change = change
    do throws(SyncError) { change.content = try await inMemory(change.content) } catch { return .failed(error) }
    let result = files.carryOut(change)
    if case .done = result, let content = change.content { written[change.path] = content.digest }
    return result
  }
}
