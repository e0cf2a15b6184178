internal import SyncKit

/// The items below a folder in Box. Their addresses are their ids; the tree finds ids by paths, and paths of ids.
struct RemoteTree: Sendable {
  /// A file or folder: its name and the id of its folder.
  struct Node: Hashable, Sendable {
    var parent: String
    /// Bytes, because strings that Unicode treats as equal are different names.
    var name: [UInt8]
    var kind: Item.Kind
  }

  /// The id of the folder that is the root of the remote.
  let root: String
  private(set) var nodes: [String: Node] = [:]
  /// The ids in each folder, by name. Box makes names unique in a folder.
  private var children: [String: [[UInt8]: String]] = [:]
  /// The ids of items that changed since the last ``removeChanges()``.
  private var changed: Set<String> = []
  /// The former ids of paths that a listing no longer has.
  private(set) var gone: [SyncPath: String] = [:]

  init(root: String, _ nodes: [String: Node] = [:]) {
    self.root = root
    self.nodes = nodes
    for (id, node) in nodes { children[node.parent, default: [:]][node.name] = id }
  }

  // MARK: Finding

  func isFolder(_ id: String) -> Bool { id == root || nodes[id]?.kind == .folder }

  /// The folder of an item; nil if it is not in the tree.
  func parent(of id: String) -> String? { nodes[id]?.parent }

  /// The id of the folder at a path, the root for nil; nil if there is none.
  func folder(at path: SyncPath?) -> String? {
    guard let path else { return root }
    return self[path].flatMap { $0.node.kind == .folder ? $0.id : nil }
  }

  /// The item at a path.
  subscript(path: SyncPath) -> (id: String, node: Node)? {
    var id = root
    for part in path.parts {
      guard let next = children[id]?[Array(part)] else { return nil }
      id = next
    }
    return nodes[id].map { (id, $0) }
  }

  /// The path of an item; nil if it is not below the root.
  func path(of id: String) -> SyncPath? {
    var names: [[UInt8]] = []
    var id = id
    while id != root {
      // A hostile server could make a folder its own ancestor.
      guard let node = nodes[id], names.count <= nodes.count else { return nil }
      names.append(node.name)
      id = node.parent
    }
    return SyncPath(bytes: Array(names.reversed().joined(separator: [UInt8(ascii: "/")])))
  }

  /// Returns all items that are not folders, with their paths.
  func items() -> [(path: SyncPath, kind: Item.Kind)] {
    var items: [(SyncPath, Item.Kind)] = []
    var folders: [(id: String, path: SyncPath?)] = [(root, nil)]
    while let folder = folders.popLast() {
      for (name, id) in children[folder.id] ?? [:] {
        guard let kind = nodes[id]?.kind else { continue }
        guard let path = folder.path.map({ $0.appending(name) }) ?? SyncPath(bytes: name) else { continue }
        if kind == .folder { folders.append((id, path)) } else { items.append((path, kind)) }
      }
    }
    return items
  }

  // MARK: Changing

  /// Makes a folder contain exactly these items. Returns the folders among them whose contents are not known: they are new here,
  /// or were elsewhere.
  mutating func apply(_ items: [Item], in folder: String) -> [String] {
    let listed = Set(items.map(\.id))
    for id in (children[folder] ?? [:]).values where !listed.contains(id) { remove(id) }
    return items.filter { item in
      let isUnknown = item.isFolder && nodes[item.id].map { $0.parent != folder || $0.kind != .folder } ?? true
      set(item, in: folder)
      return isUnknown
    }.map(\.id)
  }

  /// Adds or replaces one item.
  mutating func set(_ item: Item, in folder: String) {
    let node = Node(parent: folder, name: Array(item.name.utf8), kind: item.kind)
    guard nodes[item.id] != node, item.id != root else { return }
    if nodes[item.id] != nil { detach(item.id) }
    if let other = children[folder]?[node.name], other != item.id { remove(other) }
    nodes[item.id] = node
    children[folder, default: [:]][node.name] = item.id
    changed.insert(item.id)
  }

  /// Removes an item with everything in it.
  mutating func remove(_ id: String) {
    if let path = path(of: id), nodes[id]?.kind != .folder { gone[path] = id }
    var ids = [id]
    detach(id)
    while let next = ids.popLast() {
      ids += (children.removeValue(forKey: next) ?? [:]).values
      if nodes.removeValue(forKey: next) != nil { changed.insert(next) }
    }
  }

  private mutating func detach(_ id: String) {
    guard let node = nodes[id], children[node.parent]?[node.name] == id else { return }
    children[node.parent]?[node.name] = nil
  }

  /// Replaces everything by another listing of the same or another root.
  mutating func replace(by other: RemoteTree) {
    var next = other
    next.changed = changed
    next.gone = [:]
    for (id, node) in nodes where other.nodes[id] != node {
      next.changed.insert(id)
      if let path = path(of: id), node.kind != .folder, other[path] == nil { next.gone[path] = id }
    }
    for (id, node) in other.nodes where nodes[id] != node { next.changed.insert(id) }
    self = next
  }

  /// Forgets which paths have disappeared.
  mutating func forgetGone() { gone = [:] }

  /// Returns the changes since the last call; nil for removed items.
  mutating func removeChanges() -> [String: Node?] {
    defer { changed = [] }
    return Dictionary(changed.map { ($0, nodes[$0]) }) { first, _ in first }
  }
}
