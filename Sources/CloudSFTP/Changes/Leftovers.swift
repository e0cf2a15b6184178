internal import SFTPWire
internal import SyncKit

/// The files that interrupted changes have left. Their names tell everything: `NAME.syncd-DEVICE-N.old.tmp` is the only name of
/// a version that was moved aside, and `NAME.syncd-DEVICE-N.tmp` was uploaded by that device.
struct Leftovers: Sendable {
  let storage: SFTPStorage
  private let listing: TreeListing

  static let isBeingReplaced =
    "another device was interrupted while it replaced this file; that device's next run restores it"

  init(storage: SFTPStorage, _ listing: TreeListing) {
    self.storage = storage
    self.listing = listing
  }

  /// Those of this device, without those of changes in progress.
  var own: [(path: SyncPath, isFolder: Bool)] {
    listing.temporaries.filter { item in
      guard let suffix = PreviousVersionName.suffix(of: item.path, keptBy: storage.deviceTag) else { return false }
      return !storage.state.isActive(suffix)
        && !storage.state.isActive(suffix.dropLast(".tmp".utf8.count) + ".old.tmp")
    }
  }

  /// Those of other devices.
  var foreign: [SyncPath] {
    listing.temporaries.map(\.path).filter {
      PreviousVersionName.suffix(of: $0, keptBy: storage.deviceTag) == nil
    }
  }

  /// The files that are missing because a device has moved them away to replace them: not deletions.
  var displaced: [SyncPath] {
    let moved = Set(listing.temporaries.compactMap { PreviousVersionName.original(of: $0.path) })
    return moved.isEmpty ? [] : Array(moved.subtracting(listing.files.map(\.path)))
  }

  /// Clears up those of this device; returns the first error.
  func clearUp() async throws(SyncError) -> SyncError? {
    do throws(SyncError) {
      let placement = Placement(storage: storage, traits: try await storage.provenTraits())
      _ = try await mapConcurrently(own, atMost: SFTPStorage.parallelism) { item throws(SyncError) in
        if item.isFolder {
          try await removeProbe(item.path)
        } else if let original = PreviousVersionName.original(of: item.path) {
          try await placement.restore(item.path, to: original)
        } else {
          // A second name of an upload, or an incomplete one.
          _ = try await storage.server.perform(.remove(storage.folder.bytes(of: item.path)))
        }
      }
      return nil
    } catch {
      guard error.code != .cancelled else { throw error }
      return error
    }
  }

  /// Removes the folder of an interrupted probe.
  private func removeProbe(_ path: SyncPath) async throws(SyncError) {
    guard case .names(let names) = try await storage.names(in: path) else { return }
    let files = names.compactMap { path.appending($0.name) }.map { SFTPRequest.remove(storage.folder.bytes(of: $0)) }
    _ = try await storage.server.perform(files + [.removeFolder(storage.folder.bytes(of: path))])
  }
}
