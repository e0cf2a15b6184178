public import SyncKit

/// One numbered pass of the history.
public struct PassRecord: Hashable, Sendable {
  public var number: Int
  public var started: Timestamp
  public var results: [RemoteResult]
  /// What it did, in the order in which it was recorded.
  public var actions: [RemoteAction]
}

/// How a pass ended for one remote.
public struct RemoteResult: Hashable, Sendable {
  public var remote: String
  /// A word of the `--json` output, such as `synced`.
  public var result: String
  /// A sentence for people; empty where there is nothing to say.
  public var detail: String

  public init(remote: String, result: String, detail: String = "") {
    self.remote = remote
    self.result = result
    self.detail = detail
  }
}

/// What a pass did to one path on behalf of one remote.
public struct RemoteAction: Hashable, Sendable {
  public var remote: String
  public var action: Action
}

/// What was at a path after a pass, as far as the archive can tell.
public enum FormerState: Hashable, Sendable {
  /// The file had this content, which may or may not be held still.
  case content(Digest)
  /// Nothing was there.
  case absent
  /// No pass has seen the path, or it is too long ago.
  case unknown
}

/// A previous version in the history.
public struct DisplacedVersion: Hashable, Sendable {
  public var digest: Digest
  public var size: Int
  public var remote: String
  /// Where it was live; nil if both sides had agreed on it.
  public var side: Side?
  public var pass: Int
  public var displaced: Timestamp
}

/// A file that was deleted.
public struct DeletedFile: Hashable, Sendable {
  /// Where it was.
  public var path: SyncPath
  /// The pass that found or made the deletion.
  public var pass: Int
  /// When that pass began.
  public var deleted: Timestamp
  /// The last version that both sides agreed on.
  public var digest: Digest
  /// The size of that version in bytes; nil if it is no longer in the history.
  public var size: Int?
  /// Another file that has this content now, as after a rename.
  public var copy: SyncPath?
}

/// What was last decided for a path with one remote, and what is agreed on now.
public struct Decision: Hashable, Sendable {
  public var remote: String
  public var agreement: Agreement?
  /// The last action, with its pass; nil if none was needed since the history begins.
  public var action: Action?
  public var pass: Int?
  public var time: Timestamp?
}

/// A set of deletions that waits for a person.
public struct WaitingHold: Hashable, Sendable {
  public var remote: String
  public var hold: Hold
  public var since: Timestamp
}

/// A conflict that waits for a person.
public struct WaitingConflict: Hashable, Sendable {
  public var remote: String
  public var conflict: OpenConflict
  public var pass: Int
  public var since: Timestamp
}

/// What a person has allowed and has not happened yet.
public struct Approval: Hashable, Sendable {
  public var remote: String
  public var items: Set<HeldItem>

  public init(remote: String, items: Set<HeldItem>) {
    self.remote = remote
    self.items = items
  }
}

/// How large an archive is.
public struct ArchiveFacts: Hashable, Sendable {
  /// How many paths are agreed on, by remote.
  public var agreements: [String: Int]
  public var contents: Int
  /// How many bytes the contents have together.
  public var bytes: Int
  /// The number of the last pass that wrote something; 0 if none did.
  public var lastPass: Int

  public init(agreements: [String: Int], contents: Int, bytes: Int, lastPass: Int) {
    self.agreements = agreements
    self.contents = contents
    self.bytes = bytes
    self.lastPass = lastPass
  }
}
