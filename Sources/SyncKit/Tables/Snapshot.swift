/// All entries of a replica at one time, with what could not be read.
///
/// It always represents the whole replica, never a delta, although it stores only differences from the known entries.
public struct Snapshot: Sendable {
  let known: Known
  /// The known entries that exist with exactly the known, firm revision.
  var same: BitSet
  /// All other entries.
  var others: EntryTable
  /// The parts that could not be read, in folder order. A path in such a part is unknown, never absent.
  public let unread: [Unread]
  private let unreadPaths: Set<SyncPath>
  /// True if the listing is proved to contain everything outside the unread parts. If not, nothing counts as absent.
  public let isComplete: Bool
  /// The identity of the replica.
  public var root: RootIdentity
  /// The rules for names that the replica can hold.
  public let naming: NamingRules
  /// True if the replica is older than the known state: restored from a backup, or with a rewritten history.
  public let wentBackwards: Bool
  /// The cursor for the next listing.
  public let cursor: Cursor?
  /// Accepted requests without an effect yet: the path, and a sentence that says who must act.
  public var waiting: [(path: SyncPath, reason: String)] = []
  /// The paths of `Known.awaited` whose content is proved to have been written, even if another one is there now.
  public var written: Set<SyncPath> = []
  /// The names of the devices that have written to the replica, as far as it records them: by device id, or by name if it has no
  /// ids.
  public var devices: [String: String] = [:]

  init(
    known: Known, same: BitSet, others: EntryTable, unread: [Unread], isComplete: Bool, root: RootIdentity,
    naming: NamingRules, wentBackwards: Bool, cursor: Cursor?
  ) {
    self.known = known
    self.same = same
    self.others = others
    self.unread = unread
    self.unreadPaths = Set(unread.map(\.path))
    self.isComplete = isComplete
    self.root = root
    self.naming = naming
    self.wentBackwards = wentBackwards
    self.cursor = cursor
  }

  /// The same listing with further unread parts.
  func adding(unread parts: [Unread]) -> Snapshot {
    var snapshot = Snapshot(
      known: known, same: same, others: others, unread: (unread + parts).sorted { $0.path < $1.path },
      isComplete: isComplete, root: root, naming: naming, wentBackwards: wentBackwards, cursor: cursor)
    (snapshot.waiting, snapshot.written, snapshot.devices) = (waiting, written, devices)
    return snapshot
  }

  /// The number of files.
  public var count: Int { same.count + others.count }

  /// The entry at `path`, if one was listed. It has no digest if only the revision was compared.
  public subscript(path: SyncPath) -> Entry? {
    let (index, found) = known.paths.position(of: path.bytes)
    if found, same.contains(index) { return Entry(path: path, revision: known[index].revision) }
    return others.position(of: path).map { others[$0] }
  }

  /// The same listing without digests, for a layer whose contents differ from what is stored.
  package func withoutDigests() -> Snapshot {
    var snapshot = self
    snapshot.others.forgetDigests()
    return snapshot
  }

  /// All entries, in folder order.
  public var entries: [Entry] {
    let unchanged = (0..<known.count).filter { same.contains($0) }
      .map { Entry(path: known[$0].path, revision: known[$0].revision) }
    return (unchanged + (0..<others.count).map { others[$0] }).sorted { $0.path < $1.path }
  }

  /// Returns true if nothing is known about `path`: the listing is not complete, or the path is in an unread part.
  public func isUnknown(_ path: SyncPath) -> Bool {
    guard isComplete else { return true }
    guard !unread.isEmpty else { return false }
    return unreadPaths.contains(path) || path.ancestors.contains(where: unreadPaths.contains)
  }

  /// True if any file is unchanged.
  var holdsKnown: Bool { same.count > 0 }

  /// True if everything except special files could be read.
  public var isWhole: Bool {
    isComplete && !unread.contains { if case .failed = $0.reason { true } else { false } }
  }

  /// Returns true if there are files below `folder`.
  func holdsFiles(inside folder: SyncPath) -> Bool {
    paths(inside: folder).contains { _ in true }
  }

  /// The paths of all files below `folder`; finding the first costs two searches.
  func paths(inside folder: SyncPath) -> some Sequence<SyncPath> {
    let start = folder.bytes + [SyncPath.separator]
    let unchanged = (known.paths.position(of: start).index..<known.count).lazy
      .prefix { SyncPath(trusted: Array(known.paths[$0])).isInside(folder) }
      .filter { same.contains($0) }.map { known[$0].path }
    let changed = (others.insertionPoint(of: start)..<others.count).lazy
      .map { others.path(at: $0) }.prefix { $0.isInside(folder) }
    return [AnySequence(unchanged), AnySequence(changed)].joined()
  }
}

