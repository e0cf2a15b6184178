/// A storage around a storage: everything is forwarded, and something happens around each verb.
protocol StorageLayer: Storage {
  var storage: any Storage { get }

  /// Called for each verb; does `work` once, several times, or not at all.
  func around<Value: Sendable>(
    _ verb: Verb, _ work: @Sendable () async throws(SyncError) -> Value
  ) async throws(SyncError) -> Value
}

/// What is asked of a storage, for the log.
enum Verb: CustomStringConvertible, Sendable {
  case list, recover, createRoot, diagnose
  case read(Int)
  case confirm(Int)
  case commit(Int)
  case readFile(SyncPath)
  case writeFile(SyncPath)
  case removeFile(SyncPath)
  case confirmFile(SyncPath)

  /// Whether repeating it is harmless.
  var onlyReads: Bool {
    switch self {
    case .list, .read, .confirm, .readFile, .confirmFile: true
    case .recover, .createRoot, .diagnose, .commit, .writeFile, .removeFile: false
    }
  }

  var description: String {
    switch self {
    case .list: "list"
    case .recover: "recover"
    case .createRoot: "create root"
    case .diagnose: "diagnose"
    case .read(let count): "read \(count.counted("file"))"
    case .confirm(let count): "confirm \(count) paths"
    case .commit(let count): "commit \(count.counted("change"))"
    case .readFile(let path): "read \(path)"
    case .writeFile(let path): "write \(path)"
    case .removeFile(let path): "remove \(path)"
    case .confirmFile(let path): "confirm \(path)"
    }
  }
}

extension StorageLayer {
  var address: String { storage.address }

  func capabilities() async throws(SyncError) -> Capabilities { try await storage.capabilities() }

  func changes() -> AsyncStream<Void> { storage.changes() }

  var tellsOfWholeFiles: Bool { storage.tellsOfWholeFiles }

  var commitLimit: CommitLimit { storage.commitLimit }

  func diagnose() async throws(SyncError) -> [Finding] {
    try await around(.diagnose) { () throws(SyncError) in try await storage.diagnose() }
  }

  func list(since known: Known) async throws(SyncError) -> Snapshot {
    try await around(.list) { () throws(SyncError) in try await storage.list(since: known) }
  }

  func createRoot() async throws(SyncError) {
    try await around(.createRoot) { () throws(SyncError) in try await storage.createRoot() }
  }

  func recover() async throws(SyncError) {
    try await around(.recover) { () throws(SyncError) in try await storage.recover() }
  }

  func read(
    _ path: SyncPath, expecting expected: Revision?, into sink: any ContentSink
  ) async throws(SyncError) -> ReadResult {
    try await around(.readFile(path)) { () throws(SyncError) in
      try await storage.read(path, expecting: expected, into: sink)
    }
  }

  func write(_ content: Content, to path: SyncPath, if condition: Condition) async throws(SyncError) -> WriteResult {
    try await around(.writeFile(path)) { () throws(SyncError) in
      try await storage.write(content, to: path, if: condition)
    }
  }

  func remove(_ path: SyncPath, if condition: Condition) async throws(SyncError) -> WriteResult {
    try await around(.removeFile(path)) { () throws(SyncError) in try await storage.remove(path, if: condition) }
  }

  func confirm(_ path: SyncPath) async throws(SyncError) -> Presence {
    try await around(.confirmFile(path)) { () throws(SyncError) in try await storage.confirm(path) }
  }

  // A storage that has no better way for many files than one by one is asked so here, through this layer's own verbs.

  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    guard try await storage.capabilities().batches else { return try await commitEach(changes) }
    return try await around(.commit(changes.count)) { () throws(SyncError) in try await storage.commit(changes) }
  }

  func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    guard try await storage.capabilities().batches else { return try await readEach(paths, into: sink) }
    return try await around(.read(paths.count)) { () throws(SyncError) in try await storage.read(paths, into: sink) }
  }

  func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence] {
    guard try await storage.capabilities().batches else { return try await confirmEach(paths) }
    return try await around(.confirm(paths.count)) { () throws(SyncError) in try await storage.confirm(paths) }
  }
}
