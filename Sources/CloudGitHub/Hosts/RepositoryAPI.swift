internal import GitObjects
internal import HTTPStorage
internal import SyncKit

/// The requests in which the kinds of servers differ while a branch is read. What they return is checked by its callers: every
/// tree and file must have its hash.
protocol RepositoryAPI: Sendable {
  /// Asks for the state of a branch. `.missing` may mean that the whole repository is empty, or hidden.
  ///
  /// - Parameter known: the last answer, which a server with conditional requests confirms without a body
  func state(of branch: String, since known: TaggedTip?) async throws(SyncError) -> (Branch.State, TaggedTip?)

  /// Creates a branch at the tip of another one.
  func create(_ branch: String, from other: String) async throws(SyncError) -> Outcome

  /// Returns the tree of a commit.
  func tree(of commit: ObjectID) async throws(SyncError) -> ObjectID

  /// Returns the commit with these first digits; nil without one.
  func commit(_ digits: String) async throws(SyncError) -> ObjectID?

  /// Compares two commits; nil if the old one no longer exists.
  func comparison(_ old: ObjectID, _ new: ObjectID) async throws(SyncError) -> Relation?

  /// Lists a tree, of which at most `limit` entries are wanted, or also everything below it.
  func listing(of tree: ObjectID, isRecursive: Bool, atMost limit: Int) async throws(SyncError) -> TreeReply

  /// Requests a file.
  func content(of file: ObjectID) async throws(SyncError) -> Arrival
}

/// The tip of a branch, and the tag by which a server recognizes its answer.
struct TaggedTip: Sendable {
  var tag: String
  var commit: ObjectID
}

/// The relation of a commit to an older one.
enum Relation: String, Decodable, Sendable {
  case ahead, identical, behind, diverged
}
