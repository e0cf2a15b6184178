internal import SyncKit

/// One walk over the whole tree, depth first in folder order.
///
/// It holds two descriptors however deep the tree is: the root's and the current folder's. To go up it opens the parent folder
/// and verifies that it is the one it came from. It allocates nothing for a known file.
struct Walk {
  private let root: Folder
  private let filter: PathFilter
  private let firmness: Firmness
  private let known: Known
  private let requests: ContentRequests
  private var builder: SnapshotBuilder
  private var findings = Findings()

  /// What a walk finds beside the entries.
  struct Findings {
    /// The names of temporaries, which are not entries.
    var strays: [SyncPath] = []
    /// The number of folders that were entered, including the root.
    var folders = 1
    /// The number of files and folders whose contents are only in a cloud, and the first of them.
    var elsewhere = 0
    var firstElsewhere = ""
    /// The paths whose contents were asked for.
    var asked: [SyncPath] = []
  }

  private var folder: Folder
  private var level: Level
  private var above: [Level] = []
  /// The current path.
  private var path: [UInt8] = []
  private var revision = [UInt8](repeating: 0, count: FileFacts.revisionSize)

  /// A folder that is being walked.
  private struct Level {
    var listing: Listing
    /// The length of the folder's path, including the trailing separator.
    var pathLength: Int
    /// The facts for recognising the folder when the walk returns to it.
    var facts: FileFacts
  }

  private static let separator = UInt8(ascii: "/")

  init(_ root: Folder, since known: Known, at time: Timestamp, _ requests: ContentRequests) throws(Errno) {
    self.root = root
    self.known = known
    self.requests = requests
    filter = known.filter
    firmness = Firmness(from: time)
    builder = SnapshotBuilder(since: known)
    folder = root
    level = Level(listing: try Listing(of: root), pathLength: 0, facts: try root.facts())
  }

  /// Walks the tree, and returns everything that was found.
  consuming func run() -> (builder: SnapshotBuilder, findings: Findings) {
    repeat {
      while let item = level.listing.popFirst() { visit(item) }
    } while ascend()
    return (builder, findings)
  }

  private mutating func visit(_ item: Listing.Item) {
    path.removeSubrange(level.pathLength...)
    path += level.listing.name(item)
    guard !noteStray(level.listing.name(item)) else { return }
    switch item.kind {
    case .folder: enter(FileName(level.listing.name(item)))
    case .special(let what): add(special: what)
    case .file, nil: look(at: item)
    }
  }

  private mutating func noteStray(_ name: ArraySlice<UInt8>) -> Bool {
    guard ReservedName.isTemporary(name) else { return false }
    findings.strays += [SyncPath(bytes: path)].compactMap(\.self)
    return true
  }

  private mutating func look(at item: Listing.Item) {
    guard item.kind == nil || filter.accepts(file: path) else { return }
    do throws(Errno) {
      let facts = try level.listing.facts(of: item, in: folder)
      switch facts.kind {
      case .file: if !addStub(facts) { add(facts) }
      case .folder: enter(FileName(level.listing.name(item)))
      case .special(let what): add(special: what)
      }
    } catch { add(error) }
  }

  private mutating func add(_ facts: FileFacts) {
    guard filter.accepts(file: path) else { return }
    if facts.isDataless { return add(elsewhere: facts) }
    facts.write(revisionInto: &revision)
    builder.add(
      path: path, revision: revision, isFirm: firmness.covers(facts), size: facts.size,
      modified: Timestamp(nanoseconds: facts.modified))
  }

  /// The filter is asked as for a folder, because the item may have replaced one; nothing below it may count as absent.
  private mutating func add(special what: String) {
    if filter.accepts(folder: path) { add(unread: .special(what)) }
  }

  private mutating func add(_ failure: Errno) {
    // A file that has vanished since it was listed is absent.
    if failure != .notFound { add(unread: .failed(failure.text)) }
  }

  private mutating func add(unread reason: Unread.Reason) {
    if let path = SyncPath(bytes: path) { builder.add(unread: Unread(path, reason)) }
  }
}

