/// Removes the changes from a plan that a remote's mode does not let pass. Pure.
///
/// An ignored change leaves both sides and the agreement as they are, so a later pass in another mode decides with the same last
/// common content. A merge writes to both sides, so it is ignored if one of them must not change.
struct ModeFilter: Sendable {
  let mode: RemoteMode

  /// Returns the plan without the ignored changes, which it lists in `Plan.ignored`.
  func applied(to plan: Plan) -> Plan {
    guard mode != .both else { return plan }
    var plan = plan
    for index in plan.indices where ignores(index, in: plan) {
      plan.ignored[index] = Self.change(at: index, in: plan)
      plan.decisions[index] = .leave
    }
    return plan
  }

  private func ignores(_ index: Int, in plan: Plan) -> Bool {
    // One version must replace all that the remote has.
    let unites = plan.scan.concurrency(of: plan.differences[index]) != nil && !mode.mayChange(.remote)
    return switch plan.decisions[index] {
    case .copy(let side): unites || !mode.mayChange(side) || mode == .noDelete && plan.empties(index)
    case .remove(let side): !mode.mayChange(side) || mode == .noDelete
    case .merge: !Side.allCases.allSatisfy(mode.mayChange)
    // Both rename a file, so that a path disappears.
    case .setAside, .follow: true
    case .leave: Side.allCases.contains { plan.scan.staysUnread(plan.differences[index], on: $0, mode) }
    case .agree: unites
    case .forget, .hold: false
    }
  }

  /// What changed since the last agreement, and on which side.
  private static func change(at index: Int, in plan: Plan) -> String {
    let difference = plan.differences[index]
    let base = plan.scan.baseDigest(of: difference)
    let changes = Side.allCases.compactMap { side -> String? in
      let state = plan.scan.state(of: difference, on: side)
      let what: String? =
        switch state {
        case .absent: base == nil ? nil : "deleted"
        case .present(base): nil
        case .present(.empty) where base != nil: "emptied"
        case .present: base == nil ? "new" : "edited"
        case .unknown: difference[side].index == nil ? nil : "new"
        }
      return what.map { "\($0) \(side.place)" }
    }
    if case .setAside(let side) = plan.decisions[index] {
      return changes.joined(separator: " and ") + ", and the \(side.other.word) has a folder of this name"
    }
    return changes.joined(separator: " and ")
  }
}

extension Scan {
  /// Returns true if a file is new on `side` and the mode keeps it there: then its content decides nothing and is not read.
  func staysUnread(_ difference: Difference, on side: Side, _ mode: RemoteMode) -> Bool {
    guard !mode.mayChange(side.other), difference.base < 0, difference[side.other] == .absent,
      let index = difference[side].index
    else { return false }
    return self[side].others.digest(at: index) == nil && intendedChange(of: difference) == nil
  }
}

extension Plan {
  /// Returns true if a copy would leave a file empty that was not.
  fileprivate func empties(_ index: Int) -> Bool {
    guard case .copy(let side) = decisions[index], let base = scan.baseDigest(of: differences[index]) else {
      return false
    }
    return base != .empty && scan.state(of: differences[index], on: side.other) == .present(.empty)
  }
}

extension Side {
  /// The side as the end of a clause.
  fileprivate var place: String { self == .local ? "in the store" : "on the remote" }
}
