/// The input of a pass's decisions: the agreements, and the present state of both sides.
struct Scan: Sendable {
  let base: Base
  var local: Snapshot
  var remote: Snapshot
  /// The changes of a former pass whose results are not recorded, by path.
  var intended: [SyncPath: IntendedChange] = [:]
  /// Versions of the remote that are known to be older than the store's: for paths without agreements with this remote, and
  /// where they are newer than the agreement; of concurrent versions, what unites their ancestors.
  var ancestors: [SyncPath: Digest] = [:]

  subscript(side: Side) -> Snapshot {
    get { side == .local ? local : remote }
    set { if side == .local { local = newValue } else { remote = newValue } }
  }

  /// Adds an observation of one entry. It changes the snapshot in place, because taking it out, changing it and putting it back
  /// would copy it each time.
  mutating func learn(_ entry: Entry, at row: Int, on side: Side) {
    switch side {
    case .local: local.others.learn(entry, at: row)
    case .remote: remote.others.learn(entry, at: row)
    }
  }

  /// Returns the paths that differ from the agreement on at least one side, in folder order.
  func differences() -> [Difference] {
    var rows = BitSet.notInBoth(local.same, remote.same, below: base.count)[...]
    var differences: [Difference] = []
    var (left, right) = (0, 0)
    while let path = nextPath(rows.first, left, right) {
      var difference = Difference()
      if let row = rows.first, base.paths.equals(path, at: row) {
        difference.base = Int32(row)
        difference.local = local.same.contains(row) ? .asAgreed : .absent
        difference.remote = remote.same.contains(row) ? .asAgreed : .absent
        rows.removeFirst()
      }
      if left < local.others.count, local.others.compare(left, with: path) == 0 {
        difference.local = .listed(left)
        left += 1
      }
      if right < remote.others.count, remote.others.compare(right, with: path) == 0 {
        difference.remote = .listed(right)
        right += 1
      }
      differences.append(difference)
    }
    return differences
  }

  private func nextPath(_ row: Int?, _ left: Int, _ right: Int) -> [UInt8]? {
    var next: [UInt8]?
    func consider(_ path: @autoclosure () -> [UInt8], _ order: ([UInt8]) -> Int) {
      guard let current = next else {
        next = path()
        return
      }
      if order(current) < 0 { next = path() }
    }
    if let row { consider(Array(base.paths[row])) { base.paths.compare(row, with: $0) } }
    if left < local.others.count {
      consider(local.others.path(at: left).bytes) { local.others.compare(left, with: $0) }
    }
    if right < remote.others.count {
      consider(remote.others.path(at: right).bytes) { remote.others.compare(right, with: $0) }
    }
    return next
  }
}

/// A path that differs from the agreement on at least one side: the positions of its base and entries in a scan. It is small,
/// because on a first pass there is one for each file.
struct Difference: Sendable {
  /// The row of the base, or -1.
  var base: Int32 = -1
  var local: Observation = .absent
  var remote: Observation = .absent

  subscript(side: Side) -> Observation {
    get { side == .local ? local : remote }
    set { if side == .local { local = newValue } else { remote = newValue } }
  }
}

/// The state of one path in a snapshot.
struct Observation: Hashable, Sendable {
  private let code: Int32

  /// The file does not exist.
  static let absent = Observation(code: -1)
  /// The state is unknown.
  static let unknown = Observation(code: -2)
  /// The agreed version is present.
  static let asAgreed = Observation(code: -3)

  /// The entry at `index` of the snapshot's `others` is present.
  static func listed(_ index: Int) -> Observation { Observation(code: Int32(index)) }

  var index: Int? { code >= 0 ? Int(code) : nil }

  /// The same path with an unknown state; keeps the position of the entry.
  var madeUnknown: Observation { code >= 0 ? Observation(code: Self.firstUnknown - code) : .unknown }

  /// The position in the snapshot's `others`, even if the state is unknown.
  var row: Int? { index ?? (code <= Self.firstUnknown ? Int(Self.firstUnknown - code) : nil) }

  private static let firstUnknown: Int32 = -4
}

