/// A service that handles one file at a time. `FileServiceStorage` turns it into a storage.
///
/// Each method corresponds to the method of `Storage` for a batch of one, and may throw the same codes. An error about one path
/// (`reach == .path`) may be thrown as well: it becomes the result of that path. Methods for different paths run concurrently,
/// `capabilities().parallelism` of them at most.
public protocol FileService: Sendable {
  /// See `Storage.address`.
  var address: String { get }

  /// See `Storage.capabilities()`.
  func capabilities() async throws(SyncError) -> Capabilities

  /// See `Storage.list(since:)`.
  func list(since known: Known) async throws(SyncError) -> Snapshot

  /// Reads a file whole into `sink`.
  func read(_ path: SyncPath, into sink: any ContentSink) async throws(SyncError) -> ReadResult

  /// Stores `content` whole or not at all; `.refused` with the present entry unless `condition` holds.
  func write(_ content: Content, to path: SyncPath, if condition: Condition) async throws(SyncError) -> WriteResult

  /// Removes a file; `.refused` with the present entry unless `condition` holds.
  func remove(_ path: SyncPath, if condition: Condition) async throws(SyncError) -> WriteResult

  /// Looks up a path by name.
  func confirm(_ path: SyncPath) async throws(SyncError) -> Presence

  /// See `Storage.createRoot()`. Default: the root always exists.
  func createRoot() async throws(SyncError)
}

extension FileService {
  public func createRoot() async throws(SyncError) {}
}

/// Turns a service that handles one file at a time into a storage. A batch runs concurrently, within the parallelism that the
/// service declares.
public struct FileServiceStorage<Service: FileService>: StorageDefaults {
  private let service: Service

  public init(_ service: Service) { self.service = service }

  public var address: String { service.address }

  public func capabilities() async throws(SyncError) -> Capabilities { try await service.capabilities() }

  public func list(since known: Known) async throws(SyncError) -> Snapshot { try await service.list(since: known) }

  public func createRoot() async throws(SyncError) { try await service.createRoot() }

  public func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    try await concurrently(paths) { path throws(SyncError) in
      try await perPath({ .failed($0) }) { () throws(SyncError) in try await service.read(path, into: sink.of(path)) }
    }
  }

  public func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence] {
    try await concurrently(paths) { path throws(SyncError) in
      try await perPath({ .unknown($0.message) }) { () throws(SyncError) in try await service.confirm(path) }
    }
  }

  public func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    var results: [WriteResult?] = Array(repeating: nil, count: changes.count)
    for step in changes.steps {
      let ends = try await concurrently(step) { index throws(SyncError) in
        try await perPath({ .failed($0) }) { () throws(SyncError) in try await carryOut(changes[index]) }
      }
      for (index, end) in try step.paired(with: ends, from: address) { results[index] = end }
    }
    return results.complete
  }

  private func carryOut(_ change: Change) async throws(SyncError) -> WriteResult {
    guard let content = change.content else { return try await service.remove(change.path, if: change.condition) }
    return try await service.write(content, to: change.path, if: change.condition)
  }

  private func concurrently<Item: Sendable, Value: Sendable>(
    _ items: [Item], _ work: @escaping @Sendable (Item) async throws(SyncError) -> Value
  ) async throws(SyncError) -> [Value] {
    guard !items.isEmpty else { return [] }
    return try await mapConcurrently(items, atMost: try await service.capabilities().parallelism, work)
  }

  /// Returns the value of `work`, or turns an error about the path itself into a result.
  private func perPath<Value>(
    _ result: (SyncError) -> Value, _ work: () async throws(SyncError) -> Value
  ) async throws(SyncError) -> Value {
    do throws(SyncError) { return try await work() } catch {
      guard error.reach == .path else { throw error }
      return result(error)
    }
  }
}
