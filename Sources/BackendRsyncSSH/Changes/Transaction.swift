internal import RsyncWire
internal import SyncKit

/// One transfer: the intent before it, the verification after it, and the restoration of versions that no pass had seen.
struct Transaction {
  let commit: Commit
  let contents: any ContentLibrary
  private let intents: Intents
  /// The number of earlier transfers whose replaced versions this one restores.
  let depth: Int

  init(_ commit: Commit, depth: Int = 0) {
    self.commit = commit
    self.depth = depth
    contents = commit.storage.parts.contents
    intents = Intents(commit.storage.parts.journal)
  }

  /// Sends the uploads and returns their results. In the exclusive mode, files to remove are moved away in the same transfer;
  /// otherwise the lookup after it removes them.
  func run(
    _ uploads: [Upload], folders: [SentFile] = [], _ removals: [Removal] = []
  ) async throws(SyncError) -> (results: [SyncPath: WriteResult], lookup: LookupResult) {
    let newFolders = folders.filter { $0.kind == .newFolder }.compactMap { SyncPath(bytes: $0.name) }
    let (away, removals) = commit.isExclusive ? (removals, []) : ([], removals)
    let intent = Intent(
      suffix: PreviousVersionName.suffix(
        for: commit.storage.parts.device, commit.runtime, isExclusive: commit.isExclusive),
      items: try await items(uploads) + away.map { Intent.Item(path: $0.path, base: $0.hash ?? [], new: nil) },
      folders: commit.isExclusive ? [] : newFolders)
    let key = intent.items.isEmpty ? nil : try await intents.begin(intent, at: commit.runtime.now())
    let sent = try await carryOut(intent, uploads, folders)
    try RsyncFailpoint.sendingFinished.reach()
    if let failure = sent.failure, failure.code == .cancelled { throw failure }
    let outcome = try await resolve(intent, removals, isDoubtful: sent.failure != nil || !sent.obstacles.isEmpty)
    try RsyncFailpoint.lookupFinished.reach()
    var results: [SyncPath: WriteResult] = [:]
    for upload in uploads { results[upload.path] = result(of: upload, outcome.items[upload.path], sent) }
    for removal in away { results[removal.path] = result(of: removal, outcome.items[removal.path], sent) }
    if uploads.contains(where: { !outcome.isDone($0.path) }) {
      commit.state.forgetFolders()
    } else {
      commit.state.record(folders: newFolders)
    }
    if try await restore(outcome, of: intent), let key { try await intents.close(key) }
    return (results, outcome.lookup)
  }

  /// Carries out the transfer.
  private func carryOut(
    _ intent: Intent, _ uploads: [Upload], _ folders: [SentFile]
  ) async throws(SyncError) -> SendResult {
    guard !intent.items.isEmpty else { return SendResult() }
    guard let staging = intent.staging else {
      return await commit.remote.send(uploads, folders: folders, .inPlace(suffix: intent.suffix))
    }
    var sent = SendResult()
    if !uploads.isEmpty {
      let name = staging.description
      sent = await commit.remote.send(uploads, folders: folders.map(\.asNew), .staged(name))
    }
    try RsyncFailpoint.stagingFinished.reach()
    guard sent.failure == nil else { return sent }
    do throws(SyncError) {
      let folders = folders.compactMap { SyncPath(bytes: $0.name) }
      sent.obstacles = try await commit.remote.publish(intent.moves, below: folders, from: staging)
    } catch {
      sent.failure = error
    }
    return sent
  }

  private func items(_ uploads: [Upload]) async throws(SyncError) -> [Intent.Item] {
    var items: [Intent.Item] = []
    for upload in uploads {
      let new = Intent.Version(digest: upload.content.digest, hash: upload.file.hash)
      items.append(Intent.Item(path: upload.path, base: try await upload.base?.wireHash(), new: new))
    }
    return items
  }

  /// Looks up the files, and removes previous versions that are no longer needed.
  ///
  /// - Parameter isDoubtful: true if the transfer may have been interrupted: then moved files get their names back first; and
  ///   nothing is removed before it was seen, because a key without write permission may not request removals either.
  func resolve(
    _ intent: Intent, _ removals: [Removal], isDoubtful: Bool = false
  ) async throws(SyncError) -> Outcome {
    if isDoubtful, let staging = intent.staging { try await moveBack(intent, from: staging) }
    var query = LookupQuery(intent.paths + removals.map(\.path))
    if isDoubtful, removals.isEmpty {
      let lookup = try await commit.remote.lookUp(query)
      if Outcome.redundant(intent, lookup.files, isWhole: lookup.isWhole).isEmpty { return Outcome(intent, lookup) }
    }
    query.removal = { files in
      Outcome.redundant(intent, files) + removals.filter { $0.isMet(by: files) }.map(\.path)
    }
    let lookup = try await commit.remote.lookUp(query)
    var outcome = Outcome(intent, lookup)
    // A complete lookup proves that a missing file was deleted, which makes more previous versions redundant.
    let isWhole = lookup.isWhole
    let isLeft = Outcome.redundant(intent, lookup.files, isWhole: isWhole).contains { !lookup.removed.contains($0) }
    guard !lookup.isQuiet && !intent.items.isEmpty || isLeft else { return outcome }
    // A file to remove that has changed is still there, which also makes a lookup incomplete.
    query.paths = intent.paths
    query.removal = { files in Outcome.redundant(intent, files, isWhole: isWhole) }
    outcome = Outcome(intent, try await commit.remote.lookUp(query))
    outcome.lookup = lookup
    return outcome
  }
}

extension Outcome {
  func isDone(_ path: SyncPath) -> Bool { items[path]?.status == .done }
}

extension SentFile {
  /// The same item as a new one, for an empty folder.
  fileprivate var asNew: SentFile {
    var file = self
    if kind == .folder { file.kind = .newFolder }
    return file
  }
}
