internal import SyncKit

/// The records of a tree and its cursor in the remote's journal: one per node, so that small changes are small writes, and one
/// for the cursor, written together with its tree.
enum TreeRecords {
  private static let prefix = "dropbox.node/"
  static let cursorKey = "dropbox.cursor"

  /// The position for the next listing, and the time at which it was saved.
  struct Cursor: Hashable, Sendable {
    var folder: String
    var text: String
    var written: Timestamp
  }

  /// Reads the tree and its cursor; empty and nil if there is none, or if it belongs to another folder.
  static func read(_ records: [String: [UInt8]], of folder: String) -> (RemoteTree, Cursor?) {
    guard let cursor = records[cursorKey].flatMap(cursor), cursor.folder == folder else { return (RemoteTree(), nil) }
    var nodes: [SyncPath: RemoteTree.Node] = [:]
    for (key, value) in records where key.hasPrefix(prefix) {
      guard let path = SyncPath(String(key.dropFirst(prefix.count))), let node = node(value) else { continue }
      nodes[path] = node
    }
    return (RemoteTree(nodes), cursor)
  }

  /// Returns the records to delete: those of another folder's listing.
  static func stale(in records: [String: [UInt8]], but tree: RemoteTree) -> [String: [UInt8]?] {
    guard tree.nodes.isEmpty else { return [:] }
    return Dictionary(records.keys.filter { $0.hasPrefix(prefix) }.map { ($0, [UInt8]?.none) }) { first, _ in first }
  }

  static func records(_ changes: [SyncPath: RemoteTree.Node?]) -> [String: [UInt8]?] {
    Dictionary(changes.map { (prefix + String(decoding: $0.bytes, as: UTF8.self), $1.map(bytes)) }) { first, _ in first
    }
  }

  static func record(_ cursor: Cursor) -> [UInt8] {
    Array("\(cursor.written.seconds)\n\(cursor.text)\n\(cursor.folder)".utf8)
  }

  private static func cursor(_ bytes: [UInt8]) -> Cursor? {
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", maxSplits: 2).map(String.init)
    guard lines.count == 3, let seconds = Int64(lines[0]) else { return nil }
    return Cursor(folder: lines[2], text: lines[1], written: Timestamp(seconds: seconds))
  }

  /// The name comes last, because it may contain any byte.
  private static func bytes(_ node: RemoteTree.Node) -> [UInt8] {
    guard let version = node.version else { return Array("folder\n".utf8) + node.name }
    let downloadable = version.isDownloadable ? "1" : "0"
    let facts = "file\n\(version.rev)\n\(version.size)\n\(version.hash ?? "")\n\(downloadable)\n"
    return Array(facts.utf8) + node.name
  }

  private static func node(_ bytes: [UInt8]) -> RemoteTree.Node? {
    let newline = UInt8(ascii: "\n")
    let isFile = bytes.starts(with: "file\n".utf8)
    let parts = bytes.split(separator: newline, maxSplits: isFile ? 5 : 1, omittingEmptySubsequences: false)
    guard isFile else { return parts.count == 2 ? RemoteTree.Node(name: Array(parts[1])) : nil }
    guard parts.count == 6, let size = Int(String(decoding: parts[2], as: UTF8.self)) else { return nil }
    let hash = String(decoding: parts[3], as: UTF8.self)
    return RemoteTree.Node(
      name: Array(parts[5]),
      version: Metadata.Version(
        rev: String(decoding: parts[1], as: UTF8.self), size: size, hash: hash.isEmpty ? nil : hash,
        isDownloadable: parts[4].elementsEqual("1".utf8)))
  }
}
