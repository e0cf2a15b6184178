internal import SyncKit

/// Lists a whole tree, folder by folder, several at a time.
///
/// `Depth: infinity` is rejected by most servers and silently truncated by some, so it is never used. A known folder with an
/// unchanged tag is not listed.
struct Listing: Sendable {
  let server: Server
  let filter: PathFilter
  /// The maximum number of files and folders.
  let maxFiles: Int
  var seen = SeenFolders()

  /// The result of a listing.
  struct Found: Sendable {
    var files: [(path: SyncPath, observation: Observation)] = []
    var folders: Set<SyncPath> = []
    /// The number of entries of each folder.
    var fileCounts: [SyncPath?: Int] = [:]
    /// The tag of each folder from the listing of its parent, so it is older than the listing of the folder itself.
    var tags: [SyncPath: EntityTag] = [:]
    /// Folders that are unchanged since they were last listed, at any depth.
    var unchanged: [SyncPath] = []
    var marker: Observation?
    var unread: [Unread] = []
    /// Folders that no longer existed when they were listed.
    var gone: [SyncPath] = []
    /// Names reserved for this program.
    var temporaries: [Temporary] = []
  }

  /// A temporary in the listing: another client's upload, a moved-away version, or a leftover of a crash.
  struct Temporary: Sendable {
    var path: SyncPath
    var isFolder: Bool
    /// The seconds since its last change, by the server's clock.
    var age: Int64?
  }

  /// Lists everything below the root; throws `.notFound` if that does not exist.
  func run() async throws(SyncError) -> Found {
    var found = Found()
    var limit = ListingLimit(maxFiles, address: server.address.text)
    guard let root = try await server.children(of: nil) else {
      throw SyncError(.notFound, "the folder \(server.address.text) does not exist")
    }
    try limit.add(root.items.count)
    let folders = collect(root.items, of: nil, at: root.date, into: &found)
    try await explore(from: folders, atMost: server.parallelism) { folder throws(SyncError) in
      try await children(of: folder)
    } collect: { folder, listing throws(SyncError) in
      switch listing {
      case .success(let children?):
        try limit.add(children.items.count)
        return collect(children.items, of: folder, at: children.date, into: &found)
      case .success(nil):
        found.gone.append(folder)
        return []
      case .failure(let error):
        found.unread.append(Unread(folder, .failed(error.message)))
        return []
      }
    }
    found.files.sort { $0.path < $1.path }
    found.unread.sort { $0.path < $1.path }
    return found
  }

  private typealias Children = (items: [[UInt8]: Multistatus.Item], date: Timestamp?)

  /// Lists a folder. One that is removed meanwhile is empty; missing files are confirmed by name before they count as deleted.
  /// An error of one folder does not affect the others, unless it concerns all.
  private func children(of folder: SyncPath) async throws(SyncError) -> Result<Children?, SyncError> {
    do throws(SyncError) { return .success(try await server.children(of: folder)) } catch {
      if error.reach == .pass { throw error }
      return .failure(error)
    }
  }

  /// Adds the children of a folder; returns the subfolders to list.
  private func collect(
    _ items: [[UInt8]: Multistatus.Item], of folder: SyncPath?, at date: Timestamp?, into found: inout Found
  ) -> [SyncPath] {
    if let folder { found.folders.insert(folder) }
    found.fileCounts[folder] = items.count
    var folders: [SyncPath] = []
    for (name, item) in items {
      // A name with a slash is invalid, because it would lead elsewhere.
      guard !name.contains(UInt8(ascii: "/")), let path = folder?.appending(name) ?? Self.path(name, in: folder) else {
        continue
      }
      if ReservedName.isTemporary(name[...]) {
        let age = date.flatMap { now in item.facts.modified.map { now.seconds - $0.seconds } }
        found.temporaries.append(Temporary(path: path, isFolder: item.facts.isFolder, age: age))
      } else if let failure = item.failure {
        guard filter.accepts(folder: path.bytes) else { continue }
        found.unread.append(Unread(path, .failed(server.syncError(failure, "PROPFIND", path).message)))
      } else if item.facts.isFolder {
        guard filter.accepts(folder: path.bytes) else { continue }
        found.tags[path] = item.facts.tag
        if seen.isUnchanged(path, item.facts.tag) { found.unchanged.append(path) } else { folders.append(path) }
      } else {
        let observation = Observation(facts: item.facts, date: date)
        if path.bytes.elementsEqual(ReservedName.marker.utf8) { found.marker = observation }
        found.files.append((path, observation))
      }
    }
    return folders
  }

  private static func path(_ name: [UInt8], in folder: SyncPath?) -> SyncPath? {
    folder == nil ? SyncPath(bytes: name) : nil
  }
}
