internal import SFTPWire
internal import SyncKit

/// A listing of the whole folder.
struct TreeListing: Sendable {
  var files: [(path: SyncPath, facts: FileFacts)] = []
  var unread: [Unread] = []
  /// The program's own files and folders of all devices, except the marker.
  var temporaries: [(path: SyncPath, isFolder: Bool)] = []
  /// False if a name was listed that is not a name of a file in a folder.
  var isComplete = true

  /// Lists folder by folder, many at a time. Throws `.notFound` if the root does not exist.
  static func run(on storage: SFTPStorage, _ filter: PathFilter) async throws(SyncError) -> TreeListing {
    var listing = TreeListing()
    var folders: [SyncPath?] = [nil]
    var limit = ListingLimit(storage.settings.maxFiles, address: storage.address)
    while !folders.isEmpty {
      let contents = try await mapConcurrently(folders, atMost: SFTPStorage.parallelism) { folder throws(SyncError) in
        try await storage.names(in: folder)
      }
      var next: [SyncPath?] = []
      for (folder, content) in zip(folders, contents) {
        if case .names(let names) = content { try limit.add(names.count) }
        guard let folder else {
          next += try listing.addRoot(content, storage, filter)
          continue
        }
        switch content {
        case .names(let names): next += listing.add(names, in: folder, filter)
        case .missing:
          listing.unread.append(Unread(folder, .failed("the folder disappeared while it was listed")))
        case .unreadable(let reason):
          listing.unread.append(Unread(folder, .failed("cannot list the folder on the host: \(reason)")))
        }
      }
      folders = next
    }
    return listing
  }

  private mutating func addRoot(
    _ content: FolderContent, _ storage: SFTPStorage, _ filter: PathFilter
  ) throws(SyncError) -> [SyncPath] {
    switch content {
    case .names(let names): return add(names, in: nil, filter)
    case .missing: throw SyncError(.notFound, "the folder \(storage.address) does not exist")
    case .unreadable(let reason):
      throw SyncError(.unavailable, "cannot list the folder \(storage.address): \(reason)")
    }
  }

  /// Adds the names in a folder, and returns the folders among them.
  private mutating func add(_ names: [SFTPName], in folder: SyncPath?, _ filter: PathFilter) -> [SyncPath] {
    guard Set(names.map(\.name)).count == names.count else {
      reject(folder, "the server listed a name twice")
      return []
    }
    var folders: [SyncPath] = []
    for item in names {
      guard !item.name.contains(SyncPath.slash),
        let path = folder.map({ $0.appending(item.name) }) ?? SyncPath(bytes: item.name)
      else {
        reject(folder, "the server listed a name that no file can have")
        continue
      }
      if add(item.attributes, at: path, filter) { folders.append(path) }
    }
    return folders
  }

  /// A folder whose listing is wrong counts as unread, and the root as incomplete.
  private mutating func reject(_ folder: SyncPath?, _ reason: String) {
    if let folder { unread.append(Unread(folder, .failed(reason))) } else { isComplete = false }
  }

  /// Adds one name; returns true for a folder to enter.
  private mutating func add(_ attributes: SFTPAttributes, at path: SyncPath, _ filter: PathFilter) -> Bool {
    if ReservedName.isTemporary(path.name) {
      temporaries.append((path, attributes.kind == .folder))
      return false
    }
    guard attributes.kind != .folder else { return filter.accepts(folder: path.bytes) }
    guard filter.accepts(file: path.bytes) else { return false }
    switch attributes.kind {
    case .file:
      if let facts = FileFacts(attributes) {
        files.append((path, facts))
      } else {
        unread.append(Unread(path, .failed("the server sent no size or no time")))
      }
    case .link: unread.append(Unread(path, .special("a symbolic link")))
    case .other: unread.append(Unread(path, .special("a pipe, a socket or a device")))
    case .folder, nil: unread.append(Unread(path, .failed("the server sent no type")))
    }
    return false
  }
}

extension SyncPath {
  fileprivate static let slash = UInt8(ascii: "/")
}
