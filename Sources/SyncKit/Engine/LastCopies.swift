/// Keeps a content that each side has under a name that the other has given up. Pure.
///
/// Both removals together would delete it everywhere, although each side still had it. This happens if a user reverts a rename
/// whose pass was killed, if two devices rename the same file in opposite directions, or if each deletes another of two equal
/// files. The first of the paths stays, so that the result does not depend on which side is the store.
enum LastCopies {
  static func keep(in plan: inout Plan) {
    let removals = removals(in: plan).filter { _, indices in Set(indices.map { plan.decisions[$0] }).count == 2 }
    guard !removals.isEmpty else { return }
    let remaining = remaining(of: Set(removals.keys), in: plan)
    for (digest, indices) in removals where !remaining.contains(digest) {
      guard let first = indices.first, case .remove(let side) = plan.decisions[first] else { continue }
      plan.decisions[first] = .copy(to: side.other)
    }
  }

  /// Returns the differences at which a file is removed, in order, by the content of the file.
  private static func removals(in plan: Plan) -> [Digest: [Int]] {
    var removals: [Digest: [Int]] = [:]
    for index in plan.indices where !plan.followed.contains(index) {
      guard case .remove(let side) = plan.decisions[index],
        case .present(let digest) = plan.scan.state(of: plan.differences[index], on: side), digest != .empty
      else { continue }
      removals[digest, default: []].append(index)
    }
    return removals
  }

  /// Returns those of the contents that at least one side has at any path after the plan.
  private static func remaining(of digests: Set<Digest>, in plan: Plan) -> Set<Digest> {
    let base = plan.scan.base
    let rows = (0..<base.count).lazy.filter { digests.contains(base.digests[$0]) }
    let unchanged = rows.filter { plan.index(of: base.path(at: $0)) == nil }.map { base.digests[$0] }
    let others = plan.indices.flatMap { index in
      plan.decisions[index].keepingSides.compactMap { side -> Digest? in
        guard case .present(let digest) = plan.scan.state(of: plan.differences[index], on: side) else { return nil }
        return digests.contains(digest) ? digest : nil
      }
    }
    return Set(unchanged).union(others)
  }
}

extension Decision {
  /// The sides whose present content stays, at the path, under another name, or in a merge.
  fileprivate var keepingSides: [Side] {
    switch self {
    case .leave, .agree, .merge, .hold: Side.allCases
    case .copy(let side): [side.other]
    case .setAside(let side): [side]
    case .remove, .forget, .follow: []
    }
  }
}
