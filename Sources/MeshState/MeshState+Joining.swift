package import SyncKit

extension MeshState {
  /// The paths that a join has changed, and those whose contents must be fetched first.
  package struct JoinResult: Hashable, Sendable {
    package var changed: Set<SyncPath> = []
    package var waiting: Set<SyncPath> = []
    /// True if the state is not what it was: also if only more versions were seen.
    package var hasLearned = false
    /// True if nothing that the other device has is missing here now.
    package var isComplete = true

    package init(changed: Set<SyncPath> = [], waiting: Set<SyncPath> = [], hasLearned: Bool = false) {
      self.changed = changed
      self.waiting = waiting
      self.hasLearned = hasLearned
    }
  }

  /// Adds what another device knows.
  ///
  /// - Parameters:
  ///   - other: The other device's state, at any time.
  ///   - isHeld: Returns true if this device durably holds a version's content. A path with a new version whose content it does not
  ///     hold stays as it is.
  @discardableResult
  package mutating func join(_ other: MeshState, isHeld: (MeshVersion) -> Bool) -> JoinResult {
    var result = JoinResult()
    let union = context.union(other.context)
    for path in paths.union(other.paths) {
      let (seen, seenThere) = (context(at: path), other.context(at: path))
      guard let versions = Self.joined(self[path], seen, other[path], seenThere, isHeld) else {
        result.waiting.insert(path)
        if exceptions[path] == nil { exceptions[path] = seen }
        continue
      }
      if versions != self[path] {
        set(versions, at: path)
        result.changed.insert(path)
      }
      exceptions[path] = seen.union(seenThere)
    }
    result.isComplete = result.waiting.isEmpty
    result.hasLearned = union != context || !result.changed.isEmpty
    context = union
    for path in exceptions.keys where context(at: path) == union { exceptions[path] = nil }
    return result
  }

  /// Returns the versions of a path that neither side knows to be replaced; nil if a content is missing.
  private static func joined(
    _ ours: [MeshVersion], _ seen: CausalContext, _ theirs: [MeshVersion], _ seenThere: CausalContext,
    _ isHeld: (MeshVersion) -> Bool
  ) -> [MeshVersion]? {
    if ours == theirs { return ours }
    let kept = ours.filter { version in
      theirs.contains { $0.dot == version.dot } || !seenThere.covers(version.dot)
    }
    let new = theirs.filter { version in
      !ours.contains { $0.dot == version.dot } && !seen.covers(version.dot)
    }
    guard new.allSatisfy(isHeld) else { return nil }
    return (kept + new).sorted { $0.dot < $1.dot }
  }
}
