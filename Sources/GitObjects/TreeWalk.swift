package import SyncKit

/// Lists a whole tree, which may be hostile: it reports and ignores entries that cannot be our files, never leaves the tree,
/// and always ends.
package struct TreeWalk {
  /// Reads folders and small files.
  package struct Store {
    var tree: (ObjectID) throws(SyncError) -> GitTree
    var file: (ObjectID) throws(SyncError) -> [UInt8]

    package init(
      tree: @escaping (ObjectID) throws(SyncError) -> GitTree, file: @escaping (ObjectID) throws(SyncError) -> [UInt8]
    ) {
      self.tree = tree
      self.file = file
    }
  }

  let store: Store
  let known: Known
  package private(set) var builder: SnapshotBuilder
  /// The attributes of the tree's files.
  package private(set) var attributes = Attributes()
  private var count = 0

  /// The maximum number of entries: more than any user has, and still listed within seconds. A tree of a few hundred bytes can
  /// claim to contain more files than there are atoms.
  package static let largestCount = 5_000_000
  package static let deepest = 512

  private let limit: Int

  /// - Parameter limit: the maximum number of entries.
  package init(_ store: Store, since known: Known, atMost limit: Int = TreeWalk.largestCount) {
    self.limit = limit
    self.store = store
    self.known = known
    builder = SnapshotBuilder(since: known)
  }

  /// Lists everything below `root`, in folder order.
  package mutating func run(_ root: ObjectID) throws(SyncError) { try list(root, at: [], depth: 0) }

  private mutating func list(_ id: ObjectID, at folder: [UInt8], depth: Int) throws(SyncError) {
    let tree = try store.tree(id)
    try readAttributes(in: tree, at: folder)
    let duplicates = tree.duplicates
    for entry in tree.byName {
      try count(entry)
      let path = folder.isEmpty ? entry.name : folder + [0x2F] + entry.name
      if let problem = problem(with: entry, duplicates, depth) {
        record(problem, at: entry.name, in: folder)
      } else if !entry.mode.isFolder {
        add(entry, at: path)
      } else if known.filter.accepts(folder: path) {
        try listInside(entry.id, at: path, depth: depth + 1)
      }
    }
  }

  /// Lists a folder below the root. One that is damaged is an unread part, so that nothing in it counts as deleted.
  private mutating func listInside(_ id: ObjectID, at path: [UInt8], depth: Int) throws(SyncError) {
    do throws(SyncError) { try list(id, at: path, depth: depth) } catch {
      guard error.reach == .path, let path = SyncPath(bytes: path) else { throw error }
      builder.add(unread: Unread(path, .failed(error.message)))
    }
  }

  private mutating func count(_ entry: GitTree.Entry) throws(SyncError) {
    count += 1
    guard count <= limit else {
      throw SyncError(
        .wrongReplica,
        "the repository has more than \(limit.counted("file")), the limit against hostile repositories; nothing was changed"
      )
    }
  }

  private mutating func readAttributes(in tree: GitTree, at path: [UInt8]) throws(SyncError) {
    guard let entry = tree.entries.first(where: { $0.name == Attributes.fileName }), entry.mode.isFile else { return }
    attributes.add(try store.file(entry.id), in: path)
  }

  private func problem(with entry: GitTree.Entry, _ duplicates: Set<[UInt8]>, _ depth: Int) -> String? {
    if let violation = GitName.violation(by: entry.name) { return "an entry that syncd ignores: \(violation)" }
    if duplicates.contains(entry.name) { return "an entry with a duplicate name" }
    if entry.mode.isFolder, depth >= Self.deepest { return "a folder that is nested too deeply" }
    return entry.mode.special
  }

  private mutating func add(_ entry: GitTree.Entry, at path: [UInt8]) {
    guard known.filter.accepts(file: path) else { return }
    if !attributes.isEmpty, let conversion = attributes.requirements(of: path).conversion,
      let path = SyncPath(bytes: path)
    {
      return builder.add(unread: Unread(path, .special("a file with \(conversion) in .gitattributes")))
    }
    builder.add(path: path, revision: entry.id.bytes, isFirm: true, size: 0, modified: nil)
  }

  private mutating func record(_ problem: String, at name: [UInt8], in folder: [UInt8]) {
    // An invalid name is reported under a valid one.
    let name = SyncPath(bytes: name) == nil ? Array("(\(printable(name)))".utf8.map { $0 == 0x2F ? 0x5C : $0 }) : name
    guard let path = SyncPath(bytes: folder.isEmpty ? name : folder + [0x2F] + name) else { return }
    builder.add(unread: Unread(path, .special(problem)))
  }
}
