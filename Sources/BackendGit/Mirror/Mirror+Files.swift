internal import CGit2
internal import GitObjects
internal import SyncKit

/// Reads and writes single files of the copy.
extension Mirror {
  /// Returns the item at each path of the branch, with its author and time from the history.
  func items(_ paths: [SyncPath], in tip: Tip) throws(SyncError) -> [TreeEdit.Item] {
    let edit = try edit(tip)
    var items: [TreeEdit.Item] = []
    for path in paths { items.append(try edit.item(path)) }
    return items
  }

  /// Returns the author and time of these files of the branch, as far as known.
  func origins(of versions: [Origins.Version], in tip: Tip) throws(SyncError) -> [Origins.Version: Origins.Origin] {
    guard let commit = tip.commit else { return [:] }
    let repository = try repository
    return try origins.find(
      versions, at: commit, commit: { id throws(SyncError) in try repository.commit(id) },
      tree: { id throws(SyncError) in try self.tree(id) })
  }

  // MARK: Writing

  /// Writes files that are in memory.
  func write(_ files: [[UInt8]]) throws(SyncError) -> [ObjectID] {
    try GitFailpoint.objectsWriting.reach()
    let repository = try repository
    var ids: [ObjectID] = []
    for bytes in files { ids.append(try repository.write(bytes, GIT_OBJECT_BLOB)) }
    return ids
  }

  /// Begins a file that arrives in pieces, and returns a number for it.
  func begin(size: Int) throws(SyncError) -> Int {
    try GitFailpoint.objectsWriting.reach()
    let number = (writers.keys.max() ?? 0) + 1
    writers[number] = try repository.blobWriter(size: size)
    return number
  }

  func write(_ piece: [UInt8], to number: Int) throws(SyncError) { try writers[number]?.write(piece) }

  /// Ends a file; unless `isComplete`, discards it.
  func end(_ number: Int, isComplete: Bool) throws(SyncError) -> ObjectID? {
    guard let writer = writers.removeValue(forKey: number), isComplete else { return nil }
    return try writer.finish()
  }
}
