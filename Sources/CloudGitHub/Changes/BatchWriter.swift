internal import GitObjects
internal import HTTPStorage
internal import SyncKit

/// The requests by which a kind of server makes one commit of a batch.
protocol BatchWriter: Sendable {
  /// True if the server may refuse a whole batch because of one of its files.
  var refusesFiles: Bool { get }

  /// The changes, by index, that need an earlier commit of the others.
  func deferred(_ batch: Batch) -> Set<Int>

  /// Makes the commit, if the branch is still as the batch expects; nothing of it, otherwise.
  func publish(_ batch: Batch) async throws(SyncError) -> Attempt
}

/// The result of an attempt to make a commit.
enum Attempt: Sendable {
  case done
  /// Another commit was faster.
  case overtaken
  /// The server does not allow it: a protected branch, a rule, a file.
  case declined(String)
  /// It is unknown if the commit was made.
  case lost(SyncError)
}

/// The changes that can become a commit, checked against the last commit of the branch.
struct Batch: Sendable {
  /// The last commit; nil for an empty repository.
  var base: Branch.Tip?
  var files: [BatchFile]
  /// The tree that the commit must have.
  var tree: ObjectID
  var message: String
  /// The author in the settings; nil for the owner of the token.
  var author: Identity?
  /// The contents by id.
  var bytes: [ObjectID: [UInt8]]

  /// The indices of the second half of the files.
  var secondHalf: Set<Int> { Set(files.dropFirst(files.count / 2).map(\.index)) }

  /// The author as members of a request.
  var signature: JSON {
    guard let author else { return [:] }
    let person: JSON = ["name": .string(author.name), "email": .string(author.mail)]
    return ["author": person, "committer": person]
  }
}

/// A file of a batch: what the branch has at its path, and what the commit will have.
struct BatchFile: Sendable {
  /// The index of the change.
  var index: Int
  var path: SyncPath
  /// The file in the branch.
  var old: GitTree.Entry?
  /// True if the branch has a folder at the path, or a file in the place of one of its folders, which the batch removes.
  var isBlocked = false
  /// The file in the commit; nil for none.
  var new: GitTree.Entry?
  /// True if another file of the batch takes the place of this one or of one of its folders.
  var isReplaced = false
}
