internal import CPOSIX
internal import SyncKit

/// Up to this many files or folders are flushed one by one; beyond that, flushing the whole file system is faster.
private let few = 8

extension OpenTree {
  /// Makes the names in these folders durable, the root being nil; gives those of which it cannot be said.
  func sync(_ folders: Set<SyncPath?>) -> Set<SyncPath?> {
    let all = folders.map { ($0, $0) }
    return Set(
      sync(all, between: .folderSyncing, and: .folderSynced) { folder, _ throws(Errno) in try folder.sync() })
  }

  /// Makes the content of these temporaries durable; gives those of which it cannot be said, and which are therefore
  /// never to be published.
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

  /// Syncs each item by `sync`, or the file systems they are on.
  private func syncAll<Item>(
    _ items: [(SyncPath?, Item)], each sync: (Folder, Item) throws(Errno) -> Void
  ) -> [Item] {
    var answers: [UInt64: Result<Bool, Errno>] = [:]
    return items.filter { path, item in
      guard let folder = try? folder(at: path), let device = try? folder.facts().device else { return true }
      if items.count > few, answers[device] == nil { answers[device] = Self.syncFileSystem(of: folder) }
      switch answers[device] {
      case .success(true): return false
      case .failure: return true
      case .success(false), nil: return (try? sync(folder, item)) == nil
      }
    }.map(\.1)
  }

  /// False where a whole file system cannot be synced.
  private static func syncFileSystem(of folder: Folder) -> Result<Bool, Errno> {
    do throws(Errno) {
      try once { posix_sync_all(folder.number) }
      return .success(true)
    } catch .noSuchCall { return .success(false) } catch { return .failure(error) }
  }
}
