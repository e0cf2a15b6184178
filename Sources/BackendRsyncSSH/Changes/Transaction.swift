internal import RsyncWire
internal import SyncKit

/// One transfer: the intent before it, the check after it, and the restoration of versions that no pass had seen.
struct Transaction {
  let commit: Commit
  let contents: any ContentLibrary
  private let intents: Intents
  /// How many transfers there were whose replaced versions this one restores.
  let depth: Int

  init(_ commit: Commit, depth: Int = 0) {
    self.commit = commit
    self.depth = depth
    contents = commit.storage.parts.contents
    intents = Intents(commit.storage.parts.journal)
  }

  /// Sends parcels and says what became of each; what is to be removed is moved away with them in the exclusive mode, and
  /// otherwise removed with the lookup afterwards.
  func run(
    _ parcels: [Parcel], folders: [SentFile] = [], _ removals: [Removal] = []
  ) async throws(SyncError) -> (results: [SyncPath: WriteResult], sight: Sight) {
    let newFolders = folders.filter { $0.kind == .newFolder }.compactMap { SyncPath(bytes: $0.name) }
    let (away, removals) = commit.isExclusive ? (removals, []) : ([], removals)
    let intent = Intent(
      suffix: PreviousVersionName.suffix(
        for: commit.storage.parts.device, commit.world, isExclusive: commit.isExclusive),
      items: try await items(parcels) + away.map { Intent.Item(path: $0.path, base: $0.hash ?? [], new: nil) },
      folders: commit.isExclusive ? [] : newFolders)
    let key = intent.items.isEmpty ? nil : try await intents.begin(intent, at: commit.world.now())
    let dispatch = try await carryOut(intent, parcels, folders)
    try RsyncFailpoint.sendingFinished.reach()
    if let failure = dispatch.failure, failure.code == .cancelled { throw failure }
    let outcome = try await settle(intent, removals, isDoubtful: dispatch.failure != nil || !dispatch.obstacles.isEmpty)
    try RsyncFailpoint.lookFinished.reach()
    var results: [SyncPath: WriteResult] = [:]
    for parcel in parcels { results[parcel.path] = result(of: parcel, outcome.items[parcel.path], dispatch) }
    for removal in away { results[removal.path] = result(of: removal, outcome.items[removal.path], dispatch) }
    if parcels.contains(where: { !outcome.isDone($0.path) }) {
      commit.state.forgetFolders()
    } else {
      commit.state.note(folders: newFolders)
    }
    if try await rescue(outcome, of: intent), let key { try await intents.close(key) }
    return (results, outcome.sight)
  }

  /// Hands everything over.
  private func carryOut(
    _ intent: Intent, _ parcels: [Parcel], _ folders: [SentFile]
  ) async throws(SyncError) -> Dispatch {
    guard !intent.items.isEmpty else { return Dispatch() }
    guard let staging = intent.staging else {
      return await commit.far.send(parcels, folders: folders, .inPlace(suffix: intent.suffix))
    }
    var dispatch = Dispatch()
    if !parcels.isEmpty {
      let name = staging.description
      dispatch = await commit.far.send(parcels, folders: folders.map(\.asNew), .staged(name))
    }
    try RsyncFailpoint.stagingFinished.reach()
    guard dispatch.failure == nil else { return dispatch }
    do throws(SyncError) {
      let folders = folders.compactMap { SyncPath(bytes: $0.name) }
      dispatch.obstacles = try await commit.far.place(intent.moves, below: folders, from: staging)
    } catch {
      dispatch.failure = error
    }
    return dispatch
  }

  private func items(_ parcels: [Parcel]) async throws(SyncError) -> [Intent.Item] {
    var items: [Intent.Item] = []
    for parcel in parcels {
      let new = Intent.Version(digest: parcel.content.digest, hash: parcel.file.hash)
      items.append(Intent.Item(path: parcel.path, base: try await parcel.base?.wireHash(), new: new))
    }
    return items
  }

  /// Looks up the files, and removes previous versions that are no longer needed.
  ///
  /// - Parameter isDoubtful: true if the transfer may have been interrupted: then moved files get their names back first; and
  ///   nothing is asked to be removed before it was seen, because a key that may not write may not ask for that either.
  func settle(
    _ intent: Intent, _ removals: [Removal], isDoubtful: Bool = false
  ) async throws(SyncError) -> Outcome {
    if isDoubtful, let staging = intent.staging { try await putBack(intent, from: staging) }
    var question = Question(intent.paths + removals.map(\.path))
    if isDoubtful, removals.isEmpty {
      let sight = try await commit.far.look(question)
      if Outcome.redundant(intent, sight.files, isWhole: sight.isWhole).isEmpty { return Outcome(intent, sight) }
    }
    question.removal = { files in
      Outcome.redundant(intent, files) + removals.filter { $0.isMet(by: files) }.map(\.path)
    }
    let sight = try await commit.far.look(question)
    var outcome = Outcome(intent, sight)
    // By now it may be known that a file is gone, and that what was kept of it is no longer the only copy that counts.
    let isWhole = sight.isWhole
    let isLeft = Outcome.redundant(intent, sight.files, isWhole: isWhole).contains { !sight.removed.contains($0) }
    guard !sight.isQuiet && !intent.items.isEmpty || isLeft else { return outcome }
    // Something that was to be removed may still be there, having changed; that too makes a lookup incomplete.
    question.paths = intent.paths
    question.removal = { files in Outcome.redundant(intent, files, isWhole: isWhole) }
    outcome = Outcome(intent, try await commit.far.look(question))
    outcome.sight = sight
    return outcome
  }
}

extension Outcome {
  func isDone(_ path: SyncPath) -> Bool { items[path]?.verdict == .done }
}

extension SentFile {
  /// The same as something that is to be made, in a folder that is empty.
  fileprivate var asNew: SentFile {
    var file = self
    if kind == .folder { file.kind = .newFolder }
    return file
  }
}
