public import SyncKit

/// One numbered pass of the history.
public struct PassRecord: Hashable, Sendable {
  /// The number of the pass; a later pass has a higher one.
  public var number: Int
  /// The time at which the pass began.
  public var started: Timestamp
  /// The result for each remote of the pass.
  public var results: [RemoteResult]
  /// The actions of the pass, in the order of recording.
  public var actions: [RemoteAction]
}

/// The result of a pass for one remote.
public struct RemoteResult: Hashable, Sendable {
  /// The name of the remote.
  public var remote: String
  /// A result keyword of the `--json` output, such as `synced`.
  public var result: String
  /// A sentence for people; empty if there is nothing to add.
  public var detail: String

  public init(remote: String, result: String, detail: String = "") {
    self.remote = remote
    self.result = result
    self.detail = detail
  }
}

/// The action of a pass on one path with one remote.
public struct RemoteAction: Hashable, Sendable {
  /// The name of the remote.
  public var remote: String
  /// The action, with its path and result.
  public var action: Action
}

/// The state of a path after a pass, as far as the archive knows it.
public enum FormerState: Hashable, Sendable {
  /// The file had this content, which the archive may have pruned.
  case content(Digest)
  /// The file did not exist.
  case absent
  /// No pass has seen the path, or the record was pruned.
  case unknown
}

/// A previous version in the history.
public struct DisplacedVersion: Hashable, Sendable {
  /// The digest of the content, under which the archive keeps it.
  public var digest: Digest
  /// The size in bytes.
  public var size: Int
  /// The name of the remote whose pass replaced it.
  public var remote: String
  /// The side that had the version; nil if both sides had agreed on it.
  public var side: Side?
  /// The number of that pass.
  public var pass: Int
  /// The time at which it was replaced or removed.
  public var displaced: Timestamp
}

/// A file that was deleted.
public struct DeletedFile: Hashable, Sendable {
  /// The path of the file.
  public var path: SyncPath
  /// The pass that detected or made the deletion.
  public var pass: Int
  /// The time at which that pass began.
  public var deleted: Timestamp
  /// The last version that both sides agreed on.
  public var digest: Digest
  /// The size of that version in bytes; nil if its content was pruned.
  public var size: Int?
  /// Another file that has this content now, for example after a rename.
  public var copy: SyncPath?
}

/// The last decision for a path with one remote, and the current agreement.
public struct Decision: Hashable, Sendable {
  /// The name of the remote.
  public var remote: String
  /// The content on which both sides agree; nil if they do not.
  public var agreement: Agreement?
  /// The last action; nil if the history records none.
  public var action: Action?
  /// The number of the pass of the last action.
  public var pass: Int?
  /// The time of the last action.
  public var time: Timestamp?
}

/// A set of held deletions that needs approval.
public struct WaitingHold: Hashable, Sendable {
  /// The name of the remote.
  public var remote: String
  /// The deletions and the reason.
  public var hold: Hold
  /// The time since when these deletions are held, as a set or as part of a larger one.
  public var since: Timestamp
}

/// An open conflict.
public struct WaitingConflict: Hashable, Sendable {
  /// The name of the remote.
  public var remote: String
  /// The path and the versions.
  public var conflict: OpenConflict
  /// The number of the pass that opened it.
  public var pass: Int
  /// The time at which it was opened.
  public var since: Timestamp
}

/// Approved deletions that have not been made yet.
public struct Approval: Hashable, Sendable {
  /// The name of the remote.
  public var remote: String
  /// The approved deletions.
  public var items: Set<HeldItem>

  public init(remote: String, items: Set<HeldItem>) {
    self.remote = remote
    self.items = items
  }
}

/// The size of an archive.
public struct ArchiveFacts: Hashable, Sendable {
  /// The number of agreed paths, by remote.
  public var agreements: [String: Int]
  /// The number of contents.
  public var contents: Int
  /// The total size of the contents in bytes, before compression.
  public var bytes: Int
  /// The size of the archive on the disk in bytes.
  public var stored: Int
  /// The number of previous versions.
  public var versions: Int
  /// The number of the last pass that wrote something; 0 if none did.
  public var lastPass: Int

  public init(agreements: [String: Int], contents: Int, bytes: Int, stored: Int, versions: Int, lastPass: Int) {
    self.agreements = agreements
    self.contents = contents
    self.bytes = bytes
    self.stored = stored
    self.versions = versions
    self.lastPass = lastPass
  }
}
