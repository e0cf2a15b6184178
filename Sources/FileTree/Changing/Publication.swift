internal import SyncKit

/// Makes one change, and checks the version that it replaced.
///
/// The temporary that remains is passed to the cleanup, with what is known of it. If a step throws, it is not: the intent stays
/// open and the next recovery resolves it.
struct Publication {
  let tree: OpenTree
  let location: FileLocation
  let temporary: Temporary
  let intent: Intent?

  private var primitives: Primitives { tree.primitives }

  /// Publishes a new file; if another writer was faster, its file stays.
  func create(_ cleanup: inout Cleanup) throws(SyncError) -> PublicationResult {
    guard try primitives.publish(temporary, at: location) == .done else {
      leave(.unpublished, to: &cleanup)
      return try tree.refusal(at: location)
    }
    leave(.nothing, to: &cleanup)
    return nil
  }

  /// Exchanges the new version with the expected one; returns nil if the file system cannot exchange.
  func exchange(
    for new: Digest, displacing expected: Digest, _ cleanup: inout Cleanup
  ) throws(SyncError) -> PublicationResult? {
    switch try primitives.exchange(temporary, with: location) {
    case .notSupported: return nil
    case .missing, .taken:
      leave(.unpublished, to: &cleanup)
      return .refused(nil)
    case .done: break
    }
    let isExpected = tree.isProved(temporary, at: location, tobe: expected)
    try primitives.reach(.fileVerified)
    guard isExpected else { return try exchangeBack(for: new, &cleanup) }
    leave(.displaced(expected), to: &cleanup)
    return .some(nil)
  }

  /// Moves the file away: for a removal, or as the first half of a replacement without exchange. If it is not the expected
  /// version, it gets its name back; a renamed file loses nothing, whatever was written to it.
  func moveAway(expecting expected: Digest, _ cleanup: inout Cleanup) throws(SyncError) -> PublicationResult {
    guard try primitives.moveAway(from: location, to: temporary) == .done else {
      leave(.nothing, to: &cleanup)
      return .refused(nil)
    }
    let isExpected =
      tree.isRenamed(temporary.name, at: location, to: intent?.newPath)
      || tree.isProved(temporary, at: location, tobe: expected)
    try primitives.reach(.fileVerified)
    guard isExpected else { return try moveBack(&cleanup) }
    leave(.displaced(expected), to: &cleanup)
    return nil
  }

  /// Handles a file that another program saved just before the exchange: its version gets its name back.
  func exchangeBack(for new: Digest, _ cleanup: inout Cleanup) throws(SyncError) -> PublicationResult {
    // The exchange back fails only if the new version was removed meanwhile.
    guard try primitives.exchangeBack(temporary, with: location) == .done else { return try moveBack(&cleanup) }
    guard tree.isProved(temporary, at: location, tobe: new) else { return try keepAside(&cleanup) }
    leave(.displaced(new), to: &cleanup)
    return try tree.refusal(at: location)
  }

  /// Moves the version in the temporary back to its name if that is free.
  func moveBack(_ cleanup: inout Cleanup) throws(SyncError) -> PublicationResult {
    guard try primitives.moveBack(temporary, to: location) == .done else { return try keepAside(&cleanup) }
    leave(.nothing, to: &cleanup)
    return try tree.refusal(at: location)
  }

  /// Handles a file that another program saved twice: the version in between gets a name beside the last one.
  func keepAside(_ cleanup: inout Cleanup) throws(SyncError) -> PublicationResult {
    let copy = try tree.keepAside(temporary, at: location)
    leave(copy == nil ? .unpublished : .nothing, to: &cleanup)
    let kept = copy.map { "; the version saved meanwhile is in \($0)" } ?? ""
    return .postponed("another program saved \(location.path) at the same time\(kept)")
  }

  func leave(_ leftover: Cleanup.Leftover, to cleanup: inout Cleanup) {
    cleanup.add(leftover, under: temporary, beside: location.path, intent: intent)
  }
}

/// The result of a change that was not made; nil if it was made.
typealias PublicationResult = WriteResult?
