internal import SyncKit

extension OpenTree {
  /// Removes the folder at `place`, with the folders in it, if there is nothing else anywhere in it. Returns true if it is
  /// gone. Only empty folders are removed, so what another program puts into one in the meantime stays.
  func removeIfEmpty(_ place: Place) throws(SyncError) -> Bool {
    let inner: [SyncPath]?
    do throws(Errno) { inner = try folders(in: try place.folder.folder(place.name), at: place.path) } catch {
      throw SyncError(error, at: place.path)
    }
    guard let inner else { return false }
    defer { forget() }
    for path in inner {
      let folder: Place
      do throws(Obstacle) { folder = try self.place(of: path) } catch { throw error.error }
      forget()
      guard try primitives.removeFolder(folder) == .done else { return false }
    }
    return try primitives.removeFolder(place) == .done
  }

  /// The folders below `folder`, each after those in it; nil if there is anything else.
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
