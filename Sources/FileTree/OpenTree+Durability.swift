internal import CPOSIX
internal import SyncKit

/// The maximum number of files or folders that are synced one by one; beyond that, syncing the whole file system is faster.
private let few = 8

extension OpenTree {
  /// Makes the names in these folders durable, nil being the root; returns the folders that may not be durable.
  func sync(_ folders: Set<SyncPath?>) -> Set<SyncPath?> {
    let all = folders.map { ($0, $0) }
    return Set(
      sync(all, between: .folderSyncing, and: .folderSynced) { folder, _ throws(Errno) in try folder.sync() })
  }

  /// Makes the content of these temporaries durable; returns those that may not be durable and must never be published.
  func sync(_ temporaries: [(SyncPath?, Temporary)]) -> Set<Temporary> {
    Set(
      sync(temporaries, between: .temporarySyncing, and: .temporarySynced) { folder, temporary throws(Errno) in
        try folder.file(temporary.name).sync()
      })
  }

  private func sync<Item>(
    _ items: [(SyncPath?, Item)], between before: TreeFailpoint, and after: TreeFailpoint,
    each sync: (Folder, Item) throws(Errno) -> Void
  ) -> [Item] {
    guard !items.isEmpty else { return [] }
    do throws(SyncError) {
      try primitives.reach(before)
      let failed = syncAll(items, each: sync)
      try primitives.reach(after)
      return failed
    } catch { return items.map(\.1) }
  }

  /// Syncs each item with `sync`, or the file systems that contain them.
  private func syncAll<Item>(
    _ items: [(SyncPath?, Item)], each sync: (Folder, Item) throws(Errno) -> Void
  ) -> [Item] {
    var answers: [UInt64: Result<Bool, Errno>] = [:]
    var last: (path: SyncPath?, folder: Folder, device: UInt64)?
    return items.filter { path, item in
      if last == nil || last?.path != path {
        last = (try? folder(at: path)).flatMap { folder in
          (try? folder.facts().device).map { (path, folder, $0) }
        }
      }
      guard let (_, folder, device) = last else { return true }
      if items.count > few, answers[device] == nil { answers[device] = Self.syncFileSystem(of: folder) }
      switch answers[device] {
      case .success(true): return false
      case .failure: return true
      case .success(false), nil: return (try? sync(folder, item)) == nil
      }
    }.map(\.1)
  }

  /// Returns false if the system cannot sync a whole file system.
  private static func syncFileSystem(of folder: Folder) -> Result<Bool, Errno> {
    do throws(Errno) {
      try once { posix_sync_all(folder.number) }
      return .success(true)
    } catch .noSuchCall { return .success(false) } catch { return .failure(error) }
  }
}
