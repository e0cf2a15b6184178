package import SyncKit

/// A tree of folders that is being edited: folders are read when needed, changed ones are written, and all others keep their
/// objects.
package final class TreeEdit {
  /// Reads and writes folders.
  package struct Store {
    var read: (ObjectID) throws(SyncError) -> GitTree
    var write: (GitTree) throws(SyncError) -> ObjectID

    package init(
      read: @escaping (ObjectID) throws(SyncError) -> GitTree, write: @escaping (GitTree) throws(SyncError) -> ObjectID
    ) {
      self.read = read
      self.write = write
    }
  }

  private final class Folder {
    var entries: [[UInt8]: GitTree.Entry]
    /// The subfolders that were read.
    var folders: [[UInt8]: Folder] = [:]
    var isChanged = false
    /// An entry whose name occurs more than once, as in no valid tree; writing such a folder would lose one.
    let duplicate: GitTree.Entry?

    init(_ tree: GitTree) {
      duplicate = tree.duplicates.first.flatMap { name in tree.entries.first { $0.name == name } }
      entries = Dictionary(tree.entries.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }
  }

  private let store: Store
  private let root: Folder

  /// - Parameter root: the tree to begin with; nil for an empty one.
  package init(_ root: ObjectID?, in store: Store) throws(SyncError) {
    self.store = store
    self.root = Folder(try root.map { id throws(SyncError) in try store.read(id) } ?? GitTree())
  }

  /// The item at a path, or in its way.
  package enum Item {
    case nothing
    case entry(GitTree.Entry)
    /// Something other than a folder is in the place of a parent folder.
    case blocked(by: GitTree.Entry)
  }

  /// Returns the current item at `path`.
  package func item(_ path: SyncPath) throws(SyncError) -> Item {
    let parts = path.parts.map { Array($0) }
    var folder = root
    for part in parts.dropLast() {
      if let duplicate = folder.duplicate { return .blocked(by: duplicate) }
      guard let entry = folder.entries[part] else { return .nothing }
      guard let next = try self.folder(part, in: folder) else { return .blocked(by: entry) }
      folder = next
    }
    if let duplicate = folder.duplicate { return .blocked(by: duplicate) }
    return folder.entries[parts[parts.count - 1]].map(Item.entry) ?? .nothing
  }

  /// Puts a file at `path`, and creates its parent folders; only a file may be replaced.
  package func put(_ id: ObjectID, _ mode: GitTree.Mode, at path: SyncPath) throws(SyncError) {
    try change(path) { folder, name in folder.entries[name] = GitTree.Entry(mode: mode, name: name, id: id) }
  }

  /// Removes the file at `path`, and folders that become empty, because git has none.
  package func remove(_ path: SyncPath) throws(SyncError) {
    try change(path) { folder, name in folder.entries[name] = nil }
  }

  /// Writes the changed folders, and returns the root tree.
  package func write() throws(SyncError) -> ObjectID { try write(root) }

  private func folder(_ name: [UInt8], in folder: Folder) throws(SyncError) -> Folder? {
    if let known = folder.folders[name] { return known }
    guard let entry = folder.entries[name], entry.mode.isFolder else { return nil }
    let found = Folder(try store.read(entry.id))
    folder.folders[name] = found
    return found
  }

  private func change(_ path: SyncPath, _ body: (Folder, [UInt8]) -> Void) throws(SyncError) {
    let parts = path.parts.map { Array($0) }
    var trail = [root]
    for part in parts.dropLast() {
      let next = try folder(part, in: trail[trail.count - 1]) ?? Folder(GitTree())
      trail[trail.count - 1].folders[part] = next
      // The id is a placeholder until the folder is written.
      trail[trail.count - 1].entries[part] = GitTree.Entry(mode: .folder, name: part, id: .zero)
      trail.append(next)
    }
    body(trail[trail.count - 1], parts[parts.count - 1])
    for folder in trail { folder.isChanged = true }
    for (depth, part) in parts.dropLast().enumerated().reversed() where trail[depth + 1].entries.isEmpty {
      trail[depth].entries[part] = nil
      trail[depth].folders[part] = nil
    }
  }

  private func write(_ folder: Folder) throws(SyncError) -> ObjectID {
    for (name, inner) in folder.folders where inner.isChanged {
      folder.entries[name]?.id = try write(inner)
      inner.isChanged = false
    }
    return try store.write(GitTree(entries: Array(folder.entries.values)))
  }
}
