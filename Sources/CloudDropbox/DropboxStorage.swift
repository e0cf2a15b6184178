internal import HTTPStorage
internal import SyncKit

/// A Dropbox folder as a storage. A file's revision is Dropbox's `rev`.
struct DropboxStorage: StorageDefaults {
  let service: Service
  let folder: DropboxFolder
  /// The maximum number of files and folders in a listing.
  let maxFiles: Int
  let feed: Feed
  let marker: MarkerCache
  let journal: any Journal

  var address: String { folder.address }

  init(_ service: Service, _ folder: DropboxFolder, parts: RemoteParts, _ settings: Dropbox.Settings) {
    self.service = service
    self.folder = folder
    journal = parts.journal
    maxFiles = settings.maxFiles
    feed = Feed(service, folder, journal: parts.journal, settings)
    marker = MarkerCache("dropbox.marker", journal: parts.journal)
  }

  func capabilities() -> Capabilities {
    Capabilities(
      replacement: .conditional, naming: DropboxFolder.naming, parallelism: service.parallelism,
      uploadCheck: .confirmed, notifiesWhenComplete: true)
  }

  // MARK: The root

  func createRoot() async throws(SyncError) {
    guard !folder.path.isEmpty else { return }
    do throws(CallError) {
      let _: Changed = try await service.change("files/create_folder_v2", ["path": .string(folder.path)])
    } catch {
      guard error.refusal?.has("conflict", "folder") != true else { return }
      if case .lost = error.kind, case .folder = try await lookUp(folder: folder.path) { return }
      throw error.refusal == nil ? error.error : cannotCreateRoot(error)
    }
  }

  private func cannotCreateRoot(_ error: CallError) -> SyncError {
    SyncError(
      .unavailable, "cannot create the folder \(address); check `root`", cause: error.error.message)
  }

  /// Returns the item at a path of Dropbox; nil if there is none.
  private func lookUp(folder path: String) async throws(SyncError) -> Metadata.Kind? {
    do throws(CallError) {
      return try await service.ask("files/get_metadata", ["path": .string(path)], as: Metadata.self).kind
    } catch {
      if error.refusal?.isNotFound == true { return nil }
      throw error.error
    }
  }

  func recover() async throws(SyncError) { try await recoverFolders() }

  // MARK: Listing

  func list(since known: Known) async throws(SyncError) -> Snapshot {
    let tree: RemoteTree
    do throws(CallError) { tree = try await feed.refreshed() } catch {
      if error.refusal?.isNotFound == true || error.refusal?.has("not_folder") == true {
        throw SyncError(.notFound, "the folder \(address) does not exist")
      }
      throw error.error
    }
    var builder = SnapshotBuilder(since: known)
    for (path, version) in tree.files() {
      if path == MarkerCache.path { marker.recordSeen(entry(of: version, at: path)) }
      if version.isDownloadable {
        builder.add(entry(of: version, at: path))
      } else if known.filter.accepts(path) {
        builder.add(unread: Unread(path, .special("a document that Dropbox does not offer as a file")))
      }
    }
    return builder.finish(root: RootIdentity(address: address, id: nil), naming: DropboxFolder.naming)
  }

  func entry(of version: Metadata.Version, at path: SyncPath) -> Entry {
    Entry(path: path, revision: version.revision, size: version.size)
  }

  /// The result of a lookup by name.
  enum LookupResult: Sendable {
    case file(Metadata.Version)
    /// A folder, or an item under another name that Dropbox treats as the same.
    case other(SyncPath?, isFolder: Bool)
    case absent
    case unclear(CallError)
  }

  /// Looks up a path by name.
  func lookUp(_ path: SyncPath) async -> LookupResult {
    if DropboxFolder.violation(by: path) != nil { return .absent }
    do throws(CallError) {
      let found: Metadata = try await service.ask("files/get_metadata", ["path": .string(folder.path(of: path))])
      let written = writtenPath(of: found)
      guard let version = found.version, written == path else {
        return .other(written, isFolder: found.kind == .folder)
      }
      return .file(version)
    } catch {
      return error.refusal?.isNotFound == true || error.refusal?.has("not_folder") == true ? .absent : .unclear(error)
    }
  }

  /// The path of an item as it is spelled in Dropbox.
  func writtenPath(of metadata: Metadata) -> SyncPath? {
    guard let lower = metadata.pathLower, let key = folder.file(lower) else { return nil }
    return feed.tree.path(of: key, name: metadata.name.utf8, shown: metadata.pathDisplay.flatMap(folder.file))
  }

  private func presence(of path: SyncPath) async throws(SyncError) -> Presence {
    switch await lookUp(path) {
    case .file(let version): return .present(entry(of: version, at: path))
    case .other, .absent: return .absent
    case .unclear(let error):
      if error.error.reach == .pass { throw error.error }
      return .unknown(error.error.message)
    }
  }

  func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence] {
    try await mapConcurrently(paths, atMost: service.parallelism) { path throws(SyncError) in
      try await presence(of: path)
    }
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
