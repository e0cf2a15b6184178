/// The agreements of a store and one remote about files that the filter now refuses.
///
/// They are in the remote's journal until the files take part in syncs again. Then they are the last common contents, so that a
/// side that has not changed since gets the other side's version. They never turn a missing file into a deletion.
///
/// A change that an interrupted pass has not recorded stays intended as long as its path is hidden. Its target does not count as
/// agreed: it may have reached one side, both or none, which only the change and the files themselves can show.
struct HiddenAgreements: Sendable {
  private static let prefix = "engine.hidden."
  private static let changePrefix = "engine.hidden-change."
  private let journal: any Journal
  private(set) var digests: [SyncPath: Digest] = [:]
  /// The paths of intended changes that were hidden before their results were recorded.
  private(set) var changes: Set<SyncPath> = []

  /// Reads the journal.
  init(in journal: any Journal) async throws(SyncError) {
    self.journal = journal
    for (key, record) in try await journal.records() {
      if key.hasPrefix(Self.changePrefix), let path = SyncPath(bytes: record) { changes.insert(path) }
      guard key.hasPrefix(Self.prefix), record.count > 32, let digest = Digest(bytes: record[..<32]),
        let path = SyncPath(bytes: Array(record[32...]))
      else { continue }
      digests[path] = digest
    }
  }

  /// Records the agreements that a plan is about to forget because the filter refuses their paths, and removes those that are
  /// no longer needed. Durable on return.
  ///
  /// - Parameters:
  ///   - intended: The intended changes in the archive.
  ///   - startsAgain: true if the agreements do not apply any more, because a replica is another one or was restored.
  func update(
    for plan: Plan, intended: [IntendedChange], filter: PathFilter, startsAgain: Bool
  ) async throws(SyncError) {
    var records: [String: [UInt8]?] = [:]
    let open = startsAgain ? [] : Set(intended.map(\.path))
    for path in changes where !open.contains(path) { records[Self.changeKey(of: path)] = .some(nil) }
    for path in open.subtracting(changes) where !filter.accepts(path) { records[Self.changeKey(of: path)] = path.bytes }
    for path in digests.keys where startsAgain || filter.accepts(path) && isOver(path, in: plan) {
      records[Self.key(of: path)] = .some(nil)
    }
    if !startsAgain {
      for index in plan.indices where plan.decisions[index] == .forget {
        guard let digest = plan.scan.agreedDigest(of: plan.differences[index]) else { continue }
        let path = plan.path(at: index)
        if !filter.accepts(path) { records[Self.key(of: path)] = digest.bytes + path.bytes }
      }
    }
    if !records.isEmpty { try await journal.write(records) }
  }

  /// Returns true if a path has an agreement again, or neither side has the file any more.
  private func isOver(_ path: SyncPath, in plan: Plan) -> Bool {
    if plan.scan.base[path] != nil { return true }
    guard let index = plan.index(of: path) else { return Side.allCases.allSatisfy { !plan.scan[$0].isUnknown(path) } }
    return Side.allCases.allSatisfy { plan.scan.state(of: plan.differences[index], on: $0) == .absent }
  }

  private static func key(of path: SyncPath) -> String { prefix + Digest(of: path.bytes).description }

  private static func changeKey(of path: SyncPath) -> String { changePrefix + Digest(of: path.bytes).description }
}

extension Scan {
  /// Forgets the intended changes of paths that were hidden, if a side has no file there: it may have been removed meanwhile,
  /// which must not delete the other side's.
  mutating func forgetIntendedChanges(of hidden: HiddenAgreements, filter: PathFilter) {
    for path in hidden.changes where intended[path] != nil && filter.accepts(path) {
      let isOnBoth = Side.allCases.allSatisfy { self[$0][path] != nil || self[$0].isUnknown(path) }
      if !isOnBoth { intended[path] = nil }
    }
  }

  /// Returns the last common contents of hidden paths where both sides have a version, and which have no agreement since.
  func ancestors(of hidden: HiddenAgreements, _ differences: [Difference]) -> [SyncPath: Digest] {
    guard !hidden.digests.isEmpty else { return [:] }
    var ancestors: [SyncPath: Digest] = [:]
    for difference in differences where difference.base < 0 && intendedChange(of: difference) == nil {
      guard case .present(let local) = state(of: difference, on: .local),
        case .present(let remote) = state(of: difference, on: .remote), local != remote
      else { continue }
      let path = path(of: difference)
      ancestors[path] = hidden.digests[path]
    }
    return ancestors
  }
}
