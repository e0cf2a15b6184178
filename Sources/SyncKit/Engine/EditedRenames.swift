/// Follows renames of files that both sides edited: the edit of one side is merged into the file under its new name.
///
/// `Renames` recognizes a renamed file by its unchanged content. A file that was also edited counts as the same if at least 60
/// % of it are lines of the last common version, and no other file is as similar.
struct EditedRenames {
  let parts: PassParts

  /// The maximum number of pairs that are compared.
  private static let pairLimit = 4_096

  /// Returns the plan in which such files are merged instead of being kept under both names.
  func followed(in plan: Plan) async throws(SyncError) -> Plan {
    var plan = plan
    for side in Side.allCases {
      for pair in try await pairs(on: side, in: plan) {
        guard let resolution = try await merged(pair, on: side, in: plan) else { continue }
        plan.decisions[pair.source] = .remove(from: side.other)
        plan.decisions[pair.target] = .follow(on: side)
        plan.origins[pair.target] = pair.source
        plan.followed.insert(pair.source)
        plan.merged[pair.target] = resolution
      }
    }
    return plan
  }

  /// A file that `side` renamed and edited: the differences of its old and new path.
  private typealias Pair = (source: Int, target: Int)

  // MARK: Likeness

  private func pairs(on side: Side, in plan: Plan) async throws(SyncError) -> [Pair] {
    let sources = plan.indices.filter { isSource($0, on: side, in: plan) }
    guard !sources.isEmpty else { return [] }
    let targets = plan.indices.filter { isTarget($0, on: side, in: plan) }
    guard !targets.isEmpty, sources.count * targets.count <= Self.pairLimit else { return [] }
    let arrivals = try await lines(targets) { plan.scan.entry(of: plan.differences[$0], on: side)?.digest }
    let bases = try await lines(sources) { plan.scan.formerDigest(of: plan.differences[$0]) }
    var likeness: [(pair: Pair, value: Double)] = []
    for (source, base) in bases where try await isEdited(source, from: base, on: side.other, in: plan) {
      for (target, lines) in arrivals where plan.canFollow(from: source, to: target, on: side.other) {
        likeness.append(((source, target), base.likeness(to: lines)))
      }
    }
    return likeness.filter { item in
      item.value >= LineBag.sameFile
        && likeness.allSatisfy { other in
          other.pair == item.pair || other.value < item.value
            || (other.pair.source != item.pair.source && other.pair.target != item.pair.target)
        }
    }.map(\.pair).sorted { $0.source < $1.source }
  }

  /// Returns true if a side's version descends from the last common one. If the file was to be removed there, it may be a new
  /// one: then it must be similar.
  private func isEdited(
    _ index: Int, from base: LineBag, on side: Side, in plan: Plan
  ) async throws(SyncError) -> Bool {
    let difference = plan.differences[index]
    guard plan.scan.baseDigest(of: difference) == nil else { return true }
    let version = try await lines([index]) { _ in plan.scan.entry(of: difference, on: side)?.digest }
    return version.contains { base.likeness(to: $0.lines) >= LineBag.sameFile }
  }

  private func lines(
    _ indices: [Int], _ digest: (Int) -> Digest?
  ) async throws(SyncError) -> [(index: Int, lines: LineBag)] {
    var found: [(Int, LineBag)] = []
    for index in indices {
      guard let digest = digest(index), let content = try await parts.archive.content(digest) else { continue }
      found.append((index, LineBag(try await content.bytes())))
    }
    return found
  }

  /// Returns true if a path is gone on a side and was edited on the other.
  private func isSource(_ index: Int, on side: Side, in plan: Plan) -> Bool {
    let difference = plan.differences[index]
    guard plan.decisions[index] == .copy(to: side), plan.objections[index] == nil, !plan.followed.contains(index),
      plan.scan.state(of: difference, on: side) == .absent, let base = plan.scan.formerDigest(of: difference)
    else { return false }
    return base != .empty && isMergeable(index, on: side.other, in: plan)
  }

