internal import SyncKit

/// What tells a version that is seen after a change from another one of the same size, which another client put in its place
/// between our change and our look.
struct Evidence: Sendable {
  /// The tag that our content had before: in the answer to its upload, or beside its place, from where MOVE takes it along
  /// (measured on all servers).
  var tag: String?
  /// The lock under which it was written.
  var lock: String?

  /// The tag in the answer to an upload. Nextcloud has one that no compression on the way changes.
  static func upload(_ outcome: Outcome) -> Evidence {
    guard case .answered(let answer) = outcome, answer.isGood else { return Evidence() }
    return Evidence(tag: answer.header("OC-ETag") ?? answer.header("ETag"))
  }

  /// The tag that was seen beside the place.
  static func upload(_ observation: Observation) -> Evidence { Evidence(tag: observation.facts.tag?.quoted) }

  /// Returns true if no one else can have written the version that is seen.
  func proves(_ facts: Facts) -> Bool {
    if let lock, facts.locks.map(\.token) == [lock] { return true }
    guard let tag, let seen = facts.tag else { return false }
    return seen.matches(served: tag)
  }
}

extension FileWrite {
  /// The entry of the version that is seen after our change. Unless it is proved to be ours it is not firm, so that the next
  /// pass reads it once.
  func entry(_ observation: Observation, by evidence: Evidence) -> Entry {
    var entry = entry(observation)
    let isOurs = evidence.proves(observation.facts)
    entry.isFirm = entry.isFirm && traits.tagsAreFine && isOurs
    if isOurs { state.record(written: path, observation.facts.revision) }
    return entry
  }
}
