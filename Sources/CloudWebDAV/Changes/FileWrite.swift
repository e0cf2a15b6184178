internal import SyncKit

/// The change of one file on a server.
struct FileWrite: Sendable {
  let storage: WebDAVStorage
  let traits: Traits
  let path: SyncPath
  let condition: Condition
  /// The content to replace or remove, if the caller knows it.
  let replaced: Content?

  var server: Server { storage.server }
  var state: WebDAVState { storage.state }
  var url: String { server.address.file(path) }

  /// Makes the change; serialised with all other changes of this path.
  func run(_ content: Content?) async throws(SyncError) -> WriteResult {
    if let namingViolation { return .cannot(namingViolation) }
    let altered = try await state.alteredNames()
    if let part = ([path] + path.ancestors).first(where: altered.contains) { return .cannot(Self.alteration(of: part)) }
    return try await state.locks.withLock(path.description) { () throws(SyncError) in
      switch (content, condition) {
      case (let content?, .absent): try await create(content)
      case (let content?, .unchanged(let revision)): try await update(content, revision)
      case (nil, .unchanged(let revision)): try await remove(revision)
      case (nil, .absent): try await refusal()
      }
    }
  }

  /// The reason why the server cannot hold the name; nil if it can.
  var namingViolation: String? {
    if let namingViolation = traits.naming.violation(by: path) { return namingViolation }
    if !traits.listsDotNames, path.bytes != Array(ReservedName.marker.utf8),
      path.parts.contains(where: { $0.first == UInt8(ascii: ".") })
    {
      return "the server never lists names that begin with a dot"
    }
    return nil
  }

  // MARK: Lookup

  /// Returns the present version.
  func observation() async throws(SyncError) -> Result<Observation?, SyncError> {
    switch try await server.lookUp(path) {
    case .there(let observation): .success(observation)
    case .absent: .success(nil)
    case .unclear(let error): .failure(error)
    }
  }

  func entry(_ observation: Observation) -> Entry { observation.entry(at: path, traits) }

  /// Returns the result for a condition that does not hold, with the present version.
  func refusal() async throws(SyncError) -> WriteResult {
    switch try await observation() {
    case .success(let observation): refusal(observation)
    case .failure(let error): .failed(error)
    }
  }

  func refusal(_ observation: Observation?) -> WriteResult {
    guard let observation, observation.facts.isFolder else { return .refused(observation.map(entry)) }
    return .failed(SyncError(.pathFailed, "cannot write \(path): \(storage.address) has a folder of this name"))
  }

  /// Returns true if the present version is the expected one. If revisions do not prove it, the contents are compared.
  func isExpected(_ observation: Observation?, _ revision: Revision) async throws(SyncError) -> Bool {
    guard let observation, !observation.facts.isFolder, observation.facts.revision == revision else { return false }
    guard let replaced, !entry(observation).isFirm else { return true }
    return try await holds(replaced, at: path)
  }

  /// Returns true if a file has this content.
  func holds(_ content: Content, at path: SyncPath) async throws(SyncError) -> Bool {
    guard case .read(let entry) = try await storage.readAlone(path, into: DigestSink()) else {
      return false
    }
    return entry.digest == content.digest
  }

  // MARK: Results

  /// Verifies an acknowledged change: the size must match, and evidence that the version is ours makes it firm.
  func resolved(_ content: Content, by evidence: Evidence) async throws(SyncError) -> WriteResult {
    switch try await server.lookUp(path, withLocks: evidence.lock != nil) {
    case .there(let observation) where observation.facts.size == content.size && !observation.facts.isFolder:
      return try await declinedIfAltered(observation, by: evidence) ?? .done(entry(observation, by: evidence))
    case .there(let observation): return notAsSent(observation, content)
    case .absent: return notAsSent(nil, content)
    case .unclear(let error): return .unknown(error)
    }
  }

  func notAsSent(_ observation: Observation?, _ content: Content) -> WriteResult {
    .unknown(
      SyncError(
        .pathFailed,
        "the server reported that it stored \(path), \(content.size.counted("byte")), but has "
          + (observation.map { "\(($0.facts.size ?? 0).counted("byte"))" } ?? "no such file")))
  }

  /// Resolves a change whose answer was lost or invalid: it was made if the content is in place.
  func resolved(_ content: Content, afterDoubt error: SyncError) async throws(SyncError) -> WriteResult {
    guard case .success(let found?) = try await observation(), found.facts.size == content.size,
      try await holds(content, at: path), case .success(let again?) = try await observation(),
      again.facts == found.facts
    else { return .unknown(error) }
    return try await declinedIfAltered(again, by: Evidence(tag: again.facts.tag?.quoted)) ?? .done(entry(again))
  }

  /// Returns the result for an error status if nothing was changed.
  func failure(_ status: Int, _ method: String) -> WriteResult {
    let error = server.syncError(status, method, path)
    return [423, 425, 429, 503].contains(status) ? .postponed(error.message) : .failed(error)
  }
}
