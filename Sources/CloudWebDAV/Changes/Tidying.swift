internal import SyncKit

extension WebDAVStorage {
  /// After how many seconds another client's upload counts as left behind.
  private static let oldAge: Int64 = 86_400
  /// For how many seconds, since we saw it first, another client's version that has no other name waits for that device to
  /// come back: a month. Its own time says nothing, because MOVE keeps it.
  private static let patience: Int64 = 30 * 86_400

  /// Removes what crashes left: this device's temporaries that are not in use, and others' that are a day old; and gives
  /// versions their names back that were left without. In a dry run nothing is done.
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

  // MARK: Versions without a name

  private static let seenPrefix = "webdav.kept "

  /// Gives versions back that were moved out of their places and left there: ours at once, others' when no device has come
  /// for them for long. What cannot go back goes into the history before it is removed.
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
