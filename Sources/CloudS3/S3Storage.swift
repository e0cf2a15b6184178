internal import CurlHTTP
internal import SyncKit

/// A bucket, or a part of one, as a storage. A file's revision is its entity tag and its size.
///
/// How it writes depends on the observed behaviour of the server (`Traits`), which is probed before the first write and recorded
/// in the journal of the remote.
struct S3Storage: StorageDefaults {
  let service: Service
  let state: S3State
  let files: S3Files
  /// The time in seconds after which a kept listing is not used.
  let fullListing: Int64
  /// The maximum number of files in a listing.
  let maxFiles: Int
  /// Called at each failpoint of a move.
  var reach: Reach = { failpoint throws(SyncError) in try failpoint.reach() }
  private let storage: FileServiceStorage<S3Files>
  private let contents: any ContentLibrary
  /// True if nothing may be written to the bucket.
  let isReceiveOnly: Bool

  typealias Reach = @Sendable (S3Failpoint) async throws(SyncError) -> Void

  /// The maximum number of changed paths that are looked up one by one; listing costs less for more.
  private static let mostLookups = 200
  /// The maximum number of tombstones of other devices that one batch removes.
  private static let mostTidied = 64
  private static let debtKey = "s3.unannounced"

  init(_ service: Service, parts: RemoteParts, settings: S3.Settings) {
    self.service = service
    state = S3State(remote: parts.name, journal: parts.journal)
    fullListing = settings.fullListing.components.seconds
    maxFiles = settings.maxFiles
    let headers = [
      ("x-amz-storage-class", settings.storageClass), ("x-amz-server-side-encryption", settings.serverEncryption),
    ]
    files = S3Files(
      service: service, state: state, device: parts.device.id.filter { $0.isASCII && ($0.isLetter || $0.isNumber) },
      allowsUnsafeWrites: settings.unsafeWrites,
      uploadHeaders: headers.filter { !$0.1.isEmpty }.map { HTTPHeader($0.0, $0.1) })
    storage = FileServiceStorage(files)
    contents = parts.contents
    isReceiveOnly = parts.isReceiveOnly
  }

  var address: String { service.bucket.address }

  func capabilities() async throws(SyncError) -> Capabilities { try await files.capabilities() }

