internal import SFTPWire
internal import SyncKit

extension SFTPStorage {
  func list(since known: Known) async throws(SyncError) -> Snapshot {
    // A file that is written after this moment gets a later time.
    let clock = state.clock
    var listing = try await TreeListing.run(on: self, known.filter)
    var failure: SyncError?
    let leftovers = Leftovers(storage: self, listing)
    if state.mayRepair, !leftovers.own.isEmpty {
      failure = try await leftovers.clearUp()
      listing = try await TreeListing.run(on: self, known.filter)
    }
    state.record(known: known, files: Set(listing.files.map(\.path)))
    var builder = SnapshotBuilder(since: known)
    for (path, facts) in listing.files {
      builder.add(facts.entry(at: path, isFirm: state.isFirm(facts, at: path, clock)))
    }
    for part in listing.unread { builder.add(unread: part) }
    for path in Leftovers(storage: self, listing).displaced {
      builder.add(unread: Unread(path, .failed(failure?.message ?? Leftovers.isBeingReplaced)))
    }
    return builder.finish(
      root: RootIdentity(address: address, id: nil), naming: try await capabilities().naming,
      isComplete: listing.isComplete)
  }
}
