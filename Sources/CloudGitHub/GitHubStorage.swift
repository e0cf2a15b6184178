internal import GitObjects
internal import HTTPStorage
internal import SyncKit

/// A branch of a repository on a server as a storage. A file's revision is the id of its blob, and each batch of changes becomes
/// one commit.
struct GitHubStorage: StorageDefaults {
  let service: Service
  let settings: GitHub.Settings
  let branch: Branch
  let cache: ObjectCache
  let loading: TreeLoading
  let device: Device
  let address: String
  /// One commit at a time: GitHub asks clients to write serially, and commits of Forgejo would overtake each other.
  private let locks = LockQueue()

  /// - Parameter origin: the commit from which a rewritten history was accepted. The branch is another replica since: both sides
  ///   are united, and nothing is deleted.
  init(_ service: Service, parts: RemoteParts, settings: GitHub.Settings, origin: String?) {
    self.service = service
    self.settings = settings
    device = parts.device
    cache = ObjectCache()
    loading = TreeLoading(service, cache, maxFiles: settings.maxFiles)
    branch = Branch(service, BranchHistory(service: service, journal: parts.journal, accepted: settings.accept))
    let accepted = settings.accept.map { String($0.lowercased().prefix(10)) }
    address = service.place.address + ((origin ?? accepted).map { " from \($0)" } ?? "")
  }

  var naming: NamingRules { settings.kind.naming }

  func capabilities() -> Capabilities {
    Capabilities(
      replacement: .conditional, naming: naming, parallelism: service.parallelism,
      commitLimit: settings.kind.commitLimit, uploadCheck: .confirmed)
  }

  // MARK: The root

  func createRoot() async throws(SyncError) {
    guard try await branch.state() == .missing else { return }
    guard settings.createBranch, let name = settings.branch else {
      throw SyncError(
        .invalidSettings,
        "the branch of \(service.place.address) does not exist; push it, change `branch`, or set `create-branch = true`"
      )
    }
    let start = try await branch.repository().defaultBranch
    let outcome = try await service.api.create(name, from: start)
    // Another device may have been faster, and the answer may be lost.
    guard !outcome.isGood, try await branch.state() == .missing else { return }
    throw SyncError(
      .unavailable,
      "cannot create the branch of \(service.place.address): \(outcome.error(at: service.place.host).message)")
  }

  // MARK: Reading

  func list(since known: Known) async throws(SyncError) -> Snapshot {
    let root = RootIdentity(address: address, id: nil)
    guard let tip = try await branch.refreshUnlessEmpty() else {
      return SnapshotBuilder(since: known).finish(root: root, naming: naming)
    }
    cache.forgetDamage()
    try await loading.load(tip.tree)
    let walk = try walk(tip, since: known)
    cache.keep(below: tip.tree)
    return walk.builder.finish(root: root, naming: naming)
  }

  func walk(_ tip: Branch.Tip, since known: Known) throws(SyncError) -> TreeWalk {
    var walk = TreeWalk(
      TreeWalk.Store(
        tree: { id throws(SyncError) in try cache.tree(id) },
        file: { id throws(SyncError) in
          guard let bytes = cache.file(id) else {
            throw SyncError(.unavailable, "a `.gitattributes` of \(service.place.address) was not received")
          }
          return bytes
        }), since: known)
    try walk.run(tip.tree)
    return walk
  }

  /// The tree `root` in memory, or an empty one, and what edits make of it.
  ///
  /// - Parameter write: called with each tree that an edit makes
  func edit(
    of root: ObjectID?, write: @escaping (GitTree) throws(SyncError) -> ObjectID = { tree throws(SyncError) in tree.id }
  ) throws(SyncError) -> TreeEdit {
    try TreeEdit(
      root, in: TreeEdit.Store(read: { id throws(SyncError) in try cache.tree(id) }, write: write))
  }

  /// The known state of the branch, with all of its trees; nil for an empty repository.
  private func presentTip() async throws(SyncError) -> Branch.Tip? {
    var tip = branch.tip
    if tip == nil { tip = try await branch.refresh() }
    if let tip { try await loading.load(tip.tree) }
    return tip
  }

