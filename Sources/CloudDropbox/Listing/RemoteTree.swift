internal import SyncKit

/// What a Dropbox holds below one folder, as its listings told it.
///
/// Things are found by what Dropbox calls `path_lower`, which it computes in its own way, so that it is never computed
/// here. Only the last part of a path that is shown is sure to be written as it is; the parts above are those of the
/// folders themselves.
struct RemoteTree: Sendable {
  /// A file or folder.
  struct Node: Hashable, Sendable {
    /// Its own name, as it was written.
    var name: [UInt8]
    /// Nil for a folder.
    var version: Metadata.Version?
  }

  /// By `path_lower`, from the folder of the remote on.
  private(set) var nodes: [SyncPath: Node] = [:]
  /// The paths that were changed since they were last asked for.
  private var changed: Set<SyncPath> = []

  init(_ nodes: [SyncPath: Node] = [:]) { self.nodes = nodes }

  /// Follows what a listing says, in its order (Dropbox, `list_folder`).
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

  /// What has changed since the last call, nil where something is gone.
  mutating func removeChanges() -> [SyncPath: Node?] {
    defer { changed = [] }
    return Dictionary(changed.map { ($0, nodes[$0]) }) { first, _ in first }
  }

  /// Replaces everything by another listing.
  mutating func replace(by other: RemoteTree) {
    for key in Set(nodes.keys).subtracting(other.nodes.keys) { set(nil, at: key) }
    for (key, node) in other.nodes { set(node, at: key) }
  }

  /// The path of a node as it is written: its own name, and those of the folders above.
  ///
  /// - Parameter shown: what Dropbox shows, for folders that no listing has told of.
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

  /// All files, by path as it is written.
  func files() -> [(path: SyncPath, version: Metadata.Version)] {
    nodes.compactMap { key, node in
      guard let version = node.version, let path = path(of: key, name: node.name) else { return nil }
      return (path, version)
    }
  }
}
