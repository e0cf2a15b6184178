/// The plan of a pass: a decision for each difference of a scan.
struct Plan: Sendable {
  var scan: Scan
  let differences: [Difference]
  var decisions: [Decision]
  /// For the new path of a rename, the difference of the old path.
  var origins: [Int: Int] = [:]
  /// For the new path of a rename, the merge of both sides' edits, if both edited the file.
  var merged: [Int: Resolution] = [:]
  /// The differences of the old paths of such renames.
  var followed: Set<Int> = []
  /// The reason why a path cannot be copied to the other side, by difference.
  var objections: [Int: String] = [:]
  /// What a remote stores in an altered form, by difference.
  var altered: [Int: String] = [:]
  /// What the remote's mode does not let pass, by difference: what changed, and where.
  var ignored: [Int: String] = [:]
  /// The deletions that need approval.
  var hold: Hold?
  /// The deletions that a user denied, by difference; the file is restored.
  var denied: [Int: HeldItem] = [:]

  var indices: Range<Int> { differences.indices }

  func path(at index: Int) -> SyncPath { scan.path(of: differences[index]) }

  /// Returns the index of the difference of `path`.
  func index(of path: SyncPath) -> Int? {
    var (low, high) = (0, differences.count)
    while low < high {
      let middle = (low + high) / 2
      let candidate = self.path(at: middle)
      if candidate == path { return middle }
      if candidate < path { low = middle + 1 } else { high = middle }
    }
    return nil
  }

  /// Returns true if `side` will have a file at `path` after the plan.
  func leavesFile(at path: SyncPath, on side: Side) -> Bool {
    guard let index = index(of: path) else { return scan[side][path] != nil }
    return leavesFile(index, on: side)
  }

  /// Returns true if neither side has anything at `path`, as far as known.
  func isFree(_ path: SyncPath) -> Bool {
    Side.allCases.allSatisfy { scan[$0][path] == nil && !scan[$0].isUnknown(path) }
  }

  /// Returns true if at least one side has the content with `digest` at `path`, and the other nothing else, before and after
  /// the plan.
  func keeps(_ digest: Digest, at path: SyncPath) -> Bool {
    guard let index = index(of: path) else { return scan.base[path]?.digest == digest }
    let states = Side.allCases.map { scan.state(of: differences[index], on: $0) }
    return states.contains(.present(digest)) && states.allSatisfy { $0 == .present(digest) || $0 == .absent }
      && Side.allCases.contains { leavesFile(index, on: $0) } && objections[index] == nil
  }

  /// Returns true if a side can have both names at the same time, because the new one is written before the old one is removed.
  func canFollow(from source: Int, to target: Int, on side: Side) -> Bool {
    let (old, new, naming) = (path(at: source), path(at: target), scan[side].naming)
    return naming.violation(by: new) == nil && old.collisionKey(under: naming) != new.collisionKey(under: naming)
      && !old.isInside(new) && !new.isInside(old)
  }

  func leavesFile(_ index: Int, on side: Side) -> Bool {
    switch decisions[index] {
    case .forget, .setAside: false
    case .remove(let from): from == side ? false : differences[index][side] != .absent
    case .copy(let to): to == side ? objections[index] == nil : differences[index][side] != .absent
    case .leave, .agree, .merge, .hold: differences[index][side] != .absent
    case .follow: true
    }
  }
}