  func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    try await storage.read(paths, into: sink)
  }

  func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence] { try await storage.confirm(paths) }

  func recover() async throws(SyncError) {
    try await recoverMoves()
    try await files.repair(with: contents)
  }

  // MARK: Listing

  func list(since known: Known) async throws(SyncError) -> Snapshot {
    if let kept = try await updatedListing() { return try await snapshot(of: kept.objects, kept.unread, since: known) }
    let before = try await newsBeforeListing()
    let time = service.runtime.now()
    let listing = try await BucketListing.run(on: service, maxFiles: maxFiles)
    let kept = before.flatMap { news in
      news.lines.last.map { last in
        KeptListing(
          objects: listing.objects, unread: listing.unread, time: time, newsTag: news.tag, lastNews: last.id)
      }
    }
    state.record(kept, isLarge: listing.pageCount > 1)
    return try await snapshot(of: listing.objects, listing.unread, since: known)
  }

  private func newsBeforeListing() async throws(SyncError) -> News.Content? {
    guard state.isLarge != false, let news = try await news(), case .found(let content) = try await news.read() else {
      return nil
    }
    return content
  }

  /// The kept listing with the changes that the news announce; nil if it must be made again.
  private func updatedListing() async throws(SyncError) -> KeptListing? {
    guard var kept = state.listing, let news = try await news() else { return nil }
    let age = service.runtime.now().seconds - kept.time.seconds
    guard (0..<fullListing).contains(age) else { return nil }
    switch try await news.read(unless: kept.newsTag) {
    case .unchanged: return kept
    case .absent: return nil
    case .found(let content):
      guard let paths = News.paths(after: kept.lastNews, in: content.lines, limit: Self.mostLookups),
        let last = content.lines.last
      else { return nil }
      let changed = Array(paths)
      let found = try await mapConcurrently(changed, atMost: service.parallelism) { path throws(SyncError) in
        try await files.lookUp(path)
      }
      for (path, lookup) in zip(changed, found) {
        switch lookup {
        case .file(let facts), .tombstone(let facts, _):
          if facts.tombstone != nil { state.record(facts.tag, isTombstone: true) }
          kept.objects[path] = facts
        case .absent: kept.objects[path] = nil
        }
      }
      (kept.newsTag, kept.lastNews) = (content.tag, last.id)
      state.record(kept, isLarge: true)
      return kept
    }
  }

  private func news() async throws(SyncError) -> News? {
    guard let traits = try await state.traits(), traits.isSafe else { return nil }
    return News(service: service, traits: traits)
  }

  private func snapshot(
    of objects: [SyncPath: ObjectFacts], _ unread: [Unread], since known: Known
  ) async throws(SyncError) -> Snapshot {
    let tombstones = try await tombstones(among: objects, since: known)
    var builder = SnapshotBuilder(since: known)
    for (path, facts) in objects.sorted(by: { $0.key < $1.key }) where tombstones[path] == nil {
      builder.add(facts.entry(at: path))
    }
    for part in unread where known.filter.accepts(part.path) { builder.add(unread: part) }
    state.record(listed: objects, tombstones)
    return builder.finish(root: RootIdentity(address: address, id: nil), naming: service.bucket.naming)
  }

  /// The objects that are tombstones. Only an object of their size whose version is not known is looked up.
  private func tombstones(
    among objects: [SyncPath: ObjectFacts], since known: Known
  ) async throws(SyncError) -> [SyncPath: ObjectFacts] {
    let candidates = objects.filter { $1.size == Tombstone.size && known[$0] != $1.revision }
    let unknown = candidates.filter { state.isTombstone($1.tag) == nil }.map(\.key).sorted()
    _ = try await mapConcurrently(unknown, atMost: service.parallelism) { path throws(SyncError) in
      if let (facts, _) = try await service.head(service.bucket.key(of: path), path) {
        state.record(facts.tag, isTombstone: facts.tombstone != nil)
      }
    }
    return candidates.filter { state.isTombstone($1.tag) == true }
  }

  // MARK: Changing

  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    guard !changes.isEmpty else { return [] }
    let traits = try await state.provenTraits(of: service, allowsUnsafeWrites: files.allowsUnsafeWrites)
    guard traits.isSafe else { return try await storage.commit(changes) }
    let news = News(service: service, traits: traits)
    try await payDebt(to: news)
    try await state.journal.write([Self.debtKey: []])
    let results = try await carryOut(changes, traits)
    try await announce(changes, results, in: news)
    await tidy(traits)
    return results
  }

  /// Makes the changes, those that only change a name by moves.
  private func carryOut(_ changes: [Change], _ traits: Traits) async throws(SyncError) -> [WriteResult] {
    guard traits.copies, !changes.renames.isEmpty else { return try await storage.commit(changes) }
    var results: [WriteResult?] = Array(repeating: nil, count: changes.count)
    // The new names are free after the first step.
    try await commit(changes.steps.first ?? [], of: changes, &results)
    try await move(changes, traits, &results)
    try await commit(changes.indices.filter { results[$0] == nil }, of: changes, &results)
    return results.complete
  }

  private func commit(
    _ group: [Int], of changes: [Change], _ results: inout [WriteResult?]
  ) async throws(SyncError) {
    let ends = try await storage.commit(group.map { changes[$0] })
    for (index, end) in try group.paired(with: ends, from: address) { results[index] = end }
  }

  /// Announces a batch of a former process whose line is missing.
  private func payDebt(to news: News) async throws(SyncError) {
    guard try await state.journal.records()[Self.debtKey] != nil else { return }
    let line = News.Line(id: service.runtime.uniqueName(length: 20), paths: nil)
    _ = try await news.append(line, creates: false)
  }

  private func announce(_ changes: [Change], _ results: [WriteResult], in news: News) async throws(SyncError) {
    let outcomes = try changes.paired(with: results, from: address)
    state.update(
      outcomes.compactMap { change, result in if case .done(let entry) = result { (change.path, entry) } else { nil } })
    let paths = outcomes.compactMap { change, result in result.mayHaveChanged ? change.path : nil }
    guard !paths.isEmpty else { return try await state.journal.write([Self.debtKey: nil]) }
    let line = News.Line(id: service.runtime.uniqueName(length: 20), paths: paths)
    do throws(SyncError) {
      _ = try await news.append(line, creates: state.isLarge == true)
    } catch {
      // The changes are made, and the debt stays in the journal: the next batch announces them.
      if error.code == .cancelled { throw error }
      return
    }
    try await state.journal.write([Self.debtKey: nil])
  }

  /// Removes tombstones that other devices have left behind. They do no harm, so an error is not reported.
  private func tidy(_ traits: Traits) async {
    for (path, facts) in state.removeLeftTombstones().sorted(by: { $0.key < $1.key }).prefix(Self.mostTidied) {
      try? await Removal(files: files, traits: traits, path: path).tidy(facts)
    }
  }
}

extension WriteResult {
  /// True unless nothing was changed for certain.
  fileprivate var mayHaveChanged: Bool {
    switch self {
    case .done, .accepted, .unknown: true
    case .cannot, .failed, .postponed, .refused: false
    }
  }
}
