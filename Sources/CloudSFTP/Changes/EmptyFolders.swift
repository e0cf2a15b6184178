internal import SFTPWire
internal import SyncKit

/// Removes folders without files that are in the place of a file.
struct EmptyFolders: Sendable {
  let storage: SFTPStorage

  private static let deepest = 100

  /// Returns true if there was such a folder and it is gone. A folder with any file stays as it is, since servers refuse to
  /// remove one that is not empty.
  func clear(_ path: SyncPath, depth: Int = 0) async throws(SyncError) -> Bool {
    guard depth < Self.deepest, case .names(let names) = try await storage.names(in: path) else { return false }
    guard names.allSatisfy({ $0.attributes.kind == .folder }) else { return false }
    for name in names {
      guard let folder = path.appending(name.name), try await clear(folder, depth: depth + 1) else { return false }
    }
    return try await storage.server.perform(.removeFolder(storage.folder.bytes(of: path))).isDone
  }
}
