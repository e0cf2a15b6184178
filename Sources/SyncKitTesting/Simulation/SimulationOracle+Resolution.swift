import SyncKit

extension SimulationOracle {
  /// P5, P6: when all is quiet, a person resolves every conflict on a device, while another person adds a line to a file on another
  /// one. Then no conflict may come back, everything must be as it was resolved, and the line must be there.
  func resolve(on index: Int, beside other: Int, then steps: [Step], seed: UInt64) async throws(SimulationFailure.Cause)
  {
    try await syncUntilQuiet()
    await ConflictResolver(person: network.person(on: index)).resolveAll(seed: seed)
    var expected = await lines(in: .store(index))
    if let (path, line) = await addLine(on: other, seed: seed), expected[path] != nil { expected[path]?.insert(line) }
    for step in steps { await network.perform(step) }
    try await syncUntilQuiet()
    for replica in network.replicas {
      let found = await lines(in: replica)
      guard found == expected else {
        throw .init(
          "P5: the conflicts were resolved on device \(index), but \(replica) differs: \(Self.differing(found, expected))"
        )
      }
    }
  }

  /// Adds a line to a text of a device, which the other person may have changed; nil if there is none.
  private func addLine(on index: Int, seed: UInt64) async -> (path: SyncPath, line: String)? {
    var generator = SplitMix64(state: seed &+ 1)
    let store = network.devices[index].store
    let files = await store.contents
    let texts = files.keys.filter { LineMerger().merges($0, size: 0) && ConflictResolver.original(of: $0) == nil }
    guard let path = texts.sorted().randomElement(using: &generator) else { return nil }
    let line = await network.ledger.newLine()
    let new = Lines.content(await Lines.of(files[path]) + [line])
    let replacement = await Replacement(files[path], new)
    await store.put(new, at: path)
    await network.ledger.record([replacement])
    return (path, line)
  }

  private func lines(in replica: ReplicaID) async -> [SyncPath: Set<String>] {
    var lines: [SyncPath: Set<String>] = [:]
    for (path, content) in await network.contents(of: replica) { lines[path] = Set(await Lines.of(content)) }
    return lines
  }

  private static func differing(_ one: [SyncPath: Set<String>], _ other: [SyncPath: Set<String>]) -> String {
    Set(one.keys).union(other.keys).sorted().filter { one[$0] != other[$0] }
      .map { "\($0) is \(one[$0]?.sorted() ?? []) and \(other[$0]?.sorted() ?? [])" }.joined(separator: ", ")
  }
}
