internal import GitObjects
internal import HTTPStorage
internal import SyncKit

/// `GET /repos/OWNER/NAME`.
struct RepositoryReply: Decodable, Sendable {
  struct Permissions: Decodable, Sendable { var push: Bool }

  var fullName: String
  var defaultBranch: String
  var archived: Bool?
  var permissions: Permissions?
  /// Forgejo only: true without a commit.
  var empty: Bool?
  /// Forgejo only: the hash of all objects.
  var objectFormatName: String?
}

/// `GET git/ref/heads/BRANCH`.
struct ReferenceReply: Decodable, Sendable {
  struct Target: Decodable, Sendable {
    var type: String
    var sha: ObjectID
  }

  var ref: String
  var object: Target
}

/// An answer that names one object.
struct ObjectReply: Decodable, Sendable { var sha: ObjectID }

/// `GET git/commits/SHA`.
struct CommitReply: Decodable, Sendable {
  var sha: ObjectID
  var tree: ObjectReply
  var parents: [ObjectReply]
}

/// `GET git/trees/SHA`. Without `truncated` it is not an answer of the API.
struct TreeReply: Decodable, Sendable {
  struct Entry: Decodable, Sendable {
    var path: String
    var mode: String
    var sha: ObjectID
    var size: Int?
  }

  var sha: ObjectID
  var tree: [Entry]
  var truncated: Bool
}

/// `GET compare/OLD...NEW`.
struct ComparisonReply: Decodable, Sendable { var status: Relation }

/// `PUT contents/PATH`.
struct FileReply: Decodable, Sendable {
  var content: ObjectReply
  var commit: CommitReply
}

/// `GET branches/BRANCH`.
struct BranchReply: Decodable, Sendable {
  var protected: Bool
  /// Forgejo only: true if the rules of a protected branch allow commits to the owner of the token.
  var userCanPush: Bool?
}

extension Answer {
  private struct Failure: Decodable { var message: String }

  /// The message of a failure; empty if it has none.
  var message: String { value(Failure.self)?.message ?? "" }
}