  private func items(_ paths: [SyncPath]) async throws(SyncError) -> [Result<TreeEdit.Item, SyncError>] {
    guard let tip = try await presentTip() else { return paths.map { _ in .success(.nothing) } }
    let edit = try edit(of: tip.tree)
    var items: [Result<TreeEdit.Item, SyncError>] = []
    for path in paths {
      do throws(SyncError) { items.append(.success(try edit.item(path))) } catch {
        guard error.reach == .path else { throw error }
        items.append(.failure(error))
      }
    }
    return items
  }

  func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    let requests = try await paths.paired(with: items(paths), from: address)
    return try await mapConcurrently(requests, atMost: service.parallelism) { request throws(SyncError) in
      try await read(request.request, request.result, into: sink)
    }
  }

  private func read(
    _ path: SyncPath, _ item: Result<TreeEdit.Item, SyncError>, into sink: any ContentSink
  ) async throws(SyncError) -> ReadResult {
    let file: GitTree.Entry
    switch item {
    case .failure(let error): return .failed(error)
    case .success(.nothing), .success(.blocked): return .absent
    case .success(.entry(let entry)): file = entry
    }
    if file.mode.isFolder { return .absent }
    guard file.mode.isFile else {
      return .failed(SyncError(.pathFailed, "\(path) is \(file.mode.summary) in the repository; ignored"))
    }
    if let size = cache.size(of: file.id), size > largestFile { return .failed(tooLarge(size)) }
    do throws(SyncError) {
      var entry = Entry(file, at: path)
      (entry.digest, entry.size) = try await receive(file.id, path, into: sink)
      return .read(entry)
    } catch {
      guard error.reach != .pass else { throw error }
      return .failed(error)
    }
  }

  private func receive(
    _ id: ObjectID, _ path: SyncPath, into sink: any ContentSink
  ) async throws(SyncError) -> (digest: Digest, size: Int) {
    guard let size = cache.size(of: id), size < LargeFilePointer.longest || path == Self.marker else {
      return try await BlobReading(service, cache).receive(id, into: sink)
    }
    let bytes = try await small(id, keeps: path == Self.marker)
    if LargeFilePointer.isOne(bytes) {
      throw SyncError(.pathFailed, "\(path) is a pointer of git LFS, whose content the API does not have; ignored")
    }
    return (try await sink.receive(bytes), bytes.count)
  }

  /// Returns a small file. The marker is kept, because every pass reads it and it hardly ever changes.
  private func small(_ id: ObjectID, keeps: Bool) async throws(SyncError) -> [UInt8] {
    if let bytes = cache.file(id) { return bytes }
    let bytes = try await BlobReading(service, cache).bytes(of: id, atMost: largestFile)
    if keeps { cache.add(file: bytes, as: id) }
    return bytes
  }

  static let marker = SyncPath(ReservedName.marker)

  /// The size in bytes of the largest file that is synced.
  var largestFile: Int { min(settings.maxFileSize.bytes, settings.kind.largestFile) }

  func tooLarge(_ size: Int) -> SyncError {
    let limit = ByteSize(bytes: largestFile).text
    let reason =
      largestFile < settings.maxFileSize.bytes
      ? "\(settings.kind.product) returns (\(limit))" : "`max-file-size` (\(limit))"
    return SyncError(.pathFailed, "the file has \(size.counted("byte")), more than \(reason)")
  }

  func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence] {
    try await paths.paired(with: items(paths), from: address).map { path, item in
      switch item {
      case .failure(let error): .unknown(error.message)
      case .success(.entry(let entry)) where entry.mode.isFile: .present(Entry(entry, at: path))
      case .success(.entry(let entry)) where entry.mode.special != nil:
        .unknown("\(path) is \(entry.mode.summary) in the repository")
      case .success(.blocked(let entry)) where entry.mode.special != nil:
        .unknown("\(printable(entry.name)) is \(entry.mode.summary) in the repository")
      case .success: .absent
      }
    }
  }

  // MARK: Changing

  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    guard !changes.isEmpty else { return [] }
    if changes.count == 1, try await MarkerStamp.isOne(changes[0]) { return [.cannot(MarkerStamp.refusal)] }
    return try await locks.withLock("commit") { () throws(SyncError) in
      try await Publishing(storage: self, changes: changes).run()
    }
  }
}
