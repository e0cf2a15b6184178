internal import SyncKit

extension WebDAVStorage {
  /// The age in seconds at which another client's upload counts as abandoned.
  private static let oldAge: Int64 = 86_400
  /// The time in seconds, from when we first saw it, that another client's moved-away version is left for that device: a month.
  /// The file's own time is useless, because MOVE keeps it.
  private static let patience: Int64 = 30 * 86_400

  /// Removes the leftovers of crashes: this device's unused temporaries, and others' that are a day old; and moves versions
  /// back to their names. Does nothing in a dry run.
  func tidy(_ temporaries: [Listing.Temporary]) async throws(SyncError) {
    guard state.mayTidy, !temporaries.isEmpty else { return }
    let records = try await state.records()
    let intended = Set(records.compactMap { MoveIntent(key: $0.key, record: $0.value)?.kept })
    let left = temporaries.filter { !state.isInUse($0.path) && !intended.contains($0.path) }
    for temporary in left where !PreviousVersionName.isMoved(temporary.path) && isLeftover(temporary) {
      let address = temporary.isFolder ? server.address.folder(temporary.path) : server.address.file(temporary.path)
      _ = try await server.delete(address)
    }
    try await moveBack(left.filter { PreviousVersionName.isMoved($0.path) }, records)
  }

  private func isLeftover(_ temporary: Listing.Temporary) -> Bool {
    isOurs(temporary) || temporary.age.map { $0 > Self.oldAge } ?? false
  }

  private func isOurs(_ temporary: Listing.Temporary) -> Bool {
    printable(temporary.path.name).contains(".syncd-\(device)-")
  }

  // MARK: Moved-away versions

  private static let seenPrefix = "webdav.kept "

  /// Moves versions back that were left moved away: ours at once, others' after their device has not returned for long. A
  /// version that cannot be moved back is stored in the history before it is removed.
  private func moveBack(
    _ kept: [Listing.Temporary], _ records: [String: [UInt8]]
  ) async throws(SyncError) {
    let now = server.runtime.now().seconds
    var updates: [String: [UInt8]?] = [:]
    for key in records.keys where key.hasPrefix(Self.seenPrefix) { updates[key] = .some(nil) }
    for temporary in kept {
      let key = Self.seenPrefix + temporary.path.description
      let first = records[key].flatMap { Int64(String(decoding: $0, as: UTF8.self)) } ?? now
      if isOurs(temporary) || now - first > Self.patience,
        let original = PreviousVersionName.original(of: temporary.path)
      {
        try await resolve(MoveIntent(path: original, kept: temporary.path, isFolder: temporary.isFolder))
      }
      updates[key] = Array("\(min(first, now))".utf8)
    }
    updates = updates.filter { records[$0.key] != $0.value }
    if !updates.isEmpty { try await state.write(updates) }
  }
}
