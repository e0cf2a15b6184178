internal import SyncKit

/// The items below a Dropbox folder, from its listings.
///
/// The key of an item is Dropbox's `path_lower`, which is never computed here, because Dropbox folds case in its own way. Only
/// the last component of a displayed path has reliable case; the parent components come from the folders' own entries.
struct RemoteTree: Sendable {
  /// A file or folder.
  struct Node: Hashable, Sendable {
    /// The item's own name, in its original case.
    var name: [UInt8]
    /// Nil for a folder.
    var version: Metadata.Version?
  }

  /// The items by `path_lower`, relative to the remote's folder.
  private(set) var nodes: [SyncPath: Node] = [:]
  /// The paths that changed since the last `removeChanges`.
  private var changed: Set<SyncPath> = []

  init(_ nodes: [SyncPath: Node] = [:]) { self.nodes = nodes }

  /// Applies the entries of a listing in order (Dropbox, `list_folder`).
  mutating func apply(_ entries: [Metadata], in folder: DropboxFolder) {
    for entry in entries {
      guard let lower = entry.pathLower, let key = folder.file(lower) else { continue }
      switch entry.kind {
      case .file:
        // An item without versions cannot be read, but it exists.
        let version = entry.version ?? Metadata.Version(rev: "", size: 0, isDownloadable: false)
        if nodes[key]?.version == nil { removeAll(inside: key) }
        set(Node(name: Array(entry.name.utf8), version: version), at: key)
      case .folder: set(Node(name: Array(entry.name.utf8)), at: key)
      case .deleted:
        if nodes[key]?.version == nil { removeAll(inside: key) }
        set(nil, at: key)
      case .other: continue
      }
    }
  }

  private mutating func set(_ node: Node?, at key: SyncPath) {
    guard nodes[key] != node else { return }
    nodes[key] = node
    changed.insert(key)
  }

  private mutating func removeAll(inside folder: SyncPath) {
    for key in nodes.keys where key.isInside(folder) { set(nil, at: key) }
  }

  /// Returns the changes since the last call; nil for removed items.
  mutating func removeChanges() -> [SyncPath: Node?] {
    defer { changed = [] }
    return Dictionary(changed.map { ($0, nodes[$0]) }) { first, _ in first }
  }

  /// Replaces everything by another listing.
  mutating func replace(by other: RemoteTree) {
    for key in Set(nodes.keys).subtracting(other.nodes.keys) { set(nil, at: key) }
    for (key, node) in other.nodes { set(node, at: key) }
  }

  /// The path of an item in its original case: its own name after the names of its parent folders.
  ///
  /// - Parameter shown: Dropbox's `path_display`, for parent folders that no listing has contained.
  func path(of key: SyncPath, name: some Sequence<UInt8>, shown: SyncPath? = nil) -> SyncPath? {
    let depth = key.parts.count
    let shownParts = shown?.parts.map(Array.init)
    var parts: [[UInt8]] = []
    for (index, ancestor) in key.ancestors.reversed().enumerated() {
      let known = nodes[ancestor].map(\.name)
      let written = shownParts.flatMap { $0.count == depth ? $0[index] : nil }
      parts.append(known ?? written ?? Array(ancestor.name))
    }
    return SyncPath(bytes: Array((parts + [Array(name)]).joined(separator: [UInt8(ascii: "/")])))
  }

  /// Returns all files with their paths in original case.
  func files() -> [(path: SyncPath, version: Metadata.Version)] {
    nodes.compactMap { key, node in
      guard let version = node.version, let path = path(of: key, name: node.name) else { return nil }
      return (path, version)
    }
  }
}
