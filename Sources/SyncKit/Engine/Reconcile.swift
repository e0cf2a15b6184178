/// Decides what each side must have, from the agreements and both sides' present state. Pure and total.
enum Reconcile {
  /// Returns the plan for `scan`: first each path separately, then the rules that connect paths.
  ///
  /// - Parameter followsRenames: false if a remote's mode lets only some changes pass: then each path is separate. To apply an edit
  ///   under the new name changes both sides and removes a path, and no content is removed from both sides.
  static func plan(
    _ scan: Scan, _ differences: [Difference], filter: PathFilter = PathFilter(), followsRenames: Bool = true
  ) -> Plan {
    var plan = Plan(scan: scan, differences: differences, decisions: differences.map { decide($0, in: scan, filter) })
    if followsRenames {
      Renames.follow(in: &plan)
      LastCopies.keep(in: &plan)
    }
    Clashes.resolve(in: &plan)
    Collisions.refuse(in: &plan)
    return plan
  }

  private static func decide(_ difference: Difference, in scan: Scan, _ filter: PathFilter) -> Decision {
    if difference.base >= 0, difference.local.index == nil, difference.remote.index == nil,
      !filter.accepts(scan.path(of: difference))
    {
      return .forget
    }
    // A former pass has removed it and could not record that.
    let isGone = Side.allCases.allSatisfy { scan.state(of: difference, on: $0) == .absent }
    if difference.base >= 0, isGone { return .forget }
    return Decision.decide(
      base: scan.baseDigest(of: difference), local: scan.state(of: difference, on: .local),
      remote: scan.state(of: difference, on: .remote))
  }
}

/// Recognises renames by content: a version that is gone from one path and new at another, on the same side.
///
/// A plain rename needs only the decisions for its two paths. If the other side edited the file under its old name, the edit is
/// applied to the new one.
enum Renames {
  static func follow(in plan: inout Plan) {
    let renames = edited(in: plan)
    // If two files seem to have become one, the rename is not certain.
    let claims = Dictionary(grouping: renames, by: \.target)
    for rename in renames where claims[rename.target]?.count == 1 {
      plan.decisions[rename.source] = .remove(from: rename.side.other)
      plan.decisions[rename.target] = .follow(on: rename.side)
      plan.origins[rename.target] = rename.source
      plan.followed.insert(rename.source)
    }
  }

  /// A file that `side` renamed, and the other side edited under the old name.
  private struct Rename {
    var source: Int
    var target: Int
    var side: Side
  }

  private static func edited(in plan: Plan) -> [Rename] {
    let sources = vanished(in: plan)
    guard sources.values.contains(where: { $0.contains(where: \.isEdited) }) else { return [] }
    return Side.allCases.flatMap { side in
      let arrivals = Dictionary(grouping: plan.indices.filter { isArrival($0, on: side, in: plan) }) {
        plan.scan.state(of: plan.differences[$0], on: side)
      }
      return sources.compactMap { digest, candidates -> Rename? in
        // The same applies to two files with the same content.
        let candidates = candidates.filter { $0.side == side }
        guard candidates.count == 1, let source = candidates.first, source.isEdited else { return nil }
        return target(of: source, holding: digest, arrivals, in: plan).map {
          Rename(source: source.index, target: $0, side: side)
        }
      }
    }
  }

  /// Returns the new path of a file that had this content and was edited on the other side.
  private static func target(
    of source: Source, holding digest: Digest, _ arrivals: [FileState: [Int]], in plan: Plan
  ) -> Int? {
    let edited = plan.scan.state(of: plan.differences[source.index], on: source.side.other)
    let targets = [.present(digest), edited].flatMap { arrivals[$0] ?? [] }.filter { target in
      let other = plan.scan.state(of: plan.differences[target], on: source.side.other)
      return other == .absent || (other == edited && mayHaveWritten(edited, at: target, in: plan))
    }
    guard targets.count == 1, let target = targets.first,
      plan.canFollow(from: source.index, to: target, on: source.side.other)
    else { return nil }
    return target
  }

  /// Returns true if an interrupted pass of this device may have put a version at a path. Otherwise another writer put it there, for
  /// example in the middle of exchanging two files; then it is not an edit of the renamed file.
  private static func mayHaveWritten(_ version: FileState, at index: Int, in plan: Plan) -> Bool {
    plan.scan.intendedChange(of: plan.differences[index])?.target.map(FileState.present) == version
  }

  /// A file that one side no longer has, and if the other edited it.
  private typealias Source = (index: Int, side: Side, isEdited: Bool)

  /// Returns the files that one side no longer has, by their former content.
  private static func vanished(in plan: Plan) -> [Digest: [Source]] {
    var sources: [Digest: [Source]] = [:]
    for index in plan.indices {
      guard let base = plan.scan.baseDigest(of: plan.differences[index]), base != .empty else { continue }
      for side in Side.allCases where plan.differences[index][side] == .absent {
        sources[base, default: []].append((index, side, plan.decisions[index] == .copy(to: side)))
      }
    }
    return sources
  }

