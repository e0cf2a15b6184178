internal import SyncKit

/// The records of a tree and its position in the remote's journal: one per item, so that small changes are small writes, and one
/// for the position, written together with its tree.
enum TreeRecords {
  private static let prefix = "box.node/"
  static let positionKey = "box.position"

  /// The point in the stream of events up to which the tree is known.
  struct Position: Hashable, Sendable {
    /// The folder in the settings.
    var folder: String
    /// The ids of the root's ancestors, from All Files, and of the root.
    var chain: [String]
    var stream: StreamPosition
    /// The time of the last listing of everything.
    var walked: Timestamp
    /// The time at which the position was saved.
    var written: Timestamp

    var root: String { chain.last ?? BoxFolder.allFiles }
  }

  /// Reads the tree and its position; nil if there is none, or if it belongs to another folder.
  static func read(_ records: [String: [UInt8]], of folder: String) -> (RemoteTree, Position)? {
    guard let position = records[positionKey].flatMap(position), position.folder == folder else { return nil }
    var nodes: [String: RemoteTree.Node] = [:]
    for (key, value) in records where key.hasPrefix(prefix) {
      if let node = node(value) { nodes[String(key.dropFirst(prefix.count))] = node }
    }
    return (RemoteTree(root: position.root, nodes), position)
  }

  /// Returns the records that delete all items.
  static func removal(of records: [String: [UInt8]]) -> [String: [UInt8]?] {
    Dictionary(records.keys.filter { $0.hasPrefix(prefix) }.map { ($0, [UInt8]?.none) }) { first, _ in first }
  }

  static func records(_ changes: [String: RemoteTree.Node?]) -> [String: [UInt8]?] {
    Dictionary(changes.map { (prefix + $0, $1.map(bytes)) }) { first, _ in first }
  }

  static func record(_ position: Position) -> [UInt8] {
    Array(
      """
      \(position.written.seconds)
      \(position.walked.seconds)
      \(position.stream.text)
      \(position.chain.joined(separator: " "))
      \(position.folder)
      """.utf8)
  }

  private static func position(_ bytes: [UInt8]) -> Position? {
    let lines = String(decoding: bytes, as: UTF8.self).split(
      separator: "\n", maxSplits: 4, omittingEmptySubsequences: false
    ).map(String.init)
    guard lines.count == 5, let written = Int64(lines[0]), let walked = Int64(lines[1]),
      let stream = StreamPosition(lines[2])
    else { return nil }
    return Position(
      folder: lines[4], chain: lines[3].split(separator: " ").map(String.init), stream: stream,
      walked: Timestamp(seconds: walked), written: Timestamp(seconds: written))
  }

  /// The name comes last, because it may contain any character.
  private static func bytes(_ node: RemoteTree.Node) -> [UInt8] {
    let facts =
      switch node.kind {
      case .folder: "folder"
      case .file(let version): "file \(version.etag) \(version.sha1) \(version.size) \(version.id)"
      case .other(let type): "other \(type)"
      }
    return Array("\(node.parent)\n\(facts)\n".utf8) + node.name
  }

  private static func node(_ bytes: [UInt8]) -> RemoteTree.Node? {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 2, omittingEmptySubsequences: false)
    guard lines.count == 3,
      let kind = kind(String(decoding: lines[1], as: UTF8.self).split(separator: " ").map(String.init))
    else { return nil }
    return RemoteTree.Node(parent: String(decoding: lines[0], as: UTF8.self), name: Array(lines[2]), kind: kind)
  }

  private static func kind(_ facts: [String]) -> Item.Kind? {
    switch (facts.first, facts.count) {
    case ("folder", 1): .folder
    case ("other", 2): .other(facts[1])
    case ("file", 5):
      Int(facts[3]).map { .file(Item.Version(etag: facts[1], sha1: facts[2], size: $0, id: facts[4])) }
    default: nil
    }
  }
}
