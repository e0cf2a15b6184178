internal import SyncKit

extension FileTree {
  /// Determines what a former pass has published. Withdrawn evidence is removed before recovery removes its temporary.
  func examineEvidence(in tree: OpenTree) async throws(SyncError) {
    var (published, undecided): ([WriteEvidence], [WriteEvidence]) = ([], [])
    var withdrawn: [String: [UInt8]?] = [:]
    for evidence in try await intents.evidence(of: tree.id) {
      // Evidence that cannot be checked now is checked in the next pass.
      do throws(SyncError) {
        switch try tree.isPublished(evidence) {
        case true?: published.append(evidence)
        case nil: undecided.append(evidence)
        case false?: withdrawn.updateValue(nil, forKey: evidence.key)
        }
      } catch { continue }
    }
    try await intents.close(withdrawn)
    state.learn(published: published, undecided: undecided)
  }

  /// Returns the awaited paths whose contents were published, and removes the evidence that no pass over any remote waits for:
  /// passes over other remotes share the tree.
  ///
  /// - Parameters:
  ///   - strays: the temporaries in the listing; a folder that was renamed contains its temporaries.
  ///   - isWhole: true if these are all.
  func written(
    of known: Known, temporaries strays: [SyncPath], isWhole: Bool
  ) async throws(SyncError) -> Set<SyncPath> {
    let (published, undecided) = state.evidence
    let unpublished = Set(strays.compactMap { Temporary($0.name) })
    let proved = published + undecided.filter { isWhole && !unpublished.contains($0.temporary) }
    var useless: [String: [UInt8]?] = [:]
    for evidence in published + undecided
    where known.awaited[evidence.path] != evidence.new && !known.pending.contains(evidence.path) {
      useless.updateValue(nil, forKey: evidence.key)
    }
    try await intents.close(useless)
    return Set(proved.filter { known.awaited[$0.path] == $0.new }.map(\.path))
  }
}
