internal import HTTPStorage
internal import SyncKit
import Synchronization

/// Tracks the changes of a folder: the last known tree, and the position in the stream of events up to which it is known.
///
/// Both are in the journal and are written together, so a position is never newer than its tree. A position may be read again,
/// so whatever a crash loses is reported again. Because the stream is not proved to be complete, everything is listed once a day.
final class Feed: Sendable {
  let folder: BoxFolder
  let maxFiles: Int
  private let service: Service
  private let journal: any Journal
  private let locks = LockQueue()
  private let held = Mutex(Held())
  let signal = ListingSignal()

  private struct Held {
    var isLoaded = false
    var tree: RemoteTree?
    var position: TreeRecords.Position?
    var unread: [String: String] = [:]
    /// The files that were written here, until their events come.
    var written: [String: Timestamp] = [:]
    /// True if everything must be listed.
    var isDoubtful = false
  }

  private static let eventsPerPage = 500
  /// The time in seconds between two listings of everything.
  private static let walkAge: Int64 = 86_400
  /// The time in seconds after which a position without changes is saved.
  private static let positionAge: Int64 = 3_600
  /// The time in seconds within which the event of an own change must come.
  private static let eventDelay: Int64 = 300

  init(_ service: Service, _ folder: BoxFolder, journal: any Journal, maxFiles: Int) {
    self.service = service
    self.folder = folder
    self.journal = journal
    self.maxFiles = maxFiles
  }

  /// The state after a listing.
  struct State: Sendable {
    var tree: RemoteTree
    var unread: [String: String]
  }

  /// The last known tree; lists the folder if there is none.
  func tree() async throws(SyncError) -> RemoteTree {
    if let tree = held.withLock({ $0.tree }) { return tree }
    return try await refreshed().tree
  }

  /// The position for the next events, and the number of listings; nil before the first.
  var position: (stream: StreamPosition, listings: Int)? {
    guard let listings = signal.count, let position = held.withLock({ $0.position }) else { return nil }
    return (position.stream, listings)
  }

  /// Adds an item that was written here.
  func record(_ item: Item, in folder: String) {
    let now = service.runtime.now()
    held.withLock { held in
      held.tree?.set(item, in: folder)
      held.written[item.id] = now
    }
  }

  /// Removes an item that was removed here, or is known to be gone.
  func remove(_ id: String) { held.withLock { $0.tree?.remove(id) } }

  /// Makes the next listing one of everything.
  func doubt() { held.withLock { $0.isDoubtful = true } }

  // MARK: Listing

  /// Returns the current tree. Costs one call if nothing has changed.
  func refreshed() async throws(SyncError) -> State {
    try await locks.withLock("list") { () async throws(SyncError) in
      try await self.service.renewToken()
      try await self.load()
      do throws(SyncError) { return try await self.listed() } catch {
        if error.code == .notFound { self.forget() }
        throw error
      }
    }
  }

  private func load() async throws(SyncError) {
    guard !held.withLock({ $0.isLoaded }) else { return }
    let records = try await journal.records()
    if let (tree, position) = TreeRecords.read(records, of: folder.address) {
      held.withLock { held in (held.isLoaded, held.tree, held.position) = (true, tree, position) }
      return
    }
    let stale = TreeRecords.removal(of: records)
    if !stale.isEmpty { try await journal.write(stale) }
    held.withLock { $0.isLoaded = true }
  }

  private func listed() async throws(SyncError) -> State {
    let now = service.runtime.now()
    let before = held.withLock { $0 }
    if let tree = before.tree, let position = before.position, !needsWalk(before, now),
      let end = try await events(since: position, tree, unread: before.unread)
    {
      return try await store(end.walk, end.position)
    }
    return try await walked(before.tree, now)
  }

  private func needsWalk(_ held: Held, _ now: Timestamp) -> Bool {
    guard !held.isDoubtful, let position = held.position else { return true }
    let age = now.seconds - position.walked.seconds
    return age > Self.walkAge || age < -Self.walkAge
      || held.written.values.contains { now.seconds - $0.seconds > Self.eventDelay }
  }

  /// Lists everything. The position comes first, so that no later change is missed.
  private func walked(_ old: RemoteTree?, _ now: Timestamp) async throws(SyncError) -> State {
    let start = try await page(after: "now").nextStreamPosition
    let chain = try await chain()
    var walk = TreeWalk(
      service, RemoteTree(root: chain.last ?? BoxFolder.allFiles), maxFiles: maxFiles, address: folder.address)
    try await walk.run([walk.tree.root])
    var tree = old ?? RemoteTree(root: walk.tree.root)
    tree.replace(by: walk.tree)
    held.withLock { held in
      held.isDoubtful = false
      held.written = [:]
    }
    let position = TreeRecords.Position(
      folder: folder.address, chain: chain, stream: start, walked: now, written: Timestamp(seconds: 0))
    // Changes during the walk may have moved an item from a folder that was not listed yet to one that was.
    guard let end = try await events(since: position, tree, unread: walk.unread) else {
      doubt()
      return try await store(
        TreeWalk(service, tree, unread: walk.unread, maxFiles: maxFiles, address: folder.address), position)
    }
    return try await store(end.walk, end.position)
  }

