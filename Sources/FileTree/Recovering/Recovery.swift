internal import SyncKit

/// Finishes or undoes what a crash interrupted, by the same steps that were interrupted, so that a crash in here is one
/// like any other.
struct Recovery {
  let tree: OpenTree

  /// Deals with the intents; returns what the journal has to say of them from now on, and those whose folder is not there
  /// any more. What cannot be looked at stays open.
  func run(_ intents: [Intent]) throws(SyncError) -> (closings: [String: [UInt8]?], lost: [Intent]) {
    try tree.primitives.reach(.recoveryStarted)
    var settlement = Settlement(tree)
    var lost: [Intent] = []
    for intent in intents {
      do throws(SyncError) {
        if try !resolve(intent, &settlement) { lost.append(intent) }
      } catch { continue }
    }
    _ = settlement.settle()
    tree.removeEmptied(above: intents.filter { $0.new == nil }.map(\.path))
    try tree.primitives.reach(.recoveryFinished)
    return (settlement.closings, lost)
  }

  /// False if there is nothing to look at, because the folder is not there.
  private func resolve(_ intent: Intent, _ settlement: inout Settlement) throws(SyncError) -> Bool {
    let place: Place
    do throws(Obstacle) { place = try tree.place(of: intent.path) } catch {
      guard error.provesAbsence else { throw error.error }
      return false
    }
    let displaced = intent.found(try tree.version(of: intent.temporary.name, at: place))
    let present = intent.found(try tree.version(of: place.name, at: place))
    let remedy = Remedy(intent.kind, place: present, temporary: displaced)
    try tree.primitives.reach(.recoveryDecided)
    try carryOut(remedy, for: intent, at: place, holding: displaced, &settlement)
    return true
  }

  private func carryOut(
    _ remedy: Remedy, for intent: Intent, at place: Place, holding found: Remedy.Found,
    _ settlement: inout Settlement
  ) throws(SyncError) {
    let publication = Publication(tree: tree, place: place, temporary: intent.temporary, intent: intent)
    switch remedy {
    case .close: publication.leave(.nothing, to: &settlement)
    case .discard:
      let digest = found == .new ? intent.new ?? intent.expected : intent.expected
      publication.leave(.displaced(digest), to: &settlement)
    case .moveBack: _ = try publication.moveBack(&settlement)
    case .exchangeBack: _ = try publication.exchangeBack(for: intent.new ?? intent.expected, &settlement)
    case .keepAside: _ = try publication.keepAside(&settlement)
    }
  }
}
