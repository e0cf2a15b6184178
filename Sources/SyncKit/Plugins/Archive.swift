/// Keeps what a sync must remember: bases, contents of former versions, the numbered passes and what waits for a person.
///
/// Everything that a method wrote survives `kill -9` and power loss once the method has returned, unless it says
/// otherwise. What is damaged is never taken for something else: opening the archive, or reading the damaged part, throws
/// `.damagedState`.
public protocol Archive: ContentLibrary {
  /// Everything that is remembered of one remote; empty at the first meeting.
  func memory(of remote: String) async throws(SyncError) -> RemoteMemory

  /// How often the base of one remote has been changed; see `RemoteMemory.generation`.
  func generation(of remote: String) async throws(SyncError) -> Int

  /// The small durable records of one remote, or of the store under the name `store`.
  func journal(of remote: String) -> any Journal

  /// The number of the run that is under way, counted up when the first thing of the run is written.
  func passNumber() async throws(SyncError) -> Int

  /// Notes versions that are about to be displaced. Their contents are held already. Returns when both are durable.
  func keep(_ versions: [Version]) async throws(SyncError)

  /// Records what a batch is about to do, together with the versions that it displaces. Their contents are held already.
  /// Returns when all of it is durable.
  func prepare(_ batch: IntendedBatch) async throws(SyncError)

  /// Writes what a part of a pass achieved, as one transaction.
  func record(_ record: Record) async throws(SyncError)

  /// Which of these contents are held, and can therefore be displaced elsewhere.
  func held(_ digests: Set<Digest>) async throws(SyncError) -> Set<Digest>

  /// At which of these paths the content was the last one agreed on with a remote other than `remote`.
  func agreedElsewhere(
    _ contents: [SyncPath: Digest], than remote: String
  ) async throws(SyncError) -> Set<SyncPath>

  /// Whether this content was once displaced at this path, and is known to be older than what came after it.
  func wasDisplaced(_ digest: Digest, at path: SyncPath) async throws(SyncError) -> Bool
}

/// What an archive remembers of one remote.
public struct RemoteMemory: Sendable {
  public var base: Base
  /// How the store and the remote identified themselves when they last met; nil at the first meeting. The generation of
  /// the remote's is the one that it was last stamped with.
  public var localRoot: RootIdentity?
  public var remoteRoot: RootIdentity?
  public var localCursor: Cursor?
  public var remoteCursor: Cursor?
  /// Counted up with every record that changes what is agreed on, or starts anew; newer revisions of the same contents
  /// do not count.
  public var generation: Int
  /// What a person has allowed to be deleted, and has not yet been.
  public var allowed: Set<HeldItem>
  /// What waits for a person since the last pass.
  public var hold: Hold?
  /// How many deletions went through within the last day without having been asked for.
  public var deletedToday: Int
  public var conflicts: [OpenConflict]
  /// Changes that a pass was about to make and whose end is not recorded, at most one for each path.
  public var intended: [IntendedChange]
  /// The highest number of a batch whose changes are among them; 0 if there are none.
  public var lastBatch: Int

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

  /// What is still known where the two sides meet as if for the first time: the conflicts are in the files.
  public var startedAnew: RemoteMemory {
    RemoteMemory(generation: generation, conflicts: conflicts, lastBatch: lastBatch)
  }

  /// Whether store and remote have never met.
  public var isFirstMeeting: Bool { remoteRoot == nil }

  public func root(of side: Side) -> RootIdentity? { side == .local ? localRoot : remoteRoot }

  public func cursor(of side: Side) -> Cursor? { side == .local ? localCursor : remoteCursor }
}

/// A version that was, or is about to be, displaced.
public struct Version: Hashable, Sendable {
  public var remote: String
  public var path: SyncPath
  public var digest: Digest
  /// On which side it was live.
  public var side: Side

  public init(remote: String, path: SyncPath, digest: Digest, side: Side) {
    self.remote = remote
    self.path = path
    self.digest = digest
    self.side = side
  }
}