  /// Returns true if a path is new on a side. After a crash it may already have the edited version on one or both sides. A name
  /// that is a folder on the other side is resolved as a clash, and no edit can follow there.
  private static func isArrival(_ index: Int, on side: Side, in plan: Plan) -> Bool {
    guard plan.differences[index].base < 0, !plan.scan[side.other].holdsFiles(inside: plan.path(at: index)) else {
      return false
    }
    return switch plan.decisions[index] {
    case .copy(let target): target == side.other || plan.scan.intendedChange(of: plan.differences[index]) != nil
    case .merge, .agree: true
    default: false
    }
  }
}

/// Resolves a clash of a file on one side and a folder on the other: the folder keeps the name.
enum Clashes {
  static func resolve(in plan: inout Plan) {
    for index in plan.indices {
      guard case .copy(let side) = plan.decisions[index] else { continue }
      let path = plan.path(at: index)
      let remaining = plan.scan[side].paths(inside: path).filter { plan.leavesFile(at: $0, on: side) }
      guard let first = remaining.first else { continue }
      if remaining.allSatisfy({ isUndecided($0, in: plan) }) {
        plan.objections[index] =
          "the \(side.word) has a folder of this name, and it is unknown if \(first) stays in it"
      } else {
        plan.decisions[index] = .setAside(on: side.other)
      }
    }
  }

  /// Returns true if a file only stays because the state of one side is unknown.
  private static func isUndecided(_ path: SyncPath, in plan: Plan) -> Bool {
    guard let index = plan.index(of: path), plan.decisions[index] == .leave else { return false }
    return Side.allCases.contains { plan.scan.state(of: plan.differences[index], on: $0) == .unknown }
  }
}

/// Rejects copying a path to a side that cannot hold it: it is reported, and neither copied nor renamed.
enum Collisions {
  static func refuse(in plan: inout Plan) {
    for side in Side.allCases {
      let naming = plan.scan[side].naming
      refuseNames(on: side, naming, in: &plan)
      if naming.folds { refuseTwins(on: side, naming, in: &plan) }
      refuseOtherForms(on: side, in: &plan)
      keepFormerNames(on: side, in: &plan)
    }
  }

  /// Keeps a file's old name on a side that cannot hold the new one: removing it would delete the file on that side, and on all
  /// that follow it.
  private static func keepFormerNames(on side: Side, in plan: inout Plan) {
    let copies = plan.indices.filter { plan.decisions[$0] == .copy(to: side) }
    guard copies.contains(where: { plan.objections[$0] != nil }) else { return }
    func contents(_ indices: [Int]) -> Set<FileState> {
      Set(indices.map { plan.scan.state(of: plan.differences[$0], on: side.other) })
    }
    let refused = contents(copies.filter { plan.objections[$0] != nil })
      .subtracting(contents(copies.filter { plan.objections[$0] == nil }))
    for index in plan.indices where plan.decisions[index] == .remove(from: side) && !plan.followed.contains(index) {
      guard let digest = plan.scan.baseDigest(of: plan.differences[index]), refused.contains(.present(digest)) else {
        continue
      }
      plan.decisions[index] = .leave
    }
  }

  private static func refuseNames(on side: Side, _ naming: NamingRules, in plan: inout Plan) {
    for index in plan.indices where plan.decisions[index] == .copy(to: side) {
      if let objection = naming.violation(by: plan.path(at: index)) { plan.objections[index] = objection }
    }
  }

  /// A name that the other side has stored in its own form belongs to a file of this side, not to a new one.
  private static func refuseOtherForms(on side: Side, in plan: inout Plan) {
    let naming = plan.scan[side.other].naming
    guard naming.unicodeForm != nil else { return }
    let copies = plan.indices.filter {
      plan.decisions[$0] == .copy(to: side) && plan.path(at: $0).bytes.contains { $0 >= 0x80 }
    }
    guard !copies.isEmpty else { return }
    var forms: [CollisionKey: SyncPath] = [:]
    for entry in plan.scan[side].entries where naming.violation(by: entry.path) != nil {
      for prefix in entry.path.prefixes where naming.violation(by: prefix) != nil {
        forms[prefix.collisionKey(under: naming)] = prefix
      }
    }
    for index in copies {
      let keys = plan.path(at: index).prefixes.map { $0.collisionKey(under: naming) }
      guard let original = keys.compactMap({ forms[$0] }).first else { continue }
      plan.objections[index] =
        "the \(side.other.word) stores \(original) under this name, because it cannot hold that name"
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
        plan.objections[index] = "the \(side.word) treats the name as \(twin)"
      } else {
        for prefix in prefixes { taken[prefix.key] = prefix.path }
      }
    }
  }
}

extension SyncPath {
  /// The path and its parent folders: the names that must not collide.
  fileprivate var prefixes: [SyncPath] { [self] + ancestors }
}
