/// The resolution for a file that both sides changed.
enum Resolution: Hashable, Sendable {
  /// Both sides get one content.
  case content(Digest, size: Int, Kind)
  /// Both versions are kept: one under the file's name, the other beside it; with the merger's reason, if any.
  case sideBySide(winner: Side, because: String? = nil)

  /// True for a single content that needs no decision by a user.
  var isMerged: Bool {
    switch self {
    case .content(_, _, .merged), .content(_, _, .decided): true
    case .content, .sideBySide: false
    }
  }

  enum Kind: Hashable, Sendable {
    /// It contains the changes of both sides.
    case merged
    /// It contains both versions, and a user must decide at the marks.
    case marked
    /// It contains the changes of both sides; where they conflict, the preferred side's version.
    case decided(Side)
    /// It is the preferred side's version; the other one is in the history.
    case preferred(Side)
  }
}

/// Merges files that both sides changed, before anything is applied.
struct MergeStep {
  let parts: PassParts

  /// The maximum number of files changed by one side that take part in a merge, so that content that moved between files is
  /// followed.
  private static let companyLimit = 256
  /// The maximum total size of the files in one merge, in bytes.
  private static let groupBytes = 32 << 20

  /// Returns a resolution for each difference that both sides changed, and for others that a merge affects.
  func resolve(_ plan: Plan) async throws(SyncError) -> [Int: Resolution] {
    let disputed = plan.indices.filter { plan.decisions[$0] == .merge }
    let treatments = disputed.map { treatment(of: $0, in: plan) }
    var resolutions: [Int: Resolution] = [:]
    for treatment in ConflictTreatment.all {
      let files = zip(disputed, treatments).filter { $0.1 == treatment }.map(\.0)
      guard !files.isEmpty else { continue }
      // A file that one merge has changed takes part in no other one, which would undo the change.
      let resolved = Set(resolutions.keys)
      resolutions.merge(try await resolve(files, by: treatment, without: resolved, in: plan)) { first, _ in first }
    }
    return resolutions
  }

  private func treatment(of index: Int, in plan: Plan) -> ConflictTreatment {
    let treatment = parts.options.conflicts.treatment(
      of: plan.path(at: index), local: plan.scan.entry(of: plan.differences[index], on: .local)?.modified,
      remote: plan.scan.entry(of: plan.differences[index], on: .remote)?.modified)
    // Each device has the other's version as its remote's: with a preference, they would replace each other's result forever.
    if plan.scan.concurrency(of: plan.differences[index]) != nil, treatment.preferredSide != nil { return .merge }
    return treatment
  }

  private func resolve(
    _ disputed: [Int], by treatment: ConflictTreatment, without resolved: Set<Int>, in plan: Plan
  ) async throws(SyncError) -> [Int: Resolution] {
    switch treatment {
    case .merge: try await merge(disputed, without: resolved, in: plan)
    case .prefer(let side): try await prefer(side, disputed, without: resolved, in: plan)
    case .keepBoth: sideBySide(disputed, in: plan)
    }
  }

  /// Merges, with the preferred side's version at conflicts, and for files that cannot be merged.
  private func prefer(
    _ side: Side, _ disputed: [Int], without resolved: Set<Int>, in plan: Plan
  ) async throws(SyncError) -> [Int: Resolution] {
    let whole = disputed.filter { index in
      Side.allCases.allSatisfy { plan.scan.state(of: plan.differences[index], on: $0) != .present(.empty) }
    }
    let merged = whole.isEmpty ? [:] : try await merge(whole, preferring: side, without: resolved, in: plan)
    return merged.filter(\.value.isMerged).merging(versions(of: side, disputed, in: plan)) { merged, _ in merged }
  }

  /// Returns the versions of one side. Emptying a file counts as deleting it, so the other side's edit is kept even if that
  /// side is not preferred.
  private func versions(of side: Side, _ disputed: [Int], in plan: Plan) -> [Int: Resolution] {
    let chosen = disputed.compactMap { index -> (Int, Resolution)? in
      let isEmptied = plan.scan.state(of: plan.differences[index], on: side) == .present(.empty)
      let kept = isEmptied ? side.other : side
      guard let entry = plan.scan.entry(of: plan.differences[index], on: kept), let digest = entry.digest else {
        return nil
      }
      return (index, .content(digest, size: entry.size, .preferred(kept)))
    }
    return Dictionary(uniqueKeysWithValues: chosen)
  }

  private func sideBySide(_ disputed: [Int], in plan: Plan) -> [Int: Resolution] {
    Dictionary(uniqueKeysWithValues: disputed.map { ($0, .sideBySide(winner: winner(of: $0, in: plan))) })
  }

  /// Returns the side whose version keeps the name: the one with the smaller digest, so that every device chooses the same.
  private func winner(of index: Int, in plan: Plan) -> Side {
    let local = plan.scan.entry(of: plan.differences[index], on: .local)?.digest
    let remote = plan.scan.entry(of: plan.differences[index], on: .remote)?.digest
    guard let local, let remote else { return .local }
    return local < remote ? .local : .remote
  }

