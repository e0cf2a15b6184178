/// What a pass is going to do: a decision for each difference of a scan.
struct Plan: Sendable {
  let scan: Scan
  let differences: [Difference]
  var decisions: [Decision]
  /// For a path that a rename leads to, the difference of the path it came from.
  var origins: [Int: Int] = [:]
  /// For a path that such a rename leads to, what both sides' edits give, if the file was edited on both.
  var merged: [Int: Resolution] = [:]
  /// The differences of the paths that such a rename comes from.
  var followed: Set<Int> = []
  /// Why a path cannot be carried to the other side, by difference.
  var objections: [Int: String] = [:]
  /// What a remote stores in another form than it is sent, by difference.
  var altered: [Int: String] = [:]
  /// What waits for a person.
  var hold: Hold?
  /// The deletions that a person denied, by difference; the file is put back.
  var denied: [Int: HeldItem] = [:]

  var indices: Range<Int> { differences.indices }

  func path(at index: Int) -> SyncPath { scan.path(of: differences[index]) }

  /// Where the difference of `path` stands.
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

  /// Returns true if `side` will have a file at `path` when the plan is carried out.
  func leavesFile(at path: SyncPath, on side: Side) -> Bool {
    guard let index = index(of: path) else { return scan[side][path] != nil }
    return leavesFile(index, on: side)
  }

  /// Returns true if neither side has anything at `path`, for all that is known.
  func isFree(_ path: SyncPath) -> Bool {
    Side.allCases.allSatisfy { scan[$0][path] == nil && !scan[$0].isUnknown(path) }
  }

  /// Returns true if the content with `digest` stands at `path`, on one side at least, and nothing else on the other; and will
  /// do so when the plan is carried out.
  func keeps(_ digest: Digest, at path: SyncPath) -> Bool {
    guard let index = index(of: path) else { return scan.base[path]?.digest == digest }
    let states = Side.allCases.map { scan.state(of: differences[index], on: $0) }
    return states.contains(.present(digest)) && states.allSatisfy { $0 == .present(digest) || $0 == .absent }
      && Side.allCases.contains { leavesFile(index, on: $0) } && objections[index] == nil
  }

  /// Returns true if a side can hold both names for as long as it takes: the new one is written before the old one goes.
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
