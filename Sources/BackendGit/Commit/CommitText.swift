internal import GitObjects
internal import Programs
internal import SyncKit

/// A commit without its tree: author, committer, time and message.
struct CommitText: Sendable {
  var author: Identity
  var committer: Identity
  var time: Timestamp
  var message: String
  var signer: Signer?

  /// The commit object's bytes, with a signature if there is a signer.
  func bytes(tree: ObjectID, parent: ObjectID?, _ stop: Stop) throws(SyncError) -> [UInt8] {
    let unsigned = bytes(tree: tree, parent: parent, signature: nil)
    guard let signer else { return unsigned }
    return bytes(tree: tree, parent: parent, signature: try signer.sign(unsigned, stop))
  }

  /// Encodes the commit. The header `gpgsig` comes last, and its continuation lines begin with a space (git's signature-format,
  /// "Commit signatures").
  private func bytes(tree: ObjectID, parent: ObjectID?, signature: String?) -> [UInt8] {
    let seconds = max(0, time.seconds)
    let lines =
      ["tree \(tree)"] + [parent.map { "parent \($0)" }].compactMap(\.self) + [
        "author \(author) \(seconds) +0000", "committer \(committer) \(seconds) +0000",
      ] + [signature.map { "gpgsig " + Self.folded($0) }].compactMap(\.self) + [
        "", message,
      ]
    return Array(lines.joined(separator: "\n").utf8)
  }

  private static func folded(_ signature: String) -> String {
    var lines = signature.split(separator: "\n", omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    return lines.joined(separator: "\n ")
  }
}
