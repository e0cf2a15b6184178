/// Presents the objects of a store as files. A revision is the object's etag.
///
/// Before the first write it tests whether the store keeps its conditions, and refuses to write otherwise: a store that ignores
/// `If-Match` loses edits.
public struct ObjectFiles<Store: ObjectStore>: FileService {
  private let store: Store
  private let proof: ConditionProof<Store>

  /// - Parameter parts: The parts of the remote; its journal stores that the conditions hold.
  public init(_ store: Store, _ parts: RemoteParts) {
    self.store = store
    proof = ConditionProof(store: store, parts: parts)
  }

  public var address: String { store.address }

  public func capabilities() async throws(SyncError) -> Capabilities {
    Capabilities(
      replacement: try await proof.isKnown() ? .conditional : .unsafe, naming: store.naming,
      parallelism: store.parallelism)
  }

  public func createRoot() async throws(SyncError) { try await store.create() }

  // MARK: Reading

  /// The maximum number of objects; a larger store cannot be synced file by file.
  private static var largestListing: Int { 1_000_000 }
  /// The maximum number of consecutive pages without objects, which some stores return.
  private static var mostEmptyPages: Int { 1_000 }

  public func list(since known: Known) async throws(SyncError) -> Snapshot {
    var builder = SnapshotBuilder(since: known)
    var tokens: Set<String> = []
    var token: String?
    var (count, emptyPages) = (0, 0)
    repeat {
      let page = try await store.list(page: token)
      count += page.objects.count
      emptyPages = page.objects.isEmpty ? emptyPages + 1 : 0
      guard count <= Self.largestListing, emptyPages <= Self.mostEmptyPages else {
        throw SyncError(.unexpected, "the listing of \(address) does not end")
      }
      for (name, version) in page.objects {
        if let path = SyncPath(bytes: name) { builder.add(try entry(version, at: path)) }
      }
      token = page.next
      if let token, !tokens.insert(token).inserted {
        throw SyncError(.unexpected, "the listing of \(address) does not end: it leads to the same page again")
      }
    } while token != nil
    return builder.finish(root: RootIdentity(address: address, id: nil), naming: store.naming)
  }

  public func read(_ path: SyncPath, into sink: any ContentSink) async throws(SyncError) -> ReadResult {
    var version: ObjectVersion?
    let taken: (digest: Digest, size: Int)
    do throws(SyncError) {
      taken = try await sink.receive(size: 0) { intake throws(SyncError) in
        version = try await store.get(path, into: intake)
        // Thrown so that the sink keeps nothing.
        if version == nil { throw SyncError(.notFound, "\(path) is not there") }
      }
    } catch {
      guard error.code == .notFound else { throw error }
      return .absent
    }
    guard let version, version.size == nil || version.size == taken.size else {
      return .postponed("\(path) arrived incomplete")
    }
    var entry = try entry(version, at: path)
    (entry.digest, entry.size) = (taken.digest, taken.size)
    return .read(entry)
  }

  public func confirm(_ path: SyncPath) async throws(SyncError) -> Presence {
    try await current(path).map(Presence.present) ?? .absent
  }

  private func current(_ path: SyncPath) async throws(SyncError) -> Entry? {
    guard let version = try await store.head(path) else { return nil }
    return try entry(version, at: path)
  }

  private func entry(_ version: ObjectVersion, at path: SyncPath) throws(SyncError) -> Entry {
    guard !version.etag.isEmpty else {
      throw SyncError(.unexpected, "\(address) sent no etag for \(path); versions cannot be distinguished")
    }
    return Entry(
      path: path, revision: Revision(version.etag), isFirm: !version.etag.hasPrefix("W/"), size: version.size ?? 0,
      modified: version.modified)
  }

  // MARK: Writing

  public func write(
    _ content: Content, to path: SyncPath, if condition: Condition
  ) async throws(SyncError) -> WriteResult {
    if let violation = store.naming.violation(by: path) { return .cannot(violation) }
    try await proof.require()
    do throws(SyncError) {
      switch try await store.put(content.verified, at: path, if: condition) {
      case .done(let version?):
        var entry = try entry(version, at: path)
        entry.size = content.size
        return .done(entry)
      case .done(nil): return try await lookedUp(content, at: path, .notAsSent)
      case .refused: return .refused(try await current(path))
      }
    } catch {
      guard error.mayBeDone else { throw error }
      return try await lookedUp(content, at: path, error)
    }
  }

  public func remove(_ path: SyncPath, if condition: Condition) async throws(SyncError) -> WriteResult {
    guard case .unchanged(let revision) = condition else {
      let entry = try await current(path)
      return entry == nil ? .done(nil) : .refused(entry)
    }
    try await proof.require()
    do throws(SyncError) {
      if case .done = try await store.delete(path, if: revision) { return .done(nil) }
      return .refused(try await current(path))
    } catch {
      guard error.mayBeDone else { throw error }
      return try await current(path) == nil ? .done(nil) : .unknown(error)
    }
  }

  /// Determines the result of a write whose answer was lost: it is done if the content is there. Throws if that cannot be read
  /// either.
  private func lookedUp(
    _ content: Content, at path: SyncPath, _ error: SyncError
  ) async throws(SyncError) -> WriteResult {
    guard case .read(let entry) = try await read(path, into: DigestSink()), entry.digest == content.digest else {
      return .unknown(error)
    }
    return .done(entry)
  }
}

extension SyncError {
  /// True if a change with this error may still have been made.
  fileprivate var mayBeDone: Bool { code == .unavailable || code == .timedOut }

  fileprivate static let notAsSent = SyncError(.unexpected, "the store confirmed a write and has something else there")
}
