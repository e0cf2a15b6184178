/// A layer that wraps each call of a storage and changes nothing else: it logs or retries.
///
/// It forwards all calls in one place. A layer that changes the behaviour of a verb conforms to `Storage` instead.
protocol StorageLayer: Storage {
  var storage: any Storage { get }

  /// Called for each call; runs `work` once, several times, or not at all.
  func around<Value: Sendable>(
    _ call: StorageCall, _ work: @Sendable () async throws(SyncError) -> Value
  ) async throws(SyncError) -> Value
}

/// A call of a storage, for the log.
enum StorageCall: CustomStringConvertible, Sendable {
  case list, recover, createRoot, diagnose
  case read([SyncPath])
  case confirm([SyncPath])
  case commit([SyncPath])

  /// True if the call can be repeated, because it changes nothing.
  var onlyReads: Bool {
    switch self {
    case .list, .read, .confirm: true
    case .recover, .createRoot, .diagnose, .commit: false
    }
  }

  var description: String {
    switch self {
    case .list: "list"
    case .recover: "recover"
    case .createRoot: "create root"
    case .diagnose: "diagnose"
    case .read(let paths): "read \(Self.subject(paths))"
    case .confirm(let paths): "confirm \(Self.subject(paths))"
    case .commit(let paths): "commit \(Self.subject(paths))"
    }
  }

  private static func subject(_ paths: [SyncPath]) -> String {
    paths.count == 1 ? "\(paths[0])" : "\(paths.count) paths"
  }
}

extension StorageLayer {
  var address: String { storage.address }

  func capabilities() async throws(SyncError) -> Capabilities { try await storage.capabilities() }

  func changes() -> AsyncStream<Void> { storage.changes() }

  func list(since known: Known) async throws(SyncError) -> Snapshot {
    try await around(.list) { () throws(SyncError) in try await storage.list(since: known) }
  }

  func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    try await around(.read(paths)) { () throws(SyncError) in try await storage.read(paths, into: sink) }
  }

  func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence] {
    try await around(.confirm(paths)) { () throws(SyncError) in try await storage.confirm(paths) }
  }

  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    try await around(.commit(changes.map(\.path))) { () throws(SyncError) in try await storage.commit(changes) }
  }

  func createRoot() async throws(SyncError) {
    try await around(.createRoot) { () throws(SyncError) in try await storage.createRoot() }
  }

  func recover() async throws(SyncError) {
    try await around(.recover) { () throws(SyncError) in try await storage.recover() }
  }

  func diagnose() async throws(SyncError) -> [Finding] {
    try await around(.diagnose) { () throws(SyncError) in try await storage.diagnose() }
  }
}
