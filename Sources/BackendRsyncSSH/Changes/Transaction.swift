internal import RsyncWire
internal import SyncKit

/// One sending with everything around it: the intent before, the look afterwards, and the rescue of what nobody had seen.
struct Transaction {
  private let commit: Commit
  private let contents: any ContentLibrary
  private let intents: Intents
  /// How many sendings there were whose displaced versions this one puts back.
  private let depth: Int

  /// Somebody who writes all the time is not fought for ever; the next pass goes on.
  private static let deepest = 2

  init(_ commit: Commit, depth: Int = 0) {
    self.commit = commit
    self.depth = depth
    contents = commit.storage.parts.contents
    intents = Intents(commit.storage.parts.journal)
  }

  /// Sends parcels and says what became of each; what is to be removed afterwards is removed with the same look.
  func run(
    _ parcels: [Parcel], folders: [SentFile] = [], _ removals: [Removal] = []
  ) async throws(SyncError) -> (results: [SyncPath: WriteResult], sight: Sight) {
    let newFolders = folders.filter { $0.kind == .newFolder }.compactMap { SyncPath(bytes: $0.name) }
    let intent = Intent(
      suffix: KeptName.suffix(for: commit.storage.parts.device, commit.world), items: try await items(parcels),
      folders: newFolders)
    let key = parcels.isEmpty ? nil : try await intents.begin(intent, at: commit.world.now())
    var dispatch = Dispatch()
    if !parcels.isEmpty { dispatch = await commit.far.send(parcels, folders: folders, suffix: intent.suffix) }
    try Failpoint.rsyncSendingFinished.reach()
    if let failure = dispatch.failure, failure.code == .cancelled { throw failure }
    let outcome = try await settle(intent, removals, isDoubtful: dispatch.failure != nil)
    try Failpoint.rsyncLookFinished.reach()
    let results = Dictionary(
      uniqueKeysWithValues: parcels.map { ($0.path, result(of: $0, outcome.items[$0.path], dispatch)) })
    if parcels.contains(where: { !outcome.isDone($0.path) }) {
      commit.state.forgetFolders()
    } else {
      commit.state.note(folders: newFolders)
    }
    if try await rescue(outcome, of: intent), let key { try await intents.close(key) }
    return (results, outcome.sight)
  }

  private func items(_ parcels: [Parcel]) async throws(SyncError) -> [Intent.Item] {
    var items: [Intent.Item] = []
    for parcel in parcels {
      var base: Intent.Version?
      if let content = parcel.base { base = Intent.Version(digest: content.digest, hash: try await content.wireHash()) }
      items.append(
        Intent.Item(
          path: parcel.path, base: base, new: Intent.Version(digest: parcel.content.digest, hash: parcel.file.hash)))
    }
    return items
  }

  /// Looks what is there, and lets go of kept versions that nobody needs.
  ///
  /// - Parameter isDoubtful: whether perhaps nothing was sent at all: then nothing is asked to be removed before it was
  ///   seen, because a key that may not write may not ask for that either.
  func settle(
    _ intent: Intent, _ removals: [Removal], isDoubtful: Bool = false
  ) async throws(SyncError) -> Outcome {
    var question = Question(intent.paths + removals.map(\.path))
    if isDoubtful, removals.isEmpty {
      let sight = try await commit.far.look(question)
      if Outcome.redundant(intent, sight.files).isEmpty { return Outcome(intent, sight) }
    }
    question.removal = { files in
      Outcome.redundant(intent, files) + removals.filter { $0.isMet(by: files) }.map(\.path)
    }
    let sight = try await commit.far.look(question)
    var outcome = Outcome(intent, sight)
    guard !sight.isQuiet, !intent.items.isEmpty else { return outcome }
    // Something that was to be removed may still be there, having changed; that too leaves a look incomplete.
    question.paths = intent.paths
    question.removal = { files in Outcome.redundant(intent, files) }
    outcome = Outcome(intent, try await commit.far.look(question))
    outcome.sight = sight
    return outcome
  }

  // MARK: Results

  private func result(of parcel: Parcel, _ item: Outcome.Item?, _ dispatch: Dispatch) -> WriteResult {
    let time = commit.world.now()
    guard let item, let verdict = item.verdict else {
      let error = dispatch.failure ?? SyncError(.unavailable, "\(parcel.path) could not be looked at afterwards")
      return .unknown(error)
    }
    let path = parcel.path
    switch verdict {
    case .done:
      guard let live = item.live else { return .unknown(SyncError(.unexpected, "\(path) is not there")) }
      // A file system with coarser times than ours has rounded the one that was made up.
      if live.nanoseconds == parcel.file.nanoseconds { commit.state.note(written: path, live.revision) }
      var entry = commit.storage.entry(live, at: path, seen: time)
      entry.digest = parcel.content.digest
      return .done(entry)
    case .displaced: return .refused(item.kept.map { commit.storage.entry($0, at: path, seen: time) })
    case .overtaken, .orphaned: return .refused(item.live.map { commit.storage.entry($0, at: path, seen: time) })
    case .notApplied:
      return notApplied(parcel, item.live.map { commit.storage.entry($0, at: path, seen: time) }, dispatch)
    }
  }

