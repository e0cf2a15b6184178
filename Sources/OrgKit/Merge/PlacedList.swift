/// A list into which runs of new members are inserted, each at the position that it had in its own list.
struct PlacedList {
  private(set) var members: [Int]
  private let unmoved: Set<Int>

  /// Begins with `members`; those not in `unmoved` have other positions than before.
  init(_ members: [Int], unmoved: Set<Int>) {
    self.members = members
    self.unmoved = unmoved
  }

  /// Inserts the new members of the lists; `ordered` decides on runs of two lists at the same position, and receives true if
  /// that is at the head of a list that is not empty.
  mutating func place(_ lists: [[Int]], ordered: ([[Int]], Bool) -> [Int]) {
    let position = Dictionary(uniqueKeysWithValues: zip(members, members.indices))
    var gaps: [Int: [[Int]]] = [:]
    for (number, list) in lists.enumerated() {
      for run in runs(of: list, known: position) {
        gaps[gap(of: run, position), default: Array(repeating: [], count: lists.count)][number] += run.members
      }
    }
    var placed: [Int] = []
    for index in 0...members.count {
      let runs = (gaps[index] ?? []).filter { !$0.isEmpty }
      if runs.count > 1 {
        placed += ordered(runs, index == 0 && !members.isEmpty)
      } else {
        placed += runs.first ?? []
      }
      if index < members.count { placed.append(members[index]) }
    }
    members = placed
  }

  /// Adjacent new members, and the known ones around them.
  private struct Run {
    var members: [Int]
    var predecessor: Int?
    var successor: Int?
  }

  private func runs(of list: [Int], known: [Int: Int]) -> [Run] {
    var runs: [Run] = []
    var predecessor: Int?
    var members: [Int] = []
    for member in list {
      guard known[member] != nil else {
        members.append(member)
        continue
      }
      if !members.isEmpty { runs.append(Run(members: members, predecessor: predecessor, successor: member)) }
      (predecessor, members) = (member, [])
    }
    if !members.isEmpty { runs.append(Run(members: members, predecessor: predecessor, successor: nil)) }
    return runs
  }

  /// Returns the position of a run: before the member at the returned index.
  private func gap(of run: Run, _ position: [Int: Int]) -> Int {
    let behind = run.predecessor.flatMap { position[$0] }.map { $0 + 1 }
    let before = run.successor.flatMap { position[$0] }
    guard let behind else { return 0 }
    guard let before else { return members.count }
    if behind == before { return behind }
    if let predecessor = run.predecessor, unmoved.contains(predecessor) { return behind }
    if let successor = run.successor, unmoved.contains(successor) { return before }
    return behind
  }
}
