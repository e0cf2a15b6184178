/// Decides what shall be where, from what was agreed and what both sides have. Pure and total.
enum Reconcile {
  /// The plan for `scan`: first each path by itself, then what ties paths together.
  static func plan(_ scan: Scan, _ differences: [Difference], filter: PathFilter = PathFilter()) -> Plan {
    var plan = Plan(scan: scan, differences: differences, decisions: differences.map { decide($0, in: scan, filter) })
    Renames.follow(in: &plan)
    Clashes.settle(in: &plan)
    Collisions.refuse(in: &plan)
    return plan
  }

  private static func decide(_ difference: Difference, in scan: Scan, _ filter: PathFilter) -> Decision {
    if difference.base >= 0, difference.local.index == nil, difference.remote.index == nil,
      !filter.accepts(scan.path(of: difference))
    {
      return .forget
    }
    return Decision.decide(
      base: scan.baseDigest(of: difference), local: scan.state(of: difference, on: .local),
      remote: scan.state(of: difference, on: .remote))
  }
}

/// Recognises renames by content: a version that is gone from one path and new at another, on the same side.
///
/// A plain rename needs nothing more than the decisions for its two paths. Where the other side edited the file under
/// its old name, the edit follows it to the new one.
enum Renames {
  static func follow(in plan: inout Plan) {
    let sources = editedElsewhere(in: plan)
    guard !sources.isEmpty else { return }
    for side in Side.allCases {
      let arrivals = Dictionary(grouping: plan.indices.filter { isArrival($0, on: side, in: plan) }) {
        plan.scan.state(of: plan.differences[$0], on: side)
      }
      let interrupted = Dictionary(grouping: plan.indices.filter { mayBeInterrupted($0, in: plan) }) {
        plan.scan.state(of: plan.differences[$0], on: side.other)
      }
      for (digest, candidates) in sources {
        // Two candidates are no rename that anybody could be sure of.
        guard candidates.count == 1, let source = candidates.first, source.side == side else { continue }
        let edited = plan.scan.state(of: plan.differences[source.index], on: side.other)
        let halves = (interrupted[edited] ?? []).filter {
          [.present(digest), edited].contains(plan.scan.state(of: plan.differences[$0], on: side))
        }
        let targets = (arrivals[.present(digest)] ?? []) + halves
        guard targets.count == 1, let target = targets.first,
          canFollow(from: plan.path(at: source.index), to: plan.path(at: target), on: side.other, in: plan)
        else { continue }
        plan.decisions[source.index] = .remove(from: side.other)
        plan.decisions[target] = .follow(on: side)
        plan.origins[target] = source.index
        plan.followed.insert(source.index)
      }
    }
  }

  /// Whether a side can hold both names for as long as it takes: the new one is written before the old one goes.
  private static func canFollow(from old: SyncPath, to new: SyncPath, on side: Side, in plan: Plan) -> Bool {
    let naming = plan.scan[side].naming
    return naming.objection(to: new) == nil && old.collisionKey(under: naming) != new.collisionKey(under: naming)
      && !old.isInside(new) && !new.isInside(old)
  }

  /// The files that one side no longer has and the other one edited, by the content they had.
  private static func editedElsewhere(in plan: Plan) -> [Digest: [(index: Int, side: Side)]] {
    var sources: [Digest: [(index: Int, side: Side)]] = [:]
    for index in plan.indices {
      guard let base = plan.scan.baseDigest(of: plan.differences[index]), base != .empty,
        case .copy(let side) = plan.decisions[index], plan.differences[index][side] == .absent
      else { continue }
      sources[base, default: []].append((index, side))
    }
    return sources
  }

  /// Whether a path may be where a rename leads to that a crash interrupted: the edit has its new name already on the
  /// side that edited, or on both, and the old one is still there.
  private static func mayBeInterrupted(_ index: Int, in plan: Plan) -> Bool {
    guard plan.differences[index].base < 0 else { return false }
    return plan.decisions[index] == .merge || plan.decisions[index] == .agree
  }

  private static func isArrival(_ index: Int, on side: Side, in plan: Plan) -> Bool {
    plan.differences[index].base < 0 && plan.decisions[index] == .copy(to: side.other)
  }
}

/// Settles where one side has a file and the other one a folder of the same name: the folder keeps the name.
enum Clashes {
  static func settle(in plan: inout Plan) {
    for index in plan.indices {
      guard case .copy(let side) = plan.decisions[index] else { continue }
      let path = plan.path(at: index)
      if plan.scan[side].holdsFiles(inside: path), staysFolder(path, on: side, in: plan) {
        plan.decisions[index] = .setAside(on: side.other)
      }
    }
  }

  /// Whether anything inside the folder is still there when the plan is carried out.
  private static func staysFolder(_ folder: SyncPath, on side: Side, in plan: Plan) -> Bool {
    plan.scan[side].paths(inside: folder).contains { plan.leavesFile(at: $0, on: side) }
  }
}

/// Refuses to carry a path to a side that cannot hold it: it is reported, and neither sent nor renamed.
enum Collisions {
  static func refuse(in plan: inout Plan) {
    for side in Side.allCases {
      let naming = plan.scan[side].naming
      refuseNames(on: side, naming, in: &plan)
      if naming.folds { refuseTwins(on: side, naming, in: &plan) }
    }
  }

  private static func refuseNames(on side: Side, _ naming: NamingRules, in plan: inout Plan) {
    for index in plan.indices where plan.decisions[index] == .copy(to: side) {
      if let objection = naming.objection(to: plan.path(at: index)) { plan.objections[index] = objection }
    }
  }

  private static func refuseTwins(on side: Side, _ naming: NamingRules, in plan: inout Plan) {
    let copies = plan.indices.filter { plan.decisions[$0] == .copy(to: side) && plan.objections[$0] == nil }
    guard !copies.isEmpty else { return }
    let wanted = Set(copies.flatMap { plan.path(at: $0).prefixes.map { $0.collisionKey(under: naming) } })
    var taken: [CollisionKey: SyncPath] = [:]
    for entry in plan.scan[side].entries where plan.leavesFile(at: entry.path, on: side) {
      for prefix in entry.path.prefixes {
        let key = prefix.collisionKey(under: naming)
        if wanted.contains(key) { taken[key] = prefix }
      }
    }
    for index in copies {
      let prefixes = plan.path(at: index).prefixes.map { (path: $0, key: $0.collisionKey(under: naming)) }
      if let twin = prefixes.compactMap({ prefix in taken[prefix.key].flatMap { $0 == prefix.path ? nil : $0 } }).first
      {
        plan.objections[index] = "the \(side.word) cannot tell it from \(twin)"
      } else {
        for prefix in prefixes { taken[prefix.key] = prefix.path }
      }
    }
  }
}

extension SyncPath {
  /// The path and the folders above it: all the names that have to be free of twins.
  fileprivate var prefixes: [SyncPath] { [self] + ancestors }
}