  private func merge(
    _ disputed: [Int], preferring side: Side? = nil, without resolved: Set<Int>, in plan: Plan
  ) async throws(SyncError) -> [Int: Resolution] {
    let mergeable = disputed.filter { isMergeable($0, in: plan) }
    var resolutions = sideBySide(disputed, in: plan)
    guard !mergeable.isEmpty else { return resolutions }
    let company = plan.indices.filter { !resolved.contains($0) && isCompany($0, in: plan) }.prefix(Self.companyLimit)
    for group in groups(mergeable + company, in: plan) {
      for (index, resolution) in try await merge(group: group, preferring: side, in: plan) {
        resolutions[index] = resolution
      }
    }
    return resolutions
  }

  private func merge(
    group: [Int], preferring side: Side?, in plan: Plan
  ) async throws(SyncError) -> [Int: Resolution] {
    var inputs: [MergeInput] = []
    for index in group { try await inputs.appendIfComplete(input(for: index, in: plan)) }
    let results = await parts.merger.merge(inputs, preferring: side)
    // An interrupted merge is not a reason to keep both versions.
    try Task.checkPassGoesOn()
    let taking = parts.archive.intake(keepingAtMost: .max)
    var resolutions: [Int: Resolution] = [:]
    for index in group {
      guard let result = results[plan.path(at: index)], !isOrdinary(result, for: index, in: plan) else { continue }
      let sink = taking.of(plan.path(at: index))
      resolutions[index] = try await resolution(result, of: index, preferring: side, in: plan, into: sink)
    }
    return resolutions
  }

  /// Splits the files into groups that fit into memory; usually a single one, in order.
  private func groups(_ indices: [Int], in plan: Plan) -> [[Int]] {
    var groups: [[Int]] = []
    var room = 0
    for index in indices {
      let size = Side.allCases.reduce(0) { $0 + (plan.scan.entry(of: plan.differences[index], on: $1)?.size ?? 0) }
      if groups.isEmpty || size > room {
        groups.append([])
        room = Self.groupBytes
      }
      groups[groups.count - 1].append(index)
      room -= size
    }
    return groups
  }

  /// Returns true if a merge did not change a file that one side changed: then it is copied like any other.
  private func isOrdinary(_ result: MergeResult, for index: Int, in plan: Plan) -> Bool {
    guard case .clean(let bytes) = result, case .copy(let side) = plan.decisions[index] else { return false }
    return plan.scan.state(of: plan.differences[index], on: side.other) == .present(Digest(of: bytes))
  }

  private func resolution(
    _ result: MergeResult, of index: Int, preferring side: Side?, in plan: Plan, into sink: any ContentSink
  ) async throws(SyncError) -> Resolution? {
    switch result {
    case .clean(let bytes): .content(try await sink.receive(bytes), size: bytes.count, .merged)
    case .marked(let bytes): .content(try await sink.receive(bytes), size: bytes.count, .marked)
    case .decided(let bytes):
      .content(try await sink.receive(bytes), size: bytes.count, side.map(Resolution.Kind.decided) ?? .merged)
    case .sideBySide(let reason):
      plan.decisions[index] == .merge ? .sideBySide(winner: winner(of: index, in: plan), because: reason) : nil
    }
  }

  private func isMergeable(_ index: Int, in plan: Plan) -> Bool {
    Side.allCases.allSatisfy { side in
      guard let entry = plan.scan.entry(of: plan.differences[index], on: side) else { return true }
      return parts.merger.merges(entry.path, size: entry.size)
    }
  }

  /// Returns true if a file that one side changed should take part in the merge of others.
  private func isCompany(_ index: Int, in plan: Plan) -> Bool {
    guard case .copy(let side) = plan.decisions[index], plan.objections[index] == nil else { return false }
    // If both sides have a version without a base, a merge would treat as two edits what is decided already; and if one side
    // deleted what the other edited, the edit stays unchanged.
    return (plan.scan.baseDigest(of: plan.differences[index]) == nil) == (plan.differences[index][side] == .absent)
      && isMergeable(index, in: plan)
  }

  /// Returns the three versions of a file, or nil if one of them is unavailable.
  private func input(for index: Int, in plan: Plan) async throws(SyncError) -> MergeInput? {
    let difference = plan.differences[index]
    let base = plan.scan.baseDigest(of: difference)
    let local = plan.scan.entry(of: difference, on: .local)?.digest
    let remote = plan.scan.entry(of: difference, on: .remote)?.digest
    var input = MergeInput(path: plan.path(at: index), base: nil, local: nil, remote: nil)
    if let base {
      input.base = try await bytes(of: base)
      if input.base == nil, local == nil || remote == nil { return nil }
    }
    if let local {
      guard let bytes = try await bytes(of: local) else { return nil }
      input.local = bytes
    }
    if let remote {
      guard let bytes = try await bytes(of: remote) else { return nil }
      input.remote = bytes
    }
    return input
  }

  private func bytes(of digest: Digest) async throws(SyncError) -> [UInt8]? {
    guard let content = try await parts.archive.content(digest) else { return nil }
    return try await content.bytes()
  }
}

extension [MergeInput] {
  fileprivate mutating func appendIfComplete(_ input: MergeInput?) {
    if let input { append(input) }
  }
}
