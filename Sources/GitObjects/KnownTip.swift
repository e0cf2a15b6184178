/// The last commit that was seen on a remote branch: it must remain part of the branch's history.
///
/// A branch without it was restored from a backup or force-pushed; files that are missing there were not deleted on purpose.
package struct KnownTip: Hashable, Sendable {
  /// The repository and the branch.
  package var branch: String
  package var commit: ObjectID
  /// The commit from which a rewritten history was accepted, if any.
  package var origin: ObjectID?

  package init(branch: String, commit: ObjectID, origin: ObjectID? = nil) {
    self.branch = branch
    self.commit = commit
    self.origin = origin
  }

  /// Decodes a record; returns nil if it is invalid.
  package init?(_ bytes: [UInt8]) {
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count == 3, let commit = ObjectID(String(lines[1])) else { return nil }
    self.init(branch: String(lines[0]), commit: commit, origin: ObjectID(String(lines[2])))
  }

  package var bytes: [UInt8] { Array("\(branch)\n\(commit)\n\(origin?.description ?? "")".utf8) }
}
