internal import SyncKit

extension FileWrite {
  /// Removes the item at the file's path if it is a folder that contains no file at any depth; returns true if it did.
  ///
  /// DELETE removes everything in a folder, including what another client has just added. So the folder is first moved to a
  /// path where no client writes, then checked again, and moved back if it contains something. If the server hides some names,
  /// the folder stays, because it may contain hidden files.
  func removeEmptyFolder() async throws(SyncError) -> Bool {
    guard traits.movesWithoutOverwriting, traits.listsDotNames,
      case .success(let observation?) = try await observation(),
      observation.facts.isFolder,
      try await storage.isEmpty(path),
      let aside = PreviousVersionName.beside(path, device: storage.device, server.runtime)
    else { return false }
    state.use(aside)
    defer { state.release(aside) }
    let intent = MoveIntent(path: path, kept: aside, isFolder: true)
    try await state.write([intent.key: intent.record])
    let (here, there) = (server.address.folder(path), server.address.folder(aside))
    _ = try await server.move(here, to: there, overwriting: false)
    try await storage.resolve(intent)
    state.forget([path])
    guard case .success(nil) = try await self.observation() else { return false }
    return true
  }
}

extension WebDAVStorage {
  /// Returns true if a folder contains no file at any depth. A folder that cannot be listed may contain some.
  func isEmpty(_ folder: SyncPath) async throws(SyncError) -> Bool {
    guard let children = try await server.children(of: folder)?.items else { return true }
    for (name, item) in children {
      guard item.facts.isFolder, let inner = folder.appending(name), try await isEmpty(inner) else { return false }
    }
    return true
  }
}