extension Scan {
  func path(of difference: Difference) -> SyncPath {
    if difference.base >= 0 { return base.path(at: Int(difference.base)) }
    if let row = difference.local.row { return local.others.path(at: row) }
    return remote.others.path(at: difference.remote.row ?? 0)
  }

  /// Returns the agreed digest in the archive.
  func agreedDigest(of difference: Difference) -> Digest? {
    difference.base >= 0 ? base.digests[Int(difference.base)] : nil
  }

  /// Returns the last common content: the agreed one in the archive, what a pass has written since and could not record, or the
  /// ancestor of the remote's version if that was made without knowledge of the agreed one.
  func baseDigest(of difference: Difference) -> Digest? {
    // The remote still has the agreed version, too, so no pass has replaced it since.
    if let concurrency = concurrency(of: difference) { return knownAncestor(of: difference) ?? concurrency.ancestor }
    let agreed = agreedDigest(of: difference)
    guard let change = intendedChange(of: difference) else { return knownAncestor(of: difference) ?? agreed }
    return change.base(
      agreed: agreed, local: state(of: difference, on: .local), remote: state(of: difference, on: .remote),
      written: Set(Side.allCases.filter { self[$0].written.contains(change.path) }),
      isAtNewPath: change.newPath.map(wasWritten) ?? false)
  }

  /// Returns true if an intended change has written its target to a side, whatever is there now.
  private func wasWritten(at path: SyncPath) -> Bool {
    // Without a change, its results are recorded.
    guard let change = intended[path] else { return base[path] != nil }
    return change.changedSides.contains { side in
      change.written.contains(side) || self[side].written.contains(path)
        || change.target.map { $0 == self[side][path]?.digest } ?? false
    }
  }

  /// Returns the last common content, even if it may have been removed since and a new file has its place.
  func formerDigest(of difference: Difference) -> Digest? {
    baseDigest(of: difference) ?? intendedChange(of: difference)?.ancestor
  }

  /// Returns true if both sides may once have had the same content at the path, so that a missing file may be a deletion.
  func mayHaveBase(_ difference: Difference) -> Bool {
    difference.base >= 0 || intendedChange(of: difference) != nil || knownAncestor(of: difference) != nil
  }

  private func knownAncestor(of difference: Difference) -> Digest? {
    ancestors.isEmpty ? nil : ancestors[path(of: difference)]
  }

  /// Returns the origin of the remote's version if that was made without knowledge of the agreed one.
  func concurrency(of difference: Difference) -> Concurrency? {
    difference.remote.index.flatMap(remote.others.concurrency(at:))
  }

  func intendedChange(of difference: Difference) -> IntendedChange? {
    intended.isEmpty ? nil : intended[path(of: difference)]
  }

  /// Returns the conflict that a pass has left at the path and could not record.
  func interruptedConflict(of difference: Difference) -> OpenConflict? {
    guard let change = intendedChange(of: difference), let conflict = change.conflict else { return nil }
    return change.wasMade(local: state(of: difference, on: .local), remote: state(of: difference, on: .remote))
      ? conflict : nil
  }

  func agreement(of difference: Difference) -> Agreement? {
    difference.base >= 0 ? base[Int(difference.base)] : nil
  }

  /// Returns the state of the path on one side, as far as known.
  func state(of difference: Difference, on side: Side) -> FileState {
    switch difference[side] {
    case .absent: return .absent
    case .unknown: return .unknown
    case .asAgreed: return agreedDigest(of: difference).map(FileState.present) ?? .unknown
    case let observation:
      guard let index = observation.index, let digest = self[side].others.digest(at: index) else { return .unknown }
      return .present(digest)
    }
  }

  /// Returns the entry of the path on one side, with its digest; nil if the file does not exist or its state is unknown.
  func entry(of difference: Difference, on side: Side) -> Entry? {
    if let index = difference[side].index { return self[side].others[index] }
    guard difference[side] == .asAgreed, difference.base >= 0 else { return nil }
    let agreement = base[Int(difference.base)]
    return Entry(path: agreement.path, revision: agreement.revision(on: side), digest: agreement.digest)
  }
}

/// The state of a path on one side.
enum FileState: Hashable, Sendable {
  case absent
  case present(Digest)
  /// Unknown; nothing is done that depends on it.
  case unknown
}
