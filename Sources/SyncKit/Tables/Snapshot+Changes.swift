extension Snapshot {
  /// The paths whose files differ from what was known: new ones, other revisions, and missing ones; in folder order. What
  /// could not be read is not among them.
  package var changedPaths: [SyncPath] {
    let there = (0..<others.count).map { others[$0] }.filter { known[$0.path] != $0.revision }.map(\.path)
    let missing = (0..<known.count).filter { !same.contains($0) }.map { known[$0].path }
      .filter { others.position(of: $0) == nil && !isUnknown($0) && known.filter.accepts($0) }
    return (there + missing).sorted()
  }
}