  /// Applies the events after a position; nil if everything must be listed.
  private func events(
    since position: TreeRecords.Position, _ tree: RemoteTree, unread: [String: String]
  ) async throws(SyncError) -> (walk: TreeWalk, position: TreeRecords.Position)? {
    var (position, hints, tree) = (position, EventHints(), tree)
    var limit = PageLimit(.max, address: "the events of Box")
    while true {
      guard let page = try await pageIfKept(after: position.stream.text) else { return nil }
      for event in page.entries { hints.add(event, to: tree, chain: position.chain) }
      // Fewer events than requested, even none, are not the end.
      if page.nextStreamPosition == position.stream { break }
      try limit.add(page.entries.count, next: page.nextStreamPosition.text)
      position.stream = page.nextStreamPosition
    }
    guard !hints.isUnclear else { return nil }
    let items = hints.items
    held.withLock { held in for id in items { held.written[id] = nil } }
    tree.forgetGone()
    var walk = TreeWalk(service, tree, unread: unread, maxFiles: maxFiles, address: folder.address)
    let folders = hints.folders.union(hints.wholeFolders).union(unread.keys.filter(tree.isFolder))
    try await walk.run(folders.sorted())
    try await walk.run(walk.tree.folders(below: hints.wholeFolders).sorted())
    return (walk, position)
  }

  private func page(after position: String) async throws(SyncError) -> EventPage {
    try await service.ask(Self.route(after: position), at: "the events")
  }

  /// Returns nil if Box no longer keeps the events after the position.
  private func pageIfKept(after position: String) async throws(SyncError) -> EventPage? {
    let answer = try await service.ask(Self.route(after: position))
    if (400..<500).contains(answer.status), ![401, 403, 429].contains(answer.status) { return nil }
    return try service.value(in: answer, at: "the events")
  }

  private static func route(after position: String) -> String {
    "events?stream_type=changes&stream_position=\(position)&limit=\(eventsPerPage)"
  }

  private func store(_ walk: TreeWalk, _ position: TreeRecords.Position) async throws(SyncError) -> State {
    var (tree, position, now) = (walk.tree, position, service.runtime.now())
    // A part that could not be read must be listed again, whatever happens until then.
    if !walk.unread.isEmpty { position.walked = Timestamp(seconds: 0) }
    var records = TreeRecords.records(tree.removeChanges())
    if !records.isEmpty || now.seconds - position.written.seconds > Self.positionAge {
      position.written = now
      records[TreeRecords.positionKey] = TreeRecords.record(position)
      try await journal.write(records)
    }
    if !walk.unread.isEmpty { position.walked = now }
    let unread = walk.unread
    held.withLock { held in (held.tree, held.position, held.unread) = (tree, position, unread) }
    signal.advance()
    return State(tree: tree, unread: unread)
  }

  /// Forgets a root that does not exist.
  private func forget() {
    held.withLock { held in (held.position, held.isDoubtful) = (nil, true) }
    signal.invalidate()
  }

  // MARK: The root

  /// Returns the ids of the root and its ancestors. Throws `.notFound` if the root does not exist.
  private func chain() async throws(SyncError) -> [String] {
    switch folder.place {
    case .id(let id): return [id]
    case .path(let names):
      var chain = [BoxFolder.allFiles]
      for name in names {
        let listing = try await service.list(
          chain.last ?? BoxFolder.allFiles, maxFiles: maxFiles, address: folder.address)
        guard case .items(let items) = listing, let next = items.first(where: { $0.isFolder && $0.name == name }) else {
          throw SyncError(.notFound, "the folder \(folder.address) does not exist")
        }
        chain.append(next.id)
      }
      return chain
    }
  }
}

extension RemoteTree {
  /// Returns the folders in these folders, at every depth.
  func folders(below tops: Set<String>) -> [String] {
    guard !tops.isEmpty else { return [] }
    return nodes.filter { id, node in
      guard node.kind == .folder else { return false }
      var (next, steps) = (node.parent, 0)
      while next != root, steps <= nodes.count {
        if tops.contains(next) { return true }
        guard let parent = parent(of: next) else { return false }
        (next, steps) = (parent, steps + 1)
      }
      return tops.contains(next)
    }.map(\.key)
  }
}