/// A file or folder that exists but could not be read.
public struct Unread: Hashable, Sendable {
  /// The reason why a file or folder could not be read.
  public enum Reason: Hashable, Sendable {
    /// A link, pipe, socket or device: never followed, never replaced.
    case special(String)
    /// Its content is only in a cloud. The file is present and unchanged.
    case placeholder(cloud: String)
    /// Reading it failed.
    case failed(String)
  }

  /// The file, or the folder with everything below it.
  public var path: SyncPath
  /// The reason.
  public var reason: Reason

  public init(_ path: SyncPath, _ reason: Reason) {
    self.path = path
    self.reason = reason
  }
}

/// The identity of a snapshot's replica, so that another one in its place is detected.
public struct RootIdentity: Hashable, Sendable {
  /// The location of the replica: a folder's absolute path, a URL without credentials.
  public var address: String
  /// The distinction from any other replica at the same address: the id in its marker, or device and inode. Nil if the replica
  /// does not exist, or has no marker.
  public var id: String?
  /// The highest generation of this device's archive that was written beside the id; nil if there was none. An archive with a
  /// lower one was restored from a backup.
  public var generation: Int?

  public init(address: String, id: String?, generation: Int? = nil) {
    self.address = address
    self.id = id
    self.generation = generation
  }
}

/// Collects the entries of a replica while it is listed.
public struct SnapshotBuilder: Sendable {
  private let known: Known
  private var same: BitSet
  private var others = EntryTable()
  private var unread: [Unread] = []
  /// The known entry that comes next if the listing continues in folder order.
  private var next = 0
  private var isSorted = true
  /// True if a name was added that is not a path inside the replica.
  private var hasInvalidName = false

  public init(since known: Known) {
    self.known = known
    self.same = BitSet(capacity: known.count)
  }

  /// Adds a listed file. Folder order is fastest; any order is allowed.
  public mutating func add(_ entry: Entry) {
    guard known.filter.accepts(entry.path) else { return }
    if entry.isFirm, entry.digest == nil, entry.concurrent == nil, isKnown(entry.path.bytes, at: entry.revision.bytes) {
      return
    }
    noteOrder(of: entry.path.bytes)
    others.append(entry)
  }

  /// Adds a file by its parts, for listings of a million files: nothing is allocated for a file that is known. The
  /// caller has asked the filter. A name that leads out of the replica is ignored, and the listing is then incomplete.
  public mutating func add(
    path: [UInt8], revision: [UInt8], isFirm: Bool, size: Int, modified: Timestamp?
  ) {
    if isFirm, isKnown(path, at: revision) { return }
    guard SyncPath.isValid(path) else {
      hasInvalidName = true
      return
    }
    noteOrder(of: path)
    others.append(path: path, revision: revision, isFirm: isFirm, digest: nil, size: size, modified: modified)
  }

  /// Adds a part that could not be read.
  public mutating func add(unread part: Unread) { unread.append(part) }

  /// The snapshot of everything that was added.
  public consuming func finish(
    root: RootIdentity, naming: NamingRules = NamingRules(), isComplete: Bool = true, wentBackwards: Bool = false,
    cursor: Cursor? = nil
  ) -> Snapshot {
    // A name that was listed twice with different revisions is there once, and not as it was.
    for row in 0..<others.count where known.count > 0 {
      let (index, found) = known.paths.position(of: others.path(at: row).bytes)
      if found { same.remove(index) }
    }
    return Snapshot(
      known: known, same: same, others: isSorted ? others : others.sorted(),
      unread: unread.sorted { $0.path < $1.path },
      isComplete: isComplete && !hasInvalidName, root: root, naming: naming, wentBackwards: wentBackwards,
      cursor: cursor)
  }

  private mutating func isKnown(_ path: [UInt8], at revision: [UInt8]) -> Bool {
    guard !revision.isEmpty, let index = knownIndex(of: path), known.revisions.equals(revision, at: index) else {
      return false
    }
    same.insert(index)
    return true
  }

  /// Goes forward from the last match, which finds the next path of a sorted listing at once; searches otherwise.
  private mutating func knownIndex(of path: [UInt8]) -> Int? {
    var steps = 0
    while next < known.count, steps < 8 {
      let order = known.paths.compare(next, with: path)
      if order == 0 {
        next += 1
        return next - 1
      }
      if order > 0 { break }
      next += 1
      steps += 1
    }
    let (index, found) = known.paths.position(of: path)
    next = index
    return found ? index : nil
  }

  private mutating func noteOrder(of path: [UInt8]) {
    if isSorted, others.count > 0, others.compare(others.count - 1, with: path) >= 0 { isSorted = false }
  }
}