  /// Returns true if a path is new on a side. The other side must have nothing there, or a file that an interrupted pass has put
  /// there: a merge with a file that was there before is more than the two versions of the renamed one.
  private func isTarget(_ index: Int, on side: Side, in plan: Plan) -> Bool {
    let difference = plan.differences[index]
    guard difference.base < 0, plan.objections[index] == nil, plan.origins[index] == nil,
      !plan.scan[side.other].holdsFiles(inside: plan.path(at: index))
    else { return false }
    let other = plan.scan.state(of: difference, on: side.other)
    let change = plan.scan.intendedChange(of: difference)
    let written = change?.target.map(FileState.present)
    guard isMergeable(index, on: side, in: plan) else { return false }
    return switch plan.decisions[index] {
    case .copy(let target):
      target == side.other ? other == .absent : other == written && change?[side.other] == .absent
    case .agree: other == written
    default: false
    }
  }

  private func isMergeable(_ index: Int, on side: Side, in plan: Plan) -> Bool {
    plan.scan.entry(of: plan.differences[index], on: side).map { parts.merger.merges($0.path, size: $0.size) } ?? false
  }

  // MARK: Merging

  /// Returns the merged file under its new name; nil if the versions cannot be merged into one file.
  private func merged(_ pair: Pair, on side: Side, in plan: Plan) async throws(SyncError) -> Resolution? {
    let source = plan.differences[pair.source]
    let treatment = treatment(of: pair, on: side, in: plan)
    guard treatment != .keepBoth, let base = try await bytes(plan.scan.formerDigest(of: source)),
      let renamed = try await bytes(plan.scan.entry(of: plan.differences[pair.target], on: side)?.digest),
      let edited = try await bytes(plan.scan.entry(of: source, on: side.other)?.digest)
    else { return nil }
    let path = plan.path(at: pair.target)
    let input = MergeInput(
      path: path, base: base, local: side == .local ? renamed : edited, remote: side == .local ? edited : renamed)
    let preferred = treatment.preferredSide
    let result = await parts.merger.merge([input], preferring: preferred)[path]
    try Task.checkPassGoesOn()
    let (bytes, kind): ([UInt8], Resolution.Kind)
    switch result {
    case .clean(let merged): (bytes, kind) = (merged, .merged)
    case .marked(let merged): (bytes, kind) = (merged, .marked)
    case .decided(let merged): (bytes, kind) = (merged, preferred.map(Resolution.Kind.decided) ?? .merged)
    case .sideBySide, nil: return nil
    }
    guard !isOnBoth(pair.target, in: plan) || LineBag(bytes).holds(LineBag(renamed)) else { return nil }
    let digest = try await parts.archive.intake(keepingAtMost: .max).receive(bytes)
    return .content(digest, size: bytes.count, kind)
  }

  /// Returns true if both sides have the same file under the new name. It may be what an interrupted pass made of the renamed file,
  /// or of that and another file that had the name: then the edit says nothing about its other lines.
  private func isOnBoth(_ target: Int, in plan: Plan) -> Bool {
    let difference = plan.differences[target]
    return plan.scan.state(of: difference, on: .local) == plan.scan.state(of: difference, on: .remote)
  }

  private func treatment(of pair: Pair, on side: Side, in plan: Plan) -> ConflictTreatment {
    let renamed = plan.scan.entry(of: plan.differences[pair.target], on: side)?.modified
    let edited = plan.scan.entry(of: plan.differences[pair.source], on: side.other)?.modified
    return parts.options.conflicts.treatment(
      of: plan.path(at: pair.target), local: side == .local ? renamed : edited,
      remote: side == .local ? edited : renamed)
  }

  private func bytes(_ digest: Digest?) async throws(SyncError) -> [UInt8]? {
    guard let digest, let content = try await parts.archive.content(digest) else { return nil }
    return try await content.bytes()
  }
}
