internal import SyncKit

/// Finishes or undoes what a crash interrupted, with the same steps that were interrupted, so that a crash during recovery is
/// like any other.
struct Recovery {
  let tree: OpenTree

  /// Resolves the intents; returns their new journal records, and the intents whose folder no longer exists. Intents that
  /// cannot be checked stay open.
  func run(_ intents: [Intent]) throws(SyncError) -> (closings: [String: [UInt8]?], lost: [Intent]) {
    try tree.primitives.reach(.recoveryStarted)
    var cleanup = Cleanup(tree)
    var lost: [Intent] = []
    for intent in intents {
      do throws(SyncError) {
        if try !resolve(intent, &cleanup) { lost.append(intent) }
      } catch { continue }
    }
    _ = cleanup.finish()
    tree.removeEmptied(above: intents.filter { $0.new == nil }.map(\.path))
    try tree.primitives.reach(.recoveryFinished)
    return (cleanup.closings, lost)
  }

  /// Resolves one intent; returns false if its folder does not exist.
  private func resolve(_ intent: Intent, _ cleanup: inout Cleanup) throws(SyncError) -> Bool {
    let location: FileLocation
    do throws(Obstacle) { location = try tree.location(of: intent.path) } catch {
      guard error.provesAbsence else { throw error.error }
      return false
    }
    let displaced = try found(intent.temporary.name, at: location, by: intent)
    let present = try found(location.name, at: location, by: intent)
    let remedy = Remedy(intent.kind, location: present, temporary: displaced)
    try tree.primitives.reach(.recoveryDecided)
    try carryOut(remedy, for: intent, at: location, holding: displaced, &cleanup)
    return true
  }

  private func found(
    _ name: FileName, at location: FileLocation, by intent: Intent
  ) throws(SyncError) -> Remedy.Found {
    if tree.isRenamed(name, at: location, to: intent.newPath) { return .renamed }
    return intent.found(try tree.version(of: name, at: location))
  }

  private func carryOut(
    _ remedy: Remedy, for intent: Intent, at location: FileLocation, holding found: Remedy.Found,
    _ cleanup: inout Cleanup
  ) throws(SyncError) {
    let publication = Publication(tree: tree, location: location, temporary: intent.temporary, intent: intent)
    switch remedy {
    case .close: publication.leave(.nothing, to: &cleanup)
    case .discard:
      let digest = found == .new ? intent.new ?? intent.expected : intent.expected
      publication.leave(.displaced(digest), to: &cleanup)
    case .moveAway: _ = try publication.moveAway(expecting: intent.expected, &cleanup)
    case .moveBack: _ = try publication.moveBack(&cleanup)
    case .exchangeBack: _ = try publication.exchangeBack(for: intent.new ?? intent.expected, &cleanup)
    case .keepAside: _ = try publication.keepAside(&cleanup)
    }
  }
}