/// What a part of a pass achieved.
public struct Record: Sendable {
  public var remote: String
  /// Paths on which both sides were seen to hold the same content.
  public var agreements: [Agreement] = []
  /// Paths that are gone from both sides, or that the filter no longer accepts.
  public var forgotten: [SyncPath] = []
  /// What was done, as a sentence for the history.
  public var actions: [Action] = []
  /// Conflicts that were opened.
  public var opened: [OpenConflict] = []
  /// Conflicts that are settled; a path may have others.
  public var settled: [OpenConflict] = []
  /// Deletions that a person had allowed and that went through, or that nobody wants any more.
  public var used: [HeldItem] = []
  /// How many deletions went through without having been asked for.
  public var deletions = 0
  /// What waits for a person from now on; nil leaves it as it is, an empty set ends the hold.
  public var hold: Hold?
  /// How both sides identify themselves, and where their listings ended; nil leaves them as they are.
  public var roots: (local: RootIdentity, remote: RootIdentity)?
  public var cursors: (local: Cursor?, remote: Cursor?)?
  /// The generation that the remote has been stamped with; nil leaves it as it is. It is remembered as that of its root.
  public var stamped: Int?
  /// How far the intended changes have ended; nil leaves them as they are.
  public var ended: EndedBatches?
  /// Whether everything that was known of this remote is forgotten first: another replica stands in its place, or the
  /// archive was restored from a backup.
  public var startsAnew = false

  public init(remote: String) { self.remote = remote }

  /// Whether there is nothing to write.
  public var isEmpty: Bool {
    agreements.isEmpty && forgotten.isEmpty && actions.isEmpty && opened.isEmpty && settled.isEmpty && used.isEmpty
      && hold == nil && roots == nil && cursors == nil && stamped == nil && ended == nil && !startsAnew
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

/// A set of deletions that waits for a person.
public struct Hold: Hashable, Sendable {
  /// What the deletions have in common, as a sentence.
  public var reason: String
  public var items: Set<HeldItem>

  public init(reason: String, items: Set<HeldItem>) {
    self.reason = reason
    self.items = items
  }

  /// The name of exactly this set; another set has another name.
  public var id: String {
    var hasher = DigestHasher()
    for item in items.sorted() {
      hasher.update(item.path.bytes + [0] + item.digest.bytes + Array(item.side.rawValue.utf8))
    }
    return String(hasher.finish().description.prefix(10))
  }
}

/// One deletion that waits for a person, or was allowed by one.
public struct HeldItem: Hashable, Comparable, Sendable {
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

/// A conflict that a person has not settled yet.
public struct OpenConflict: Hashable, Sendable {
  public var path: SyncPath
  /// The three versions; nil where the file was not there.
  public var base: Digest?
  public var local: Digest?
  public var remote: Digest?
  /// The file beside it that holds the other version; nil where both stand in one file.
  public var copy: SyncPath?
  /// The content that both versions stand in, marked; the conflict is open as long as the file holds its marks.
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
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case copy, merge, remove, conflict, hold, forget
  }

  public enum Target: String, Hashable, Sendable, CaseIterable {
    case local, remote, both
  }

  public enum Result: String, Hashable, Sendable, CaseIterable {
    case done, waiting, failed
  }

  public var path: SyncPath
  public var kind: Kind
  public var to: Target
  public var result: Result
  /// Why, as a sentence; empty where there is nothing to say.
  public var detail: String
  /// The store's version before and after; nil where the file was not there.
  public var before: Digest?
  public var after: Digest?

  public init(
    path: SyncPath, kind: Kind, to: Target, result: Result, detail: String = "", before: Digest? = nil,
    after: Digest? = nil
  ) {
    self.path = path
    self.kind = kind
    self.to = to
    self.result = result
    self.detail = detail
    self.before = before
    self.after = after
  }
}
