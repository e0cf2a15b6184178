internal import HTTPStorage
internal import SyncKit

/// Evidence that a version seen after our change is ours, and not one of the same size that another client has put in place
/// since.
struct Evidence: Sendable {
  /// The tag of our content before: in the answer to its upload, or beside its path, from where MOVE keeps it (measured on all
  /// servers).
  var tag: String?
  /// The lock under which the version was written.
  var lock: String?

  /// The tag in the answer to an upload. Nextcloud sends one that no compression on the way changes.
  static func upload(_ outcome: Outcome) -> Evidence {
    guard case .answered(let answer) = outcome, answer.isGood else { return Evidence() }
    return Evidence(tag: answer.header("OC-ETag") ?? answer.header("ETag"))
  }

  /// The tag that was seen beside the path.
  static func upload(_ observation: Observation) -> Evidence { Evidence(tag: observation.facts.tag?.quoted) }

  /// Returns true if no other client can have written the version.
  func proves(_ facts: Facts) -> Bool {
    if let lock, facts.locks.map(\.token) == [lock] { return true }
    guard let tag, let seen = facts.tag else { return false }
    return seen.matches(served: tag)
  }
}

extension FileWrite {
  /// The entry of a version that is seen after our change. Unless the evidence proves that it is ours it is not firm, so that
  /// the next pass reads it once.
  func entry(_ observation: Observation, by evidence: Evidence) -> Entry {
    var entry = entry(observation)
    let isOurs = evidence.proves(observation.facts)
    entry.isFirm = entry.isFirm && traits.tagsAreFine && isOurs
    if isOurs { state.record(written: path, observation.facts.revision) }
    return entry
  }
}
