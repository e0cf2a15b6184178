/// Stores what a sync remembers: bases, contents of previous versions, the numbered passes and what needs a person.
///
/// Whatever a method wrote survives `kill -9` and power loss once the method has returned, unless it says otherwise. Damage
/// is always detected: opening the archive, or reading the damaged part, throws `.damagedState`.
public protocol Archive: ContentLibrary {
  /// Returns everything that is remembered of one remote; empty before the first pass.
  func memory(of remote: String) async throws(SyncError) -> RemoteMemory

  /// Returns how often the base of one remote was changed; see `RemoteMemory.generation`.
  func generation(of remote: String) async throws(SyncError) -> Int

  /// Returns the small durable records of one remote, or of the store under the name `store`.
  func journal(of remote: String) -> any Journal

  /// Returns the number of the current run, which is incremented when the run writes something for the first time.
  func passNumber() async throws(SyncError) -> Int

  /// Records versions that are about to be replaced or removed, whose contents are stored already. Both are durable on return.
  func keep(_ versions: [Version]) async throws(SyncError)

  /// Records what a batch is about to do, and the versions that it replaces or removes, whose contents are stored already.
  /// Returns when all of it is durable.
  func prepare(_ batch: IntendedBatch) async throws(SyncError)

  /// The paths of all changes, over any remote, whose ends are not recorded.
  func intendedPaths() async throws(SyncError) -> Set<SyncPath>

  /// Writes the results of a part of a pass, in one transaction.
  func record(_ record: Record) async throws(SyncError)

  /// Returns which of these contents are stored, so that their versions may be replaced or removed.
  func held(_ digests: Set<Digest>) async throws(SyncError) -> Set<Digest>

  /// At which of these paths the content was the last one agreed on with a remote other than `remote`.
  func agreedElsewhere(
    _ contents: [SyncPath: Digest], than remote: String
  ) async throws(SyncError) -> Set<SyncPath>

  /// Returns true if this content was replaced or removed at this path before, so that it is older than what came after it.
  func wasDisplaced(_ digest: Digest, at path: SyncPath) async throws(SyncError) -> Bool
}

/// What an archive remembers of one remote.
public struct RemoteMemory: Sendable {
  /// What both sides agreed on.
  public var base: Base
  /// How the store and the remote identified themselves in the last pass; nil before the first one. The generation of the
  /// remote's root is the one that it was last stamped with.
  public var localRoot: RootIdentity?
  /// The remote, as `localRoot` for the store.
  public var remoteRoot: RootIdentity?
  /// Where the last listings ended, for incremental ones.
  public var localCursor: Cursor?
  /// The remote, as `localCursor` for the store.
  public var remoteCursor: Cursor?
  /// Incremented by every record that changes an agreement or starts over. New revisions of the same contents do not count.
  public var generation: Int
  /// The deletions that a person approved and that did not happen yet.
  public var allowed: Set<HeldItem>
  /// The deletions that the last pass held.
  public var hold: Hold?
  /// How many deletions happened within the last day without an approval.
  public var deletedToday: Int
  /// The conflicts that are not resolved.
  public var conflicts: [OpenConflict]
  /// Changes that a pass was about to make and whose results are not recorded, at most one per path.
  public var intended: [IntendedChange]
  /// The highest number of a batch whose changes are among them; 0 if there are none.
  public var lastBatch: Int

  /// Creates a memory; an empty one by default.
  public init(
    base: Base = Base(), localRoot: RootIdentity? = nil, remoteRoot: RootIdentity? = nil, localCursor: Cursor? = nil,
    remoteCursor: Cursor? = nil, generation: Int = 0, allowed: Set<HeldItem> = [], hold: Hold? = nil,
    deletedToday: Int = 0, conflicts: [OpenConflict] = [], intended: [IntendedChange] = [], lastBatch: Int = 0
  ) {
    self.base = base
    self.localRoot = localRoot
    self.remoteRoot = remoteRoot
    self.localCursor = localCursor
    self.remoteCursor = remoteCursor
    self.generation = generation
    self.allowed = allowed
    self.hold = hold
    self.deletedToday = deletedToday
    self.conflicts = conflicts
    self.intended = intended
    self.lastBatch = lastBatch
  }

  /// What remains if the next pass is like a first one: the conflicts, because they are in the files.
  public var startedAgain: RemoteMemory {
    RemoteMemory(generation: generation, conflicts: conflicts, lastBatch: lastBatch)
  }

  /// True before the first pass.
  public var isFirstPass: Bool { remoteRoot == nil }

  /// Returns how a side identified itself in the last pass.
  public func root(of side: Side) -> RootIdentity? { side == .local ? localRoot : remoteRoot }

  /// Returns where the last listing of a side ended.
  public func cursor(of side: Side) -> Cursor? { side == .local ? localCursor : remoteCursor }
}

/// A version that was, or is about to be, replaced or removed.
public struct Version: Hashable, Sendable {
  /// The name of the remote whose pass replaces it.
  public var remote: String
  /// The path that had this version.
  public var path: SyncPath
  /// The digest of its content.
  public var digest: Digest
  /// The side that had it.
  public var side: Side

  public init(remote: String, path: SyncPath, digest: Digest, side: Side) {
    self.remote = remote
    self.path = path
    self.digest = digest
    self.side = side
  }
}

