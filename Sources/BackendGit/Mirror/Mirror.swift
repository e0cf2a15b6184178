internal import CGit2
internal import GitObjects
internal import Programs
internal import SyncKit

import class Foundation.FileManager

/// The local copy of the remote repository, and the connection to it. The actor has a dedicated thread, because libgit2 blocks.
///
/// The copy contains only what the remote has: if it is lost, it is fetched again.
actor Mirror {
  nonisolated let worker = Worker("git")
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe worker.asUnownedSerialExecutor() }

  nonisolated let address: String
  private let transport: any Transport
  private let branch: BranchChoice
  private let folder: MirrorFolder
  private let largestFile: Int
  private let largestFetch: Int
  private let upkeep: Upkeep
  private let head: BareHead
  private var opened: Repository?
  /// The last known state of the remote branch.
  private(set) var seen: Tip?
  /// True if a clone of the remote repository checks out nothing, although it has branches.
  private(set) var lacksHead = false
  private var known: (tree: ObjectID, attributes: Attributes)?
  var writers: [Int: BlobWriter] = [:]
  var origins = Origins()

  /// The state of the branch at one moment.
  struct Tip: Sendable {
    var branch: String
    /// The last commit; nil if the branch does not exist yet.
    var commit: ObjectID?
    var tree: ObjectID?
  }

  init(
    of address: String, by transport: any Transport, _ branch: BranchChoice, in folder: MirrorFolder, largestFile: Int,
    largestFetch: Int, upkeep: Upkeep, head: BareHead
  ) {
    self.address = address
    self.transport = transport
    self.branch = branch
    self.folder = folder
    self.largestFile = largestFile
    self.largestFetch = largestFetch
    self.upkeep = upkeep
    self.head = head
  }

  /// How syncd connects to the repository, for messages.
  var route: String { transport.summary }

  var repository: Repository {
    get throws(SyncError) {
      if let opened { return opened }
      let repository = try folder.open()
      opened = repository
      return repository
    }
  }

  /// Removes the leftovers of a killed process from the copy.
  func recover() { folder.removeLeftovers() }

  /// Discards an unreadable copy and begins a new one.
  func startAgain() throws(SyncError) {
    (opened, seen, known, writers) = (nil, nil, nil, [:])
    origins = Origins()
    try folder.remove()
  }

  // MARK: Fetching

  /// Queries the branch's last commit, and fetches new objects.
  func refresh(_ stop: Stop) throws(SyncError) -> Tip {
    let repository = try repository
    let connection = try Connection(to: address, by: transport, into: repository, largestFetch: largestFetch, stop)
    defer { connection.close() }
    let branches = try connection.branches()
    lacksHead = branches.lacksHead
    let name = branch.name(in: branches)
    let commit = branches.tips[name]
    if let commit, !isComplete(commit, in: repository) {
      try connection.fetch(name)
      guard repository.holds(commit) else {
        throw SyncError(.unavailable, "\(address) did not send the commit \(commit.short) that it announced")
      }
      try repository.point(Repository.fetched, to: commit)
    }
    return try record(name, commit)
  }

  /// Returns the last known state; queries it if there is none.
  func tip(_ stop: Stop) throws(SyncError) -> Tip {
    if let seen { return seen }
    return try refresh(stop)
  }

  /// Returns true if the commit is complete here: only if our reference points to it, because an interrupted fetch may have
  /// left parts.
  private func isComplete(_ commit: ObjectID, in repository: Repository) -> Bool {
    repository.target(of: Repository.fetched) == commit && repository.holds(commit)
  }

  private func record(_ branch: String, _ commit: ObjectID?) throws(SyncError) -> Tip {
    let repository = try repository
    var tree: ObjectID?
    if let commit { tree = try repository.commit(commit).tree }
    let tip = Tip(branch: branch, commit: commit, tree: tree)
    seen = tip
    return tip
  }

  /// Returns true if `old` is part of the history that ends in `new`.
  func isPast(_ old: ObjectID, of new: ObjectID) throws(SyncError) -> Bool { try repository.isPast(old, of: new) }

  /// Returns the commit whose id begins with these digits, if it is part of the history that ends in `tip`.
  func commit(_ digits: String, before tip: ObjectID) throws(SyncError) -> ObjectID? {
    guard let id = try repository.commit(startingWith: digits), try repository.isPast(id, of: tip) else { return nil }
    return id
  }

  // MARK: Pushing

  /// Pushes a new commit with this tree on top of `base`, if the branch still ends there; returns the result.
  func push(_ tree: ObjectID, on base: Tip, _ signature: CommitText, _ stop: Stop) throws(SyncError)
    -> Connection.Outcome
  {
    let repository = try repository
    let text = try signature.bytes(tree: tree, parent: base.commit, stop)
    let commit = try repository.write(text, GIT_OBJECT_COMMIT)
    try GitFailpoint.objectsWritten.reach()
    try repository.point(Repository.outgoing, to: commit)
    let connection = try Connection(to: address, by: transport, into: repository, stop)
    let outcome = try connection.push(to: base.branch, expecting: base.commit)
    connection.close()
    let result = try seenOutcome(outcome, of: commit, on: base, stop)
    if case .done = result {
      upkeep.run(on: repository.path, stop)
      if base.commit == nil { head.follow(base.branch, stop) }
    }
    return result
  }

  /// Returns the actual result, from the present state of the branch. Another writer may have continued from our commit.
  private func seenOutcome(
    _ outcome: Connection.Outcome, of commit: ObjectID, on base: Tip, _ stop: Stop
  ) throws(SyncError) -> Connection.Outcome {
    let now: Tip
    do throws(SyncError) {
      // All objects are here, so nothing needs to be fetched if our commit is in place.
      try repository.point(Repository.fetched, to: commit)
      now = try refresh(stop)
    } catch {
      seen = nil
      switch outcome {
      case .overtaken, .declined: return outcome
      case .done: return .lost(error)
      case .lost(let first): return .lost(first)
      }
    }
    if let tip = now.commit, try repository.isPast(commit, of: tip) { return .done }
    if now.commit != base.commit { return .overtaken }
    switch outcome {
    case .done: return .declined("it confirmed the push, but the branch does not have the commit")
    case .lost(let error): return .declined(error.message)
    case .overtaken, .declined: return outcome
    }
  }

  // MARK: Objects

  static let largestTree = 256 << 20

  func tree(_ id: ObjectID) throws(SyncError) -> GitTree {
    guard let tree = GitTree(bytes: try repository.read(id, GIT_OBJECT_TREE, atMost: Self.largestTree)) else {
      throw SyncError(.pathFailed, "a folder of the repository is damaged (\(id)); run `git fsck`")
    }
    return tree
  }

  func file(_ id: ObjectID) throws(SyncError) -> StoredObject {
    let repository = try repository
    let size = try repository.size(of: id, GIT_OBJECT_BLOB)
    try check(size)
    return try repository.open(id)
  }

  /// Throws if a file of `size` bytes is too large for memory: a small pack can contain a file of any size.
  func check(_ size: Int) throws(SyncError) {
    guard size > largestFile else { return }
    let limit = ByteSize(bytes: largestFile).text
    throw SyncError(
      .pathFailed,
      "the file has \(size.counted("byte")), more than `max-file-size` (\(limit)); increase it if this machine has the memory"
    )
  }

  func attributes(_ id: ObjectID) throws(SyncError) -> [UInt8] {
    try repository.read(id, GIT_OBJECT_BLOB, atMost: Attributes.largestFile)
  }

  /// Lists the whole branch.
  func list(_ tip: Tip, since known: Known) throws(SyncError) -> SnapshotBuilder {
    var walk = TreeWalk(
      TreeWalk.Store(
        tree: { id throws(SyncError) in try self.tree(id) }, file: { id throws(SyncError) in try self.attributes(id) }),
      since: known)
    if let tree = tip.tree {
      try walk.run(tree)
      self.known = (tree, walk.attributes)
    }
    return walk.builder
  }

  /// Returns the attributes of the branch's files.
  func attributes(of tip: Tip) throws(SyncError) -> Attributes {
    guard let tree = tip.tree else { return Attributes() }
    if known?.tree != tree { _ = try list(tip, since: Known()) }
    return known?.attributes ?? Attributes()
  }

  /// Returns an editable copy of the branch's tree.
  func edit(_ tip: Tip) throws(SyncError) -> TreeEdit {
    try TreeEdit(
      tip.tree,
      in: TreeEdit.Store(
        read: { id throws(SyncError) in try self.tree(id) },
        write: { tree throws(SyncError) in try self.repository.write(tree.bytes, GIT_OBJECT_TREE) }))
  }
}
