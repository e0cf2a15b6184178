internal import GitObjects

/// Answers of Forgejo and Gitea that differ from those of GitHub.
enum ForgejoReply {
  /// `GET branches/BRANCH`.
  struct Branch: Decodable, Sendable {
    struct Commit: Decodable, Sendable { var id: ObjectID }

    var name: String
    var commit: Commit
  }

  /// `GET git/commits/SHA`.
  struct Commit: Decodable, Sendable {
    struct Content: Decodable, Sendable { var tree: ObjectReply }

    var sha: ObjectID
    var commit: Content
  }

  /// `GET git/blobs/SHA`. The content of a large file is null or empty.
  struct Blob: Decodable, Sendable {
    var sha: ObjectID
    var size: Int
    var content: String?
  }

  /// `GET git/trees/SHA`: a page of a listing. Without `truncated` and `page` it is not an answer of the API.
  struct Tree: Decodable, Sendable {
    var sha: ObjectID
    /// Null for an empty tree.
    var tree: [TreeReply.Entry]?
    /// True if there are more pages.
    var truncated: Bool
    /// From 1.
    var page: Int
  }

  /// `POST contents`.
  struct Contents: Decodable, Sendable { var commit: CommitReply }
}
