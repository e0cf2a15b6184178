internal import SyncKit

/// Makes one change, and checks what it replaced.
///
/// What is left under the temporary name goes to the settlement, with what is known of it. Where a step throws, nothing
/// goes there: the intent stays open and the next recovery looks.
struct Publication {
  let tree: OpenTree
  let place: Place
  let temporary: Temporary
  let intent: Intent?

  /// How it ended; nil if the change has happened.
  typealias Ending = WriteResult?

  private var primitives: Primitives { tree.primitives }

  /// A new file: a faster writer keeps the name.
  func create(_ settlement: inout Settlement) throws(SyncError) -> Ending {
    guard try primitives.publish(temporary, at: place) == .done else {
      leave(.unpublished, to: &settlement)
      return .refused(try tree.entry(at: place))
    }
    leave(.nothing, to: &settlement)
    return nil
  }

  /// A new version in exchange for the expected one; no answer at all if the file system cannot exchange.
  func exchange(
    for new: Digest, displacing expected: Digest, _ settlement: inout Settlement
  ) throws(SyncError) -> Ending? {
    switch try primitives.exchange(temporary, with: place) {
    case .notSupported: return nil
    case .missing, .taken:
      leave(.unpublished, to: &settlement)
      return .refused(nil)
    case .done: break
    }
    let isExpected = tree.isProved(temporary, at: place, tobe: expected)
    try primitives.reach(.fileVerified)
    guard isExpected else { return try exchangeBack(for: new, &settlement) }
    leave(.displaced(expected), to: &settlement)
    return .some(nil)
  }

  /// Moves the file away: a removal, or the first half of a replacement without exchange. If it was not the expected
  /// version it gets its name back.
  func moveAway(expecting expected: Digest, _ settlement: inout Settlement) throws(SyncError) -> Ending {
    guard try primitives.moveAway(from: place, to: temporary) == .done else {
      leave(.nothing, to: &settlement)
      return .refused(nil)
    }
    let isExpected = tree.isProved(temporary, at: place, tobe: expected)
    try primitives.reach(.fileVerified)
    guard isExpected else { return try moveBack(&settlement) }
    leave(.displaced(expected), to: &settlement)
    return nil
  }

  /// Another program saved the file just before the exchange: its version gets its name back.
  func exchangeBack(for new: Digest, _ settlement: inout Settlement) throws(SyncError) -> Ending {
    // If it cannot be exchanged, then because the new version was removed while it was there.
    guard try primitives.exchangeBack(temporary, with: place) == .done else { return try moveBack(&settlement) }
    guard tree.isProved(temporary, at: place, tobe: new) else { return try keepAside(&settlement) }
    leave(.displaced(new), to: &settlement)
    return .refused(try tree.entry(at: place))
  }

  /// The version under the temporary name gets its name back if that is free.
  func moveBack(_ settlement: inout Settlement) throws(SyncError) -> Ending {
    guard try primitives.moveBack(temporary, to: place) == .done else { return try keepAside(&settlement) }
    leave(.nothing, to: &settlement)
    return .refused(try tree.entry(at: place))
  }

  /// Another program saved the file twice: the version in between gets a name beside the last one.
  func keepAside(_ settlement: inout Settlement) throws(SyncError) -> Ending {
    let copy = try tree.keepAside(temporary, at: place)
    leave(copy == nil ? .unpublished : .nothing, to: &settlement)
    let kept = copy.map { "; the version saved meanwhile is in \($0)" } ?? ""
    return .postponed("another program saved \(place.path) at the same time\(kept)")
  }

  func leave(_ leftover: Settlement.Leftover, to settlement: inout Settlement) {
    settlement.take(leftover, under: temporary, beside: place.path, intent: intent)
  }
}
