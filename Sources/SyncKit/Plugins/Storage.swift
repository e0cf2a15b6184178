/// A place that holds files under paths: a folder, a WebDAV server, a cloud.
///
/// Five verbs are enough; everything else has a right, perhaps slow, default. What holds for all of them:
/// a write happens whole or not at all and only if its condition holds; a listing is complete or says what is missing;
/// "not there" is never confused with "could not look"; a name comes back with the bytes it went in with.
public protocol Storage: Sendable {
  /// What the place is called in messages, without credentials: a path, a URL.
  var address: String { get }

  /// What the place can do, as it was proved for this account. Called once a pass, before anything is written.
  func capabilities() async throws(SyncError) -> Capabilities

  /// Lists everything below the root. Throws `.notFound` if the root itself is not there, and `.unavailable` or another
  /// error if that cannot be told.
  func list(since known: Known) async throws(SyncError) -> Snapshot

  /// Reads one file whole into `sink`. With `expected`, `.postponed` if another revision is there.
  func read(
    _ path: SyncPath, expecting expected: Revision?, into sink: any ContentSink
  ) async throws(SyncError) -> ReadResult

  /// Stores `content` whole or not at all; `.refused` with what is there now unless `condition` holds.
  func write(_ content: Content, to path: SyncPath, if condition: Condition) async throws(SyncError) -> WriteResult

  /// Removes a file; `.refused` with what is there now unless `condition` holds.
  func remove(_ path: SyncPath, if condition: Condition) async throws(SyncError) -> WriteResult

  /// Looks one path up by name.
  func confirm(_ path: SyncPath) async throws(SyncError) -> Presence

  /// Creates the root where it is missing; its parent must be there. Default: the place always has a root.
  func createRoot() async throws(SyncError)

  /// Finishes or undoes whatever a crash interrupted. Default: nothing to do.
  func recover() async throws(SyncError)

  /// How much a `commit` is handed at most. Default: the usual.
  var commitLimit: CommitLimit { get }

  /// Makes many changes. Default: each by `write` or `remove`, several at a time. A storage that can flush or send many
  /// at once replaces it.
  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult]

  /// Reads many files. Default: each by `read`, several at a time.
  func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult]

  /// Looks many paths up. Default: each by `confirm`, several at a time.
  func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence]

  /// Says "look again" whenever something may have changed. Default: never.
  func changes() -> AsyncStream<Void>

  /// Whether what is told of is whole when it is told, so that nobody has to wait until files are still. Default: it may
  /// be half written.
  var tellsOfWholeFiles: Bool { get }

  /// Tries out what the place can do and tells it in words; asked for by a person, never during a pass. It may write
  /// temporaries and leaves none. Throws where nothing can be found out. Default: whether it can be listed.
  func diagnose() async throws(SyncError) -> [Finding]
}

extension Storage {
  public func createRoot() async throws(SyncError) {}

  public func recover() async throws(SyncError) {}

  public var commitLimit: CommitLimit { .usual }

  public func changes() -> AsyncStream<Void> { AsyncStream { $0.finish() } }

  public var tellsOfWholeFiles: Bool { false }

  public func diagnose() async throws(SyncError) -> [Finding] {
    let listing = try await list(since: Known())
    return [Finding(.good, "\(address) is reachable and holds \(listing.count.counted("file"))")]
      + listing.unread.map { Finding(.problem, "cannot read \($0.path)") }
  }

  public func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    try await commitEach(changes)
  }

  public func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    try await readEach(paths, into: sink)
  }

  public func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence] {
    try await confirmEach(paths)
  }

  /// Each change by `write` or `remove`, several at a time.
  func commitEach(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    var results: [WriteResult?] = Array(repeating: nil, count: changes.count)
    for group in changes.steps {
      let outcomes = try await inParallel(group) { index throws(SyncError) in try await self.carryOut(changes[index]) }
      for (index, outcome) in zip(group, outcomes) { results[index] = outcome }
    }
    return results.compactMap(\.self)
  }

  func readEach(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    try await inParallel(paths) { path throws(SyncError) in try await self.read(path, expecting: nil, into: sink) }
  }

  func confirmEach(_ paths: [SyncPath]) async throws(SyncError) -> [Presence] {
    try await inParallel(paths) { path throws(SyncError) in try await self.confirm(path) }
  }

  private func carryOut(_ change: Change) async throws(SyncError) -> WriteResult {
    guard let content = change.content else { return try await remove(change.path, if: change.condition) }
    return try await write(content, to: change.path, if: change.condition)
  }

  private func inParallel<Item: Sendable, Value: Sendable>(
    _ items: [Item], _ work: @escaping @Sendable (Item) async throws(SyncError) -> Value
  ) async throws(SyncError) -> [Value] {
    try await mapConcurrently(items, atMost: try await capabilities().parallelism, work)
  }
}

/// What a storage can do, proved for this account and not announced.
public struct Capabilities: Hashable, Sendable {
  /// How a version is replaced without displacing another one unseen.
  public enum Replacement: String, Hashable, Sendable {
    /// Writes are conditional, and the condition was seen to hold until the write takes effect.
    case conditional
    /// Moves were seen not to overwrite: the old version is moved away, looked at, and the new one moved in.
    case moves
    /// Neither; written to only with the user's consent.
    case unsafe
  }

  public var replacement: Replacement
  /// Whether a listing can be believed about what is not in it, once a look-up by name has confirmed it.
  public var provesAbsence: Bool
  public var naming: NamingRules
  /// How many requests may be under way at once.
  public var parallelism: Int
  /// Whether the storage makes many changes, or reads many files, better than one by one; if not, layers see each file.
  public var batches: Bool

  public init(
    replacement: Replacement, provesAbsence: Bool = true, naming: NamingRules = NamingRules(), parallelism: Int = 8,
    batches: Bool = false
  ) {
    self.replacement = replacement
    self.provesAbsence = provesAbsence
    self.naming = naming
    self.parallelism = parallelism
    self.batches = batches
  }
}
