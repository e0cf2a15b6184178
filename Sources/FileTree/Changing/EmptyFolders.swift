internal import SyncKit

extension OpenTree {
  /// Removes the folder at `location`, with its subfolders, if it contains nothing else at any depth. Returns true if it is
  /// gone. Only empty folders are removed, so a file that another program adds meanwhile stays.
  func removeIfEmpty(_ location: FileLocation) throws(SyncError) -> Bool {
    let inner: [SyncPath]?
    do throws(Errno) { inner = try folders(in: try location.folder.folder(location.name), at: location.path) } catch {
      throw SyncError(error, at: location.path)
    }
    guard let inner else { return false }
    defer { forget() }
    for path in inner {
      let folder: FileLocation
      do throws(Obstacle) { folder = try self.location(of: path) } catch { throw error.error }
      forget()
      guard try primitives.removeFolder(folder) == .done else { return false }
    }
    return try primitives.removeFolder(location) == .done
  }

  /// Returns the folders below `folder`, deepest first; nil if there is anything else.
  private func folders(in folder: Folder, at path: SyncPath) throws(Errno) -> [SyncPath]? {
    var folders: [SyncPath] = []
    var listing = try Listing(of: folder)
    while let item = listing.popFirst() {
      let name = listing.name(item)
      guard try listing.facts(of: item, in: folder).kind == .folder,
        let inner = SyncPath(bytes: path.bytes + [SyncPath.separator] + name),
        let below = try self.folders(in: folder.folder(FileName(name)), at: inner)
      else { return nil }
      folders += below + [inner]
    }
    return folders
  }
}
