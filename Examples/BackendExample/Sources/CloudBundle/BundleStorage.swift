public import SyncKit

/// A storage whose files are parts of one file.
///
/// Every change reads the bundle, changes it in memory and replaces the file, all under a lock, so a condition holds until the
/// change has happened. A file's revision is the digest of its content.
public actor BundleStorage: StorageDefaults {
  public nonisolated let address: String
  private let file: BundleFile
  private static let naming = NamingRules()

  /// The storage in the file at `path`.
  public init(path: String) {
    address = path
    file = BundleFile(path: path)
  }

  public func capabilities() -> Capabilities {
    // A batch is one new bundle, however many files it changes.
    Capabilities(replacement: .conditional, naming: Self.naming, parallelism: 1)
  }

  public func createRoot() async throws(SyncError) { try file.create() }

  public func recover() async throws(SyncError) { try file.removeLeftover() }

  public func list(since known: Known) throws(SyncError) -> Snapshot {
    var builder = SnapshotBuilder(since: known)
    for (path, bytes) in try file.read().files.sorted(by: { $0.key < $1.key }) { builder.add(entry(path, bytes)) }
    return builder.finish(root: RootIdentity(address: address, id: nil), naming: Self.naming)
  }

  public func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    let bundle = try file.read()
    var results: [ReadResult] = []
    for path in paths {
      guard let bytes = bundle.files[path] else {
        results.append(.absent)
        continue
      }
      _ = try await sink.receive(bytes)
      results.append(.read(entry(path, bytes)))
    }
    return results
  }

  public func confirm(_ paths: [SyncPath]) throws(SyncError) -> [Presence] {
    let bundle = try file.read()
    return paths.map { path in bundle.files[path].map { .present(entry(path, $0)) } ?? .absent }
  }

  public func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    var contents: [Result<[UInt8], SyncError>?] = []
    for change in changes { contents.append(await change.content?.verified()) }
    return try file.update { bundle in
      var results: [WriteResult?] = Array(repeating: nil, count: changes.count)
      // Removals make room for writes: a file may be replaced by a folder of its name.
      let removalsFirst =
        changes.indices.filter { contents[$0] == nil } + changes.indices.filter { contents[$0] != nil }
      for index in removalsFirst { results[index] = carryOut(changes[index], contents[index], in: &bundle) }
      return results.complete
    }
  }

  private func carryOut(
    _ change: Change, _ content: Result<[UInt8], SyncError>?, in bundle: inout Bundle
  ) -> WriteResult {
    if let objection = Self.naming.violation(by: change.path) { return .cannot(objection) }
    let found = bundle.files[change.path].map { entry(change.path, $0) }
    guard (found.map { .unchanged($0.revision) } ?? .absent) == change.condition else { return .refused(found) }
    switch content {
    case nil:
      bundle.files[change.path] = nil
      return .done(nil)
    case .failure(let error): return .failed(error)
    case .success(let bytes):
      if let obstacle = bundle.obstacle(to: change.path) { return .failed(SyncError(.pathFailed, obstacle)) }
      bundle.files[change.path] = bytes
      return .done(entry(change.path, bytes))
    }
  }

  private func entry(_ path: SyncPath, _ bytes: [UInt8]) -> Entry {
    let digest = Digest(of: bytes)
    return Entry(path: path, revision: Revision(bytes: digest.bytes), digest: digest, size: bytes.count)
  }
}

extension Content {
  /// All bytes, if they have the announced size and digest.
  fileprivate func verified() async -> Result<[UInt8], SyncError> {
    do throws(SyncError) {
      let bytes = try await bytes()
      guard Digest(of: bytes) == digest else {
        return .failure(SyncError(.changedMeanwhile, "the file changed while it was read"))
      }
      return .success(bytes)
    } catch {
      return .failure(error)
    }
  }
}
