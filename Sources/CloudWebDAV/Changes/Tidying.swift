internal import SyncKit

extension WebDAVStorage {
  /// After how many seconds somebody else's temporary counts as left behind.
  private static let oldAge: Int64 = 86_400

  /// Removes what crashes left: this device's temporaries that are not in use, and others' that are a day old. In a dry
  /// run nothing is removed.
  func tidy(_ temporaries: [Listing.Temporary]) async throws(SyncError) {
    guard state.mayTidy, !temporaries.isEmpty else { return }
    let kept = Set(try await state.records().compactMap { MoveIntent(key: $0.key, record: $0.value)?.kept })
    for temporary in temporaries where isLeftover(temporary) && !kept.contains(temporary.path) {
      let address = temporary.isFolder ? server.address.folder(temporary.path) : server.address.file(temporary.path)
      _ = try await server.delete(address)
    }
  }

  private func isLeftover(_ temporary: Listing.Temporary) -> Bool {
    guard !state.isInUse(temporary.path) else { return false }
    let isOurs = printable(temporary.path.name).contains(".syncd-\(device)-")
    return isOurs || temporary.age.map { $0 > Self.oldAge } ?? false
  }
}
