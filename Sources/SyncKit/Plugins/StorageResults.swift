/// The result of reading one file.
public enum ReadResult: Sendable {
  /// The content is in the sink. The entry has the revision that this content belongs to, and its digest.
  case read(Entry)
  /// The file kept changing while it was read, or is not complete yet; a later pass reads it.
  case postponed(String)
  /// The file does not exist.
  case absent
  /// The file cannot be read. `.suspect` holds the file until a user has decided; other codes report it as failed.
  case failed(SyncError)
}

/// The result of a lookup by name.
public enum Presence: Sendable {
  case present(Entry)
  case absent
  /// Not known yet; the run asks again after a short time.
  case postponed(String)
  /// Not known; nothing that depends on it is changed.
  case unknown(String)
}

extension Collection {
  /// Pairs each request of a batch with its result. Throws `.unexpected` unless there is exactly one result for each, so that a
  /// missing result cannot be confused with that of another request.
  ///
  /// - Parameter source: The name of the source of the results, for the message.
  public func paired<Result>(
    with results: [Result], from source: String
  ) throws(SyncError) -> [(request: Element, result: Result)] {
    guard results.count == count else {
      throw SyncError(
        .unexpected, "\(source) returned \(results.count) results for \(count) requests (backend bug); ignored")
    }
    return zip(self, results).map { (request: $0, result: $1) }
  }
}

/// The result of a request about one path, which may have the entry of that path.
package protocol PathResult {
  var entry: Entry? { get }
}

extension ReadResult: PathResult {
  package var entry: Entry? { if case .read(let entry) = self { entry } else { nil } }
}

extension Presence: PathResult {
  package var entry: Entry? { if case .present(let entry) = self { entry } else { nil } }
}

extension WriteResult: PathResult {
  /// A refusal has the present entry, which may be a folder or a file that the replica treats as the same.
  package var entry: Entry? {
    switch self {
    case .done(let entry), .accepted(let entry): entry
    case .cannot, .failed, .postponed, .refused, .unknown: nil
    }
  }
}

extension Collection where Element: PathResult {
  /// Returns the results. Throws `.unexpected` if one of them is about another path than the request in its place: results
  /// in another order would give a file the content of another one.
  package func inOrder(of paths: some Collection<SyncPath>, from source: String) throws(SyncError) -> Self {
    for (path, result) in zip(paths, self) {
      guard let other = result.entry?.path, other != path else { continue }
      throw SyncError(
        .unexpected, "\(source) returned a result for \(other) instead of \(path) (backend bug); ignored")
    }
    return self
  }
}

extension [WriteResult?] {
  /// The results of a batch whose changes were made one by one. A change without a result may have happened or not.
  public var complete: [WriteResult] {
    map { $0 ?? .unknown(SyncError(.unexpected, "the change has no result (backend bug)")) }
  }
}

/// The methods for one file call those for a batch, and return the single result.
extension Storage {
  /// Reads one file whole into `sink`.
  public func read(file path: SyncPath, into sink: any ContentSink) async throws(SyncError) -> ReadResult {
    try await only(read([path], into: sink))
  }

  /// Looks up one path by name.
  public func confirm(file path: SyncPath) async throws(SyncError) -> Presence { try await only(confirm([path])) }

  /// Makes one change.
  public func commit(change: Change) async throws(SyncError) -> WriteResult { try await only(commit([change])) }

  /// Stores one content.
  public func write(
    _ content: Content, to path: SyncPath, if condition: Condition
  ) async throws(SyncError) -> WriteResult {
    try await commit(change: Change(path: path, content: content, condition: condition))
  }

  /// Removes one file.
  public func remove(_ path: SyncPath, if condition: Condition) async throws(SyncError) -> WriteResult {
    try await commit(change: Change(path: path, content: nil, condition: condition))
  }

  private func only<Result>(_ results: [Result]) throws(SyncError) -> Result {
    guard results.count == 1 else {
      throw SyncError(.unexpected, "\(address) returned \(results.count) results for 1 request (backend bug); ignored")
    }
    return results[0]
  }
}