  private func notApplied(_ parcel: Parcel, _ entry: Entry?, _ dispatch: Dispatch) -> WriteResult {
    let (path, host) = (parcel.path, commit.far.place.host)
    if let error = dispatch.unreadable[path] { return .failed(error) }
    if dispatch.refused.contains(path) { return .refused(entry) }
    if dispatch.ending.isFull {
      return .failed(SyncError(.pathFailed, "there is no room left on \(host) for \(path)"))
    }
    if let failure = dispatch.failure { return .failed(failure) }
    let reason = dispatch.ending.reason(for: path) ?? dispatch.ending.complaints.first ?? "it was not put in place"
    return .failed(SyncError(.pathFailed, "\(path) cannot be written on \(host): \(reason)"))
  }

  // MARK: Rescue

  /// Puts back what was replaced unseen, or gives it a name of its own. Whether nothing is left to be done.
  func rescue(_ outcome: Outcome, of intent: Intent) async throws(SyncError) -> Bool {
    var isComplete = outcome.items.allSatisfy { $0.value.verdict != nil }
    for (folder, kept) in outcome.keptForFolders {
      isComplete = try await setAside(folder, kept, intent) && isComplete
    }
    for item in intent.items {
      guard let found = outcome.items[item.path], let kept = found.kept else { continue }
      switch found.verdict {
      case .displaced: isComplete = try await putBack(item, kept, intent) && isComplete
      case .orphaned: isComplete = try await setAside(item.path, kept, intent) && isComplete
      case .done, .notApplied, .overtaken, nil: break
      }
    }
    return isComplete
  }

  /// Puts a version back over ours; where that fails, it gets a name of its own.
  private func putBack(_ item: Intent.Item, _ kept: ListedFile, _ intent: Intent) async throws(SyncError) -> Bool {
    guard depth < Self.deepest, let ours = try await contents.content(item.new.digest),
      let content = try await fetch(kept)
    else { return false }
    let parcel = Parcel(path: item.path, content: content, base: ours, file: kept.sent(as: item.path))
    let folders = parcel.path.ancestors.map { SentFile(name: $0.bytes, kind: .folder, seconds: 0, nanoseconds: 0) }
    let (results, _) = try await Transaction(commit, depth: depth + 1).run([parcel], folders: folders)
    if case .done? = results[item.path] { return try await discard(kept) }
    return try await setAside(item.path, kept, intent)
  }

  /// Gives a version a name of its own, as both sides of a conflict have one where they cannot be merged.
  private func setAside(_ path: SyncPath, _ kept: ListedFile, _ intent: Intent) async throws(SyncError) -> Bool {
    guard depth < Self.deepest, kept.kind == .file, let content = try await fetch(kept) else { return false }
    let copy = ConflictName.path(
      for: path, at: kept.modified, by: commit.storage.parts.name, digest: content.digest)
    let parcel = Parcel(path: copy, content: content, base: nil, file: kept.sent(as: copy))
    let folders = copy.ancestors.map { SentFile(name: $0.bytes, kind: .folder, seconds: 0, nanoseconds: 0) }
    let (results, _) = try await Transaction(commit, depth: depth + 1).run([parcel], folders: folders)
    guard case .done? = results[copy] else { return false }
    return try await discard(kept)
  }

  /// Brings a kept version into the history; nil if that cannot be done now.
  private func fetch(_ kept: ListedFile) async throws(SyncError) -> Content? {
    guard let path = SyncPath(bytes: kept.name) else { return nil }
    var question = Question([path])
    question.fetched = [path]
    question.sink = contents.intake(keepingAtMost: .max)
    guard case .content(let digest, _)? = try await commit.far.look(question).contents[path] else { return nil }
    try await contents.flush()
    return try await contents.content(digest)
  }

  /// Lets go of a kept version that is safe elsewhere.
  private func discard(_ kept: ListedFile) async throws(SyncError) -> Bool {
    guard let path = SyncPath(bytes: kept.name) else { return false }
    var question = Question([path])
    question.removal = { files in files[path]?.hash == kept.hash && kept.hash != nil ? [path] : [] }
    let sight = try await commit.far.look(question)
    return sight.removed == [path] && sight.isWhole || sight.files[path] == nil && sight.isWhole
  }
}

extension Outcome {
  func isDone(_ path: SyncPath) -> Bool { items[path]?.verdict == .done }
}

extension ListedFile {
  /// The same version under another name.
  fileprivate func sent(as path: SyncPath) -> SentFile {
    SentFile(
      name: path.bytes, kind: .file, size: size, seconds: seconds, nanoseconds: nanoseconds, isExecutable: isExecutable,
      hash: hash ?? [])
  }
}