/// The results of a part of a pass.
public struct Record: Sendable {
  /// The name of the remote.
  public var remote: String
  /// Paths on which both sides were seen to have the same content.
  public var agreements: [Agreement] = []
  /// Paths that neither side has any more, or that the filter no longer accepts.
  public var forgotten: [SyncPath] = []
  /// What was done, as a sentence for the history.
  public var actions: [Action] = []
  /// New conflicts.
  public var opened: [OpenConflict] = []
  /// Conflicts that were resolved; a path may have others.
  public var settled: [OpenConflict] = []
  /// Approved deletions that happened, or that are no longer planned.
  public var used: [HeldItem] = []
  /// How many deletions happened without an approval.
  public var deletions = 0
  /// The new hold; nil leaves it unchanged, an empty set ends it.
  public var hold: Hold?
  /// How both sides identify themselves; nil leaves it unchanged.
  public var roots: (local: RootIdentity, remote: RootIdentity)?
  /// Where the listings of both sides ended; nil leaves it unchanged.
  public var cursors: (local: Cursor?, remote: Cursor?)?
  /// The generation that the remote was stamped with, stored with its root; nil leaves it unchanged.
  public var stamped: Int?
  /// How far the intended changes have ended; nil leaves them as they are.
  public var ended: EndedBatches?
  /// True if everything known about this remote is forgotten first, because another replica is in its place, or the archive
  /// was restored from a backup.
  public var startsAgain = false

  /// Creates an empty record.
  public init(remote: String) { self.remote = remote }

  /// True if there is nothing to write.
  public var isEmpty: Bool {
    agreements.isEmpty && forgotten.isEmpty && actions.isEmpty && opened.isEmpty && settled.isEmpty && used.isEmpty
      && hold == nil && roots == nil && cursors == nil && stamped == nil && ended == nil && !startsAgain
  }
}

/// Which batches have ended, and which of their changes may or may not have been made.
public struct EndedBatches: Hashable, Sendable {
  /// The number of the last batch that has ended; so have all before it.
  public var last: Int
  /// The changes of these batches whose end is unknown.
  public var open: [IntendedChange]

  public init(last: Int, open: [IntendedChange]) {
    self.last = last
    self.open = open
  }
}

/// A set of deletions that need the approval of a person.
public struct Hold: Hashable, Sendable {
  /// What the deletions have in common, as a sentence.
  public let reason: String
  /// The deletions.
  public var items: Set<HeldItem>

  public init(reason: String, items: Set<HeldItem>) {
    self.reason = reason.printableLine
    self.items = items
  }

  /// The ID of exactly this set; another set has another ID.
  public var id: String {
    var hasher = DigestHasher()
    for item in items.sorted() {
      hasher.update(item.path.bytes + [0] + item.digest.bytes + Array(item.side.rawValue.utf8))
    }
    return String(hasher.finish().description.prefix(10))
  }
}

/// One deletion that is held or approved.
public struct HeldItem: Hashable, Comparable, Sendable {
  /// The path of the file.
  public var path: SyncPath
  /// The version that would be deleted.
  public var digest: Digest
  /// The side it would be deleted from.
  public var side: Side

  public init(path: SyncPath, digest: Digest, side: Side) {
    self.path = path
    self.digest = digest
    self.side = side
  }

  public static func < (a: HeldItem, b: HeldItem) -> Bool {
    a.path == b.path ? a.side.rawValue < b.side.rawValue : a.path < b.path
  }
}

/// A conflict that is not resolved yet.
public struct OpenConflict: Hashable, Sendable {
  /// The path of the file.
  public var path: SyncPath
  /// The three versions; nil where the file did not exist.
  public var base: Digest?
  /// The store's version.
  public var local: Digest?
  /// The remote's version.
  public var remote: Digest?
  /// The conflict copy with the other version; nil if both are in one file.
  public var copy: SyncPath?
  /// The content with both versions and marks; the conflict is open while the file has the marks.
  public var marked: Digest?

  public init(
    path: SyncPath, base: Digest? = nil, local: Digest? = nil, remote: Digest? = nil, copy: SyncPath? = nil,
    marked: Digest? = nil
  ) {
    self.path = path
    self.base = base
    self.local = local
    self.remote = remote
    self.copy = copy
    self.marked = marked
  }
}

/// What a pass did, or did not do, to one path.
public struct Action: Hashable, Sendable {
  /// What is done to a path.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case copy, merge, remove, conflict, hold, forget
  }

  /// The side that is changed.
  public enum Target: String, Hashable, Sendable, CaseIterable {
    case local, remote, both
  }

  /// The result of an action.
  public enum Result: String, Hashable, Sendable, CaseIterable {
    case done, waiting, failed
  }

  /// The path that the action concerns.
  public var path: SyncPath
  /// What was done.
  public var kind: Kind
  /// The side that was changed.
  public var to: Target
  /// The result.
  public var result: Result
  /// The reason, as a clause; empty if there is nothing to say.
  public let detail: String
  /// The store's version before and after; nil where the file did not exist.
  public var before: Digest?
  /// The store's version after the action; nil if there is none.
  public var after: Digest?

  public init(
    path: SyncPath, kind: Kind, to: Target, result: Result, detail: String = "", before: Digest? = nil,
    after: Digest? = nil
  ) {
    self.path = path
    self.kind = kind
    self.to = to
    self.result = result
    self.detail = detail.printableLine
    self.before = before
    self.after = after
  }
}
