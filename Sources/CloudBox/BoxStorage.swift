internal import HTTPStorage
internal import SyncKit

/// A folder in Box as a storage. A file's revision is its etag and its SHA-1.
struct BoxStorage: StorageDefaults {
  let service: Service
  let feed: Feed
  let marker: MarkerCache
  let folder: BoxFolder
  /// Called at each failpoint of a move.
  var reach: Reach = { failpoint throws(SyncError) in try failpoint.reach() }

  typealias Reach = @Sendable (MoveFailpoint) async throws(SyncError) -> Void

  var address: String { folder.address }
  var lookup: Lookup { Lookup(service: service, feed: feed) }

  init(_ service: Service, _ folder: BoxFolder, parts: RemoteParts, _ settings: Box.Settings) {
    self.service = service
    self.folder = folder
    feed = Feed(service, folder, journal: parts.journal, maxFiles: settings.maxFiles)
    marker = MarkerCache("box.marker", journal: parts.journal)
  }

  func capabilities() -> Capabilities {
    Capabilities(
      replacement: .conditional, naming: BoxFolder.naming, parallelism: service.parallelism,
      uploadCheck: .confirmed, notifiesWhenComplete: true)
  }

  // MARK: The root

  func createRoot() async throws(SyncError) {
    guard case .path(let names) = folder.place, let last = names.last else { return }
    var parent = BoxFolder.allFiles
    for name in names.dropLast() { parent = try await child(name, of: parent) }
    let wish: JSON = ["name": .string(last), "parent": ["id": .string(parent)]]
    let outcome = try await service.change("POST", "folders", wish)
    if case .answered(let answer) = outcome, answer.isGood { return }
    // It exists, or the answer was lost.
    _ = try await child(last, of: parent)
  }

  private func child(_ name: String, of parent: String) async throws(SyncError) -> String {
    let listing = try await service.list(parent, maxFiles: feed.maxFiles, address: address)
    guard case .items(let items) = listing, let folder = items.first(where: { $0.isFolder && $0.name == name }) else {
      throw SyncError(.unavailable, "cannot create the folder \(address): folder \(name) not found; check `root`")
    }
    return folder.id
  }

  // MARK: Listing

  func list(since known: Known) async throws(SyncError) -> Snapshot {
    let state = try await feed.refreshed()
    var builder = SnapshotBuilder(since: known)
    for (path, kind) in state.tree.items() {
      switch kind {
      case .file(let version):
        let entry = Self.entry(of: version, at: path)
        if path == MarkerCache.path { marker.recordSeen(entry) }
        builder.add(entry)
      case .other(let type) where known.filter.accepts(path):
        builder.add(unread: Unread(path, .special("an item of the type \(type), which Box does not offer as a file")))
      case .other, .folder: continue
      }
    }
    for (id, reason) in state.unread {
      if let path = state.tree.path(of: id) { builder.add(unread: Unread(path, .failed(reason))) }
    }
    return builder.finish(
      root: RootIdentity(address: address, id: nil), naming: BoxFolder.naming,
      isComplete: state.unread[state.tree.root] == nil)
  }

  static func entry(of version: Item.Version, at path: SyncPath) -> Entry {
    Entry(path: path, revision: version.revision, size: version.size)
  }

  // MARK: Confirming

  func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence] {
    let groups = Dictionary(grouping: paths, by: \.parent)
    let found = try await mapConcurrently(Array(groups), atMost: service.parallelism) { group throws(SyncError) in
      try await confirm(group.value, in: group.key)
    }
    let presences = Dictionary(found.joined()) { first, _ in first }
    return paths.map { presences[$0] ?? .unknown("Box was not asked") }
  }

  /// Looks up the paths of one folder with one listing.
  private func confirm(
    _ paths: [SyncPath], in parent: SyncPath?
  ) async throws(SyncError) -> [(SyncPath, Presence)] {
    let folder: Lookup.Folder?
    do throws(SyncError) { folder = try await lookup.folder(at: parent) } catch {
      if error.reach == .pass { throw error }
      return paths.map { ($0, .unknown(error.message)) }
    }
    var presences: [(SyncPath, Presence)] = []
    for path in paths { presences.append((path, try await presence(of: path, in: folder))) }
    return presences
  }

  private func presence(of path: SyncPath, in folder: Lookup.Folder?) async throws(SyncError) -> Presence {
    guard let folder, BoxFolder.violation(by: path) == nil else { return .absent }
    switch Lookup.result(of: path, in: folder) {
    case .file(let item): return item.version.map { .present(Self.entry(of: $0, at: path)) } ?? .absent
    case .other(let item) where item.isFolder: return .absent
    case .other: return .unknown("\(path) is an item that Box does not offer as a file")
    case .unclear(let error): return .unknown(error.message)
    case .spelledOtherwise, .absent: return try await absence(of: path, in: folder)
    }
  }

  /// Asks for the item that was at the path, if its id is known: a listing alone is not believed.
  private func absence(of path: SyncPath, in folder: Lookup.Folder) async throws(SyncError) -> Presence {
    guard let id = try await feed.tree().gone[path] else { return .absent }
    let answer: Answer
    do throws(SyncError) { answer = try await service.ask("files/\(id)?fields=\(Item.fields)") } catch {
      if error.reach == .pass { throw error }
      return .unknown(error.message)
    }
    if answer.status == 404 { return .absent }
    do throws(SyncError) {
      let item: Item = try service.value(in: answer, at: path.description)
      let isThere =
        item.isActive && item.parent == folder.id && SyncPath(item.name) == SyncPath(bytes: Array(path.name))
      return isThere ? .unknown("Box lists \(path) in its folder only at times") : .absent
    } catch { return .unknown(error.message) }
  }

  // MARK: Notification

  func changes() -> AsyncStream<Void> {
    let (stream, news) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let poll = LongPoll(service: service, feed: feed)
    let task = Task { await poll.run { news.yield() } }
    news.onTermination = { _ in task.cancel() }
    return stream
  }
}
