internal import SyncKit

extension Listing.Found {
  /// Files that are missing because a device has moved them away to replace them: not a deletion.
  func missingOriginals(_ filter: PathFilter) -> [Unread] {
    let kept = temporaries.map(\.path).filter { PreviousVersionName.original(of: $0).map(filter.accepts) ?? false }
    guard !kept.isEmpty else { return [] }
    let there = Set(files.map(\.path)).union(folders).union(unchanged)
    return kept.compactMap { kept in
      guard let path = PreviousVersionName.original(of: kept), !there.contains(path) else { return nil }
      return Unread(
        path,
        .failed(
          "another device has moved it to \(kept) to replace it, or was interrupted; that device's next run "
            + "restores it. If that device is gone, rename the file"))
    }
  }
}
