internal import SyncKit

extension FileWrite {
  /// Removes what stands in the file's place if it is a folder without a file anywhere in it; true if it did.
  ///
  /// DELETE takes everything in a folder along, also what another client has just put there. So the folder is moved out of the
  /// way first, where no client writes, then checked again, and comes back if there is something in it. Where files
  /// may be in it that the server never lists, it stays.
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
  /// Returns true if there is no file in a folder, nor in any below it. A folder that cannot be listed may hold some.
  func isEmpty(_ folder: SyncPath) async throws(SyncError) -> Bool {
    guard let children = try await server.children(of: folder)?.items else { return true }
    for (name, item) in children {
      guard item.facts.isFolder, let inner = folder.appending(name), try await isEmpty(inner) else { return false }
    }
    return true
  }
}
