internal import SyncKit

/// One walk over the whole tree, depth first in folder order.
///
/// It holds two descriptors however deep the tree is: the root's and the current folder's. To go up it opens the parent folder
/// and verifies that it is the one it came from. It allocates nothing for a known file.
struct Walk {
  private let root: Folder
  private let filter: PathFilter
  private let firmness: Firmness
  private var builder: SnapshotBuilder
  /// The names of temporaries, which are not entries.
  private(set) var strays: [SyncPath] = []
  /// The number of folders that were entered, including the root.
  private var folders = 1

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

  init(_ root: Folder, since known: Known, at time: Timestamp) throws(Errno) {
    self.root = root
    filter = known.filter
    firmness = Firmness(from: time)
    builder = SnapshotBuilder(since: known)
    folder = root
    level = Level(listing: try Listing(of: root), pathLength: 0, facts: try root.facts())
  }

  /// Walks the tree, and returns everything that was found.
  consuming func run() -> (builder: SnapshotBuilder, strays: [SyncPath], folders: Int) {
    repeat {
      while let item = level.listing.popFirst() { visit(item) }
    } while ascend()
    return (builder, strays, folders)
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
    strays += [SyncPath(bytes: path)].compactMap(\.self)
    return true
  }

  private mutating func look(at item: Listing.Item) {
    guard item.kind == nil || filter.accepts(file: path) else { return }
    do throws(Errno) {
      let facts = try level.listing.facts(of: item, in: folder)
      switch facts.kind {
      case .file: add(facts)
      case .folder: enter(FileName(level.listing.name(item)))
      case .special(let what): add(special: what)
      }
    } catch { add(error) }
  }

  private mutating func add(_ facts: FileFacts) {
    guard filter.accepts(file: path) else { return }
    // Reading such a file would download it.
    if facts.isDataless { return add(unread: .placeholder(cloud: "a cloud")) }
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
      let next = Level(listing: try Listing(of: folder), pathLength: path.count + 1, facts: try folder.facts())
      folders += 1
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
