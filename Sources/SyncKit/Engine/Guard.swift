internal import SettingsRegistry

/// Holds changes that could spread a loss until a user approves them. Pure.
struct Guard: Sendable {
  /// The maximum number of deletions that a pass may make without approval; fewer than five need one only if it is 0, if
  /// none of two or more files would be left, or if the only file would be empty.
  var limit: Share
  /// The deletions that a user approved.
  var allowed: Set<HeldItem> = []
  /// The number of deletions in the last day without approval; they count, so that a loss in portions cannot stay below the
  /// limit.
  var deletedToday = 0
  /// Sides whose root is not the known one: a missing file there proves nothing.
  var strangers: Set<Side> = []
  /// The present hold. Its deletions stay held until a user approves them or the files are restored, whatever their share is by
  /// now: other changes of the pass must not end a hold.
  var hold: Hold?

  /// Returns the plan in which changes that need approval are holds.
  func examine(_ plan: Plan) -> Plan {
    let all = losses(in: plan)
    let unapproved = all.filter { !allowed.contains($0.item) }
    let reason = reason(to: plan, unapproved, approved: all.count - unapproved.count)
    let losses = reason == nil ? unapproved.filter { hold?.items.contains($0.item) == true } : unapproved
    let items = Set(losses.map(\.item))
    guard !losses.isEmpty, let reason = reason ?? hold?.of(items).reason else { return plan }
    var plan = plan
    // Files written to the wrong disk, or agreements with it, would be missing on the right one and be deleted elsewhere.
    if isInDoubt(losses) { plan.decisions = plan.decisions.map { _ in .leave } }
    for loss in losses { plan.decisions[loss.index] = .hold(loss.change) }
    plan.hold = Hold(reason: reason, items: items)
    return plan
  }

  /// Returns true if a file is missing on a side that is not the known one, and no user has approved its deletion.
  func doubts(_ plan: Plan) -> Bool { isInDoubt(losses(in: plan).filter { !allowed.contains($0.item) }) }

  /// Returns the approvals that no longer apply, such as those for a restored file: they must not apply to its next deletion.
  /// If that is unknown, they stay.
  static func lapsed(_ allowed: Set<HeldItem>, in plan: Plan) -> [HeldItem] {
    guard !allowed.isEmpty else { return [] }
    let wanted = Set(Guard(limit: .count(0)).losses(in: plan).map(\.item))
    return allowed.subtracting(wanted).sorted().filter { item in
      guard let index = plan.index(of: item.path) else { return true }
      return Side.allCases.allSatisfy { plan.scan.state(of: plan.differences[index], on: $0) != .unknown }
    }
  }

  /// One version that the plan would delete.
  struct Loss {
    var index: Int
    var item: HeldItem
    var change: Decision.HeldChange
  }

  /// Returns everything that counts as a deletion: removals of versions that have no other name, and changes that leave a file
  /// empty.
  func losses(in plan: Plan) -> [Loss] {
    let removals = plan.indices.compactMap { removal(at: $0, in: plan) }
    let digests = Set(removals.map(\.item.digest))
    let moved = arrivals(of: digests, in: plan).union(twins(of: digests, in: plan))
    return removals.filter { !moved.contains($0.item.digest) } + plan.indices.compactMap { emptying(at: $0, in: plan) }
  }

  private func removal(at index: Int, in plan: Plan) -> Loss? {
    guard case .remove(let side) = plan.decisions[index], !plan.followed.contains(index),
      let digest = plan.scan.baseDigest(of: plan.differences[index])
    else { return nil }
    let item = HeldItem(path: plan.path(at: index), digest: digest, side: side)
    return Loss(index: index, item: item, change: .removal(from: side))
  }

  private func emptying(at index: Int, in plan: Plan) -> Loss? {
    guard case .copy(let side) = plan.decisions[index], let base = plan.scan.baseDigest(of: plan.differences[index]),
      base != .empty, plan.scan.state(of: plan.differences[index], on: side.other) == .present(.empty)
    else { return nil }
    let item = HeldItem(path: plan.path(at: index), digest: base, side: side)
    return Loss(index: index, item: item, change: .emptying(on: side))
  }

  /// Returns those of the versions that get a new name in the same plan.
  private func arrivals(of digests: Set<Digest>, in plan: Plan) -> Set<Digest> {
    guard !digests.isEmpty else { return [] }
    var arrived: Set<Digest> = []
    for index in plan.indices {
      guard case .copy(let side) = plan.decisions[index], plan.objections[index] == nil,
        case .present(let digest) = plan.scan.state(of: plan.differences[index], on: side.other),
        digests.contains(digest)
      else { continue }
      arrived.insert(digest)
    }
    return arrived
  }

  /// Returns those of the versions that both sides also have under another name, and keep.
  private func twins(of digests: Set<Digest>, in plan: Plan) -> Set<Digest> {
    guard !digests.isEmpty else { return [] }
    let base = plan.scan.base
    let rows = (0..<base.count).lazy.filter { digests.contains(base.digests[$0]) }
    return Set(rows.filter { plan.keeps(base.digests[$0], at: base.path(at: $0)) }.map { base.digests[$0] })
  }

  /// Returns true if a file is missing on a side that is not the known one.
  private func isInDoubt(_ losses: [Loss]) -> Bool {
    losses.contains { strangers.contains($0.item.side.other) }
  }

  /// Returns the reason for a hold. Approved deletions count as well; otherwise later ones would stay below the limit.
  private func reason(to plan: Plan, _ losses: [Loss], approved: Int) -> String? {
    guard !losses.isEmpty else { return nil }
    for side in Side.allCases where strangers.contains(side) && losses.contains(where: { $0.item.side == side.other }) {
      return "the \(side.word) is another folder than before; the missing files may be on another disk"
    }
    for side in Side.allCases where empties(side, losses, plan) {
      let emptied = losses.count { $0.change == .emptying(on: side) }
      guard emptied < losses.count else {
        return "every file of the \(side.other.word) was emptied; \(emptied.counted("file")) would be emptied"
      }
      return "the \(side.other.word) is empty; its \(losses.count.counted("file")) would be deleted"
    }
    let count = losses.count + approved + deletedToday
    guard count >= 5 || limit.isZero, count > limit.count(of: plan.scan.base.count + deletedToday) else { return nil }
    return "\(losses.count) of \(plan.scan.base.count.counted("file")) would be deleted"
      + (approved > 0 ? ", in addition to \(approved) approved" : "")
      + (deletedToday > 0 ? ", after \(deletedToday) within the last day" : "")
  }

  /// Returns true if the plan would remove all files of a side that had at least two, or leave its only file without a byte: a person
  /// removes a file, and a program that fails truncates it.
  private func empties(_ side: Side, _ losses: [Loss], _ plan: Plan) -> Bool {
    let emptied = losses.count { $0.change == .emptying(on: side) }
    guard plan.scan.base.count >= 2 || emptied > 0, losses.contains(where: { $0.item.side == side }) else {
      return false
    }
    let leaving = plan.decisions.count { $0 == .remove(from: side) } + emptied
    let arrives = plan.indices.contains {
      plan.decisions[$0] == .copy(to: side) && plan.objections[$0] == nil && emptying(at: $0, in: plan) == nil
    }
    return leaving >= plan.scan[side].count && !arrives
  }
}

extension Side {
  /// The side's name in messages.
  var word: String { self == .local ? "store" : "remote" }
}