extension Walk {
  private mutating func enter(_ name: FileName) {
    guard filter.accepts(folder: path) else { return }
    do throws(Errno) {
      let folder = try folder.folder(name)
      let facts = try folder.facts()
      // Listing such a folder would fetch its names.
      if facts.isDataless { return addElsewhere() }
      let next = Level(listing: try Listing(of: folder), pathLength: path.count + 1, facts: facts)
      findings.folders += 1
      above.append(level)
      (self.folder, level) = (folder, next)
      path.append(Self.separator)
    } catch { add(error) }
  }

  /// Continues in the nearest parent folder that can be found again; returns false at the root.
  private mutating func ascend() -> Bool {
    while let level = above.popLast() {
      self.level = level
      path.removeSubrange(level.pathLength...)
      do throws(Errno) {
        folder = try reopen()
        return true
      } catch {
        path.removeLast()
        add(unread: .failed("the folder was moved during the scan"))
      }
    }
    return false
  }

  /// Reopens the folder of the current level: the parent of the one that was left, or, if that was moved, by its path from the
  /// root.
  private func reopen() throws(Errno) -> Folder {
    if level.pathLength == 0 { return root }
    if let folder = try? folder.parent(), isCurrent(try folder.facts()) { return folder }
    var folder = root
    for name in path.split(separator: Self.separator) { folder = try folder.folder(FileName(name)) }
    guard isCurrent(try folder.facts()) else { throw .notFound }
    return folder
  }

  private func isCurrent(_ facts: FileFacts) -> Bool {
    facts.device == level.facts.device && facts.inode == level.facts.inode
  }
}

// Contents that are only in a cloud

extension Walk {
  /// Adds a file without its content. If only its content has left this machine since the last agreement, it is unchanged for
  /// all that is known: a pass over such a tree is quiet, and downloads nothing.
  private mutating func add(elsewhere facts: FileFacts) {
    guard let path = SyncPath(bytes: path), let revision = known[path], facts.rests(at: revision) else {
      return addElsewhere(size: facts.size)
    }
    count(path)
    if requests.fetchesAll { ask(for: path, stub: nil, size: facts.size) }
    builder.add(
      path: self.path, revision: revision.bytes, isFirm: true, size: facts.size,
      modified: Timestamp(nanoseconds: facts.modified))
  }

  /// Adds the current path as a part whose content is unknown, and asks for it.
  private mutating func addElsewhere(size: Int = 0) {
    guard let path = SyncPath(bytes: path) else { return }
    count(path)
    ask(for: path, stub: nil, size: size)
    add(unread: .placeholder(cloud: requests.cloud))
  }

  /// Adds a stub, and the file that it stands for if that is missing, as parts whose contents are unknown; returns false for any
  /// other file. In a tree without a known program, the engine does the same.
  private mutating func addStub(_ facts: FileFacts) -> Bool {
    // Most names are decided by their last byte.
    guard path.last == UInt8(ascii: "d"), let stub = SyncPath(bytes: path), let placeholder = Placeholder(stub) else {
      return false
    }
    requests.noteStub()
    guard requests.hasProgram else { return false }
    guard filter.accepts(file: path) else { return true }
    builder.add(unread: Unread(stub, .placeholder(cloud: placeholder.cloud)))
    if (try? folder.facts(of: placeholder.file.fileName)) == nil {
      count(placeholder.file)
      if facts.size <= Self.largestStub { ask(for: placeholder.file, stub: stub, size: 0) }
      builder.add(unread: Unread(placeholder.file, .placeholder(cloud: placeholder.cloud)))
    }
    return true
  }

  /// The size in bytes above which a file with a stub's name is not one.
  private static let largestStub = 64 << 10

  private mutating func count(_ path: SyncPath) {
    if findings.elsewhere == 0 { findings.firstElsewhere = "\(path)" }
    findings.elsewhere += 1
  }

  private mutating func ask(for path: SyncPath, stub: SyncPath?, size: Int) {
    if requests.ask(for: path, stub: stub, size: size) { findings.asked.append(path) }
  }
}
