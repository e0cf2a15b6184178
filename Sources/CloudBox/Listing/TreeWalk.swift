internal import SyncKit

/// Lists folders at every depth, some at a time.
struct TreeWalk {
  let service: Service
  let maxFiles: Int
  let address: String
  private(set) var tree: RemoteTree
  /// The folders that could not be listed, with the reasons.
  private(set) var unread: [String: String]
  /// Counts all items, so that no server can fill the memory.
  private var limit: ListingLimit
  /// The folders that were not found; listed once more with their parent.
  private var missed: Set<String> = []

  init(_ service: Service, _ tree: RemoteTree, unread: [String: String] = [:], maxFiles: Int, address: String) {
    self.service = service
    self.tree = tree
    self.unread = unread
    self.maxFiles = maxFiles
    self.address = address
    limit = ListingLimit(maxFiles, address: address)
  }

  /// Lists folders, and those in them whose contents are not known. Throws `.notFound` if the root does not exist.
  mutating func run(_ folders: [String]) async throws(SyncError) {
    var next = folders
    while !next.isEmpty {
      let (service, maxFiles, address) = (service, maxFiles, address)
      let listings = try await mapConcurrently(next, atMost: service.parallelism) { folder throws(SyncError) in
        try await service.list(folder, maxFiles: maxFiles, address: address)
      }
      var found: [String] = []
      for (folder, listing) in zip(next, listings) { found += try apply(listing, of: folder) }
      next = found
    }
  }

  /// Returns the folders to list next.
  private mutating func apply(_ listing: FolderListing, of folder: String) throws(SyncError) -> [String] {
    // It may have been removed from the tree meanwhile.
    guard tree.isFolder(folder) else { return [] }
    switch listing {
    case .items(let items):
      try limit.add(items.count)
      unread[folder] = nil
      return tree.apply(items, in: folder)
    case .denied(let reason):
      unread[folder] = reason
      return []
    case .missing:
      guard folder != tree.root, let parent = tree.parent(of: folder) else {
        throw SyncError(.notFound, "the folder \(address) does not exist")
      }
      unread[folder] = "it disappeared while it was listed"
      return missed.insert(folder).inserted ? [parent] : []
    }
  }
}
