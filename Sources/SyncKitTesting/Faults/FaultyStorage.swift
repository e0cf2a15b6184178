public import SyncKit

/// Wraps a storage and injects faults of networks and servers.
///
/// Calls are counted from 1, each element of a batch as one; the plan determines their faults. A fault that does not apply to
/// an operation has no effect on it.
public actor FaultyStorage: Storage {
  public nonisolated let address: String
  private nonisolated let storage: any Storage
  private let sleep: @Sendable (Duration) async throws -> Void
  private var plan: FaultPlan
  private var calls = 0
  private var lastListing: Snapshot?
  /// The number of faults so far.
  public private(set) var faults = 0

  /// A storage with the faults of `plan`.
  /// - Parameter sleep: Waits for a delayed call.
  public init(
    _ storage: any Storage, plan: FaultPlan = .none,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { _ in await Task.yield() }
  ) {
    self.address = storage.address
    self.storage = storage
    self.plan = plan
    self.sleep = sleep
  }

  /// Changes the plan, and restarts counting from 1.
  public func follow(_ plan: FaultPlan) {
    self.plan = plan
    calls = 0
  }

  public nonisolated func capabilities() async throws(SyncError) -> Capabilities { try await storage.capabilities() }

  public nonisolated func createRoot() async throws(SyncError) { try await storage.createRoot() }

  public nonisolated func recover() async throws(SyncError) { try await storage.recover() }

  public nonisolated func changes() -> AsyncStream<Void> { storage.changes() }

  public nonisolated func diagnose() async throws(SyncError) -> [Finding] { try await storage.diagnose() }

  public func list(since known: Known) async throws(SyncError) -> Snapshot {
    let fault = try await nextFault()
    if fault == .listsStale, let lastListing { return lastListing.seen(since: known) }
    let listing = try await storage.list(since: known)
    try loseReply(fault)
    lastListing = listing
    return listing.altered(by: fault, since: known)
  }

  public func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    var results: [ReadResult] = []
    for path in paths {
      let fault = try await nextFault()
      try loseReply(fault)
      results.append(
        fault == .failsPath
          ? .failed(Self.pathFailure(path)) : try await storage.read(file: path, into: sink))
    }
    return results
  }

  public func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence] {
    var results: [Presence] = []
    for path in paths {
      let fault = try await nextFault()
      try loseReply(fault)
      results.append(
        fault == .failsPath
          ? .unknown("the response for \(path) is invalid") : try await storage.confirm(file: path))
    }
    return results
  }

  public func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    var results: [WriteResult?] = Array(repeating: nil, count: changes.count)
    for index in changes.steps.joined() {
      results[index] = try await carryOut(changes[index], fault: try await nextFault())
    }
    return results.complete
  }

  private func carryOut(_ change: Change, fault: Fault?) async throws(SyncError) -> WriteResult {
    switch fault {
    case .failsPath: return .failed(Self.pathFailure(change.path))
    case .refuses: return .refused(try await entry(at: change.path))
    case .pretends: return .done(change.content.map { Self.pretended(change.path, $0) })
    case .losesReply:
      _ = try await storage.commit(change: change)
      return .unknown(Self.lostReply)
    case .altersContent: return try await storage.commit(change: try await change.spoilt())
    case .ignoresCondition:
      var change = change
      change.condition = try await entry(at: change.path).map { .unchanged($0.revision) } ?? .absent
      return try await storage.commit(change: change)
    default: return try await storage.commit(change: change)
    }
  }

  private func entry(at path: SyncPath) async throws(SyncError) -> Entry? {
    guard case .present(let entry) = try await storage.confirm(file: path) else { return nil }
    return entry
  }

  /// Counts the call; throws if it does not reach the place, and waits if it is slow.
  private func nextFault() async throws(SyncError) -> Fault? {
    calls += 1
    guard let fault = plan.fault(ofCall: calls) else { return nil }
    faults += 1
    if fault == .unreachable { throw SyncError(.unavailable, "\(address) is unreachable") }
    if fault == .delays {
      do { try await sleep(.milliseconds(10)) } catch { throw SyncError(.cancelled, "the call was cancelled") }
    }
    return fault
  }

  private func loseReply(_ fault: Fault?) throws(SyncError) {
    if fault == .losesReply { throw Self.lostReply }
  }

  private static let lostReply = SyncError(.unavailable, "the response was lost")

  private static func pathFailure(_ path: SyncPath) -> SyncError {
    SyncError(.pathFailed, "\(path) is temporarily unavailable")
  }

  private static func pretended(_ path: SyncPath, _ content: Content) -> Entry {
    Entry(path: path, revision: Revision("pretended-\(content.digest.short)"), size: content.size)
  }
}

extension Change {
  /// The same change with a line prepended to its content.
  fileprivate func spoilt() async throws(SyncError) -> Change {
    guard let content else { return self }
    var change = self
    change.content = Content(Array("spoilt\n".utf8) + (try await content.bytes()))
    return change
  }
}

extension Snapshot {
  /// The same listing for a caller with other knowledge.
  fileprivate func seen(since known: Known) -> Snapshot { rebuilt(entries, since: known, isComplete: isComplete) }

  fileprivate func altered(by fault: Fault?, since known: Known) -> Snapshot {
    switch fault {
    case .cutsListing: rebuilt(half, since: known, isComplete: false)
    case .dropsFromListing: rebuilt(half, since: known, isComplete: isComplete)
    case .altersNames: rebuilt(entries.map(\.shouting), since: known, isComplete: isComplete)
    default: self
    }
  }

  private var half: [Entry] { Array(entries.prefix(count / 2)) }

  private func rebuilt(_ entries: [Entry], since known: Known, isComplete: Bool) -> Snapshot {
    var builder = SnapshotBuilder(since: known)
    for entry in entries { builder.add(entry) }
    for part in unread { builder.add(unread: part) }
    return builder.finish(
      root: root, naming: naming, isComplete: isComplete, wentBackwards: wentBackwards, cursor: cursor)
  }
}

extension Entry {
  /// The entry with its name in upper case.
  fileprivate var shouting: Entry {
    var entry = self
    let upper = path.bytes.map { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) ? $0 - 32 : $0 }
    if let path = SyncPath(bytes: upper) { entry.path = path }
    return entry
  }
}
