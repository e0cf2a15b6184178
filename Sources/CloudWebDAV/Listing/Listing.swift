internal import SyncKit

/// Lists a whole tree, folder by folder, several at a time.
///
/// `Depth: infinity` is refused by most servers and silently cut by some, so it is never used. A folder that was seen and
/// has the tag that it had then is not listed.
struct Listing: Sendable {
  let server: Server
  let filter: PathFilter
  var seen = SeenFolders()

  /// What a listing found.
  struct Found: Sendable {
    var files: [(path: SyncPath, observation: Observation)] = []
    var folders: Set<SyncPath> = []
    /// How many entries each folder has.
    var fileCounts: [SyncPath?: Int] = [:]
    /// The tag of each folder, as its parent told it: it is older than what the folder was seen to hold.
    var tags: [SyncPath: EntityTag] = [:]
    /// Folders that hold what they held when they were listed last, with everything below them.
    var unchanged: [SyncPath] = []
    var marker: Observation?
    var unread: [Unread] = []
    /// Folders that were not there any more when they were listed.
    var gone: [SyncPath] = []
    /// Names that belong to this program.
    var temporaries: [Temporary] = []
  }

  /// A temporary that was seen: another client's upload, a version that is out of its place, or what a crash left.
  struct Temporary: Sendable {
    var path: SyncPath
    var isFolder: Bool
    /// Seconds since its last change, by the server's clock.
    var age: Int64?
  }

  /// Lists everything below the root; `.notFound` if it is not there.
  func run() async throws(SyncError) -> Found {
    var found = Found()
    guard let root = try await server.children(of: nil) else {
      throw SyncError(.notFound, "the folder \(server.address.text) does not exist")
    }
    let folders = collect(root.items, of: nil, at: root.date, into: &found)
    try await explore(from: folders, atMost: server.parallelism) { folder throws(SyncError) in
      try await children(of: folder)
    } collect: { folder, listing in
      switch listing {
      case .success(let children?): return collect(children.items, of: folder, at: children.date, into: &found)
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

  /// A folder that went away meanwhile has nothing in it; whether a file is really gone is asked by its name before that counts.
  /// What goes wrong with one folder leaves the others alone, unless it goes wrong with everything.
  private func children(of folder: SyncPath) async throws(SyncError) -> Result<Children?, SyncError> {
    do throws(SyncError) { return .success(try await server.children(of: folder)) } catch {
      if error.reach == .pass { throw error }
      return .failure(error)
    }
  }

  /// Takes a folder's children in; returns the folders among them that are to be listed.
  private func collect(
    _ items: [[UInt8]: Multistatus.Item], of folder: SyncPath?, at date: Timestamp?, into found: inout Found
  ) -> [SyncPath] {
    if let folder { found.folders.insert(folder) }
    found.fileCounts[folder] = items.count
    var folders: [SyncPath] = []
    for (name, item) in items {
      // A name that would lead elsewhere is not a name.
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
