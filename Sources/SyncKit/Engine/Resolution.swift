/// What becomes of a file that both sides changed.
enum Resolution: Hashable, Sendable {
  /// One content stands on both sides.
  case content(Digest, size: Int, Kind)
  /// Both versions stay: one under the name of the file, the other beside it; with the reason, if the merger gave one.
  case sideBySide(winner: Side, because: String? = nil)

  /// True if it is one content, and no person has to decide.
  var isMerged: Bool {
    switch self {
    case .content(_, _, .merged), .content(_, _, .decided): true
    case .content, .sideBySide: false
    }
  }

  enum Kind: Hashable, Sendable {
    /// Everything that both sides did is in it.
    case merged
    /// It is in it, and a person has to decide at the marked places.
    case marked
    /// Everything that both sides did is in it, but for the places at which the side decided that the settings prefer.
    case decided(Side)
    /// It is the version of the side that the settings prefer; the other one is in the history.
    case preferred(Side)
  }
}

/// Merges what both sides changed, before anything is applied.
struct MergeStep {
  let parts: PassParts

  /// Files that only one side changed take part in a merge, so that what moved between files is followed, up to this
  /// many of them.
  private static let companyLimit = 256
  /// How many bytes are merged at once.
  private static let groupBytes = 32 << 20

  /// A resolution for each difference of the plan that both sides changed, and for those that a merge also reaches.
  func resolve(_ plan: Plan) async throws(SyncError) -> [Int: Resolution] {
    let disputed = plan.indices.filter { plan.decisions[$0] == .merge }
    guard !disputed.isEmpty else { return [:] }
    switch parts.options.conflicts {
    case .merge: return try await merge(disputed, in: plan)
    case .keepBoth: return sideBySide(disputed, in: plan)
    case .preferLocal: return try await prefer(.local, disputed, in: plan)
    case .preferRemote: return try await prefer(.remote, disputed, in: plan)
    }
  }

  /// Merges; one side decides where the merge would ask a person, and has its version of a file that cannot be merged.
  private func prefer(
    _ side: Side, _ disputed: [Int], in plan: Plan
  ) async throws(SyncError) -> [Int: Resolution] {
    let whole = disputed.filter { index in
      Side.allCases.allSatisfy { plan.scan.state(of: plan.differences[index], on: $0) != .present(.empty) }
    }
    let merged = whole.isEmpty ? [:] : try await merge(whole, preferring: side, in: plan)
    return merged.filter(\.value.isMerged).merging(versions(of: side, disputed, in: plan)) { merged, _ in merged }
  }

  /// A file that was emptied counts as deleted, and an edit outlives that whichever side is preferred.
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

  /// The version with the smaller digest keeps the name: a function of the two contents, so that every device chooses
  /// alike.
  private func winner(of index: Int, in plan: Plan) -> Side {
    let local = plan.scan.entry(of: plan.differences[index], on: .local)?.digest
    let remote = plan.scan.entry(of: plan.differences[index], on: .remote)?.digest
    guard let local, let remote else { return .local }
    return local < remote ? .local : .remote
  }

  private func merge(
    _ disputed: [Int], preferring side: Side? = nil, in plan: Plan
  ) async throws(SyncError) -> [Int: Resolution] {
    let mergeable = disputed.filter { isMergeable($0, in: plan) }
    var resolutions = sideBySide(disputed, in: plan)
    guard !mergeable.isEmpty else { return resolutions }
    let company = plan.indices.filter { isCompany($0, in: plan) }.prefix(Self.companyLimit)
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
    // An unfinished merge is not a reason to keep both versions.
    try Task.checkPassGoesOn()
    let taking = parts.archive.intake(keepingAtMost: .max)
    var resolutions: [Int: Resolution] = [:]
    for index in group {
      guard let result = results[plan.path(at: index)], !isOrdinary(result, for: index, in: plan) else { continue }
      resolutions[index] = try await resolution(result, of: index, preferring: side, in: plan, into: taking)
    }
    return resolutions
  }

  /// The files in groups that fit into memory; one group as a rule, and in order.
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

  /// Returns true if a merge left a file that one side changed as that side has it: then it is copied as any other.
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

  /// Returns true if a file that one side changed should be seen by the merge of others.
  private func isCompany(_ index: Int, in plan: Plan) -> Bool {
    guard case .copy(let side) = plan.decisions[index], plan.objections[index] == nil else { return false }
    // Where both sides have a version and no base, a merge would take for two edits what is decided already; and where
    // one side deleted what the other edited, the edit stays as it is, whatever else is merged.
    return (plan.scan.baseDigest(of: plan.differences[index]) == nil) == (plan.differences[index][side] == .absent)
      && isMergeable(index, in: plan)
  }

  /// The three versions of a file, or nil if one of them is not at hand.
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
