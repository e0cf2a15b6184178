internal import EmulatorWire
import Foundation
internal import SettingsRegistry

/// The state of a listing.
struct ListCursor {
  var number = 0
  /// The folder, by `path_lower`; empty for the root.
  var root: String
  var isRecursive: Bool
  var limit: Int
  /// The number of log entries that it has seen.
  var position: Int
  /// Entries that are listed but not reported yet.
  var pending: [JSON] = []
}

/// The argument of `list_folder`.
struct ListArgument: Decodable {
  var path: String
  var recursive: Bool?
  var limit: Int?
}

extension Account {
  mutating func list(_ argument: ListArgument) throws -> JSON {
    let cursor = try start(argument)
    let keys = items.keys.filter {
      Names.isInside($0, cursor.root, deeply: cursor.isRecursive) || (cursor.isRecursive && $0 == cursor.root)
    }
    return page(keys.sorted().compactMap { items[$0] }.map { metadata(of: $0) }, cursor)
  }

  mutating func latestCursor(_ argument: ListArgument) throws -> JSON {
    ["cursor": .string(keep(try start(argument)))]
  }

  private func start(_ argument: ListArgument) throws -> ListCursor {
    try Names.check(argument.path, mayBeRoot: true)
    var root = ""
    if !argument.path.isEmpty {
      guard let item = item(at: argument.path) else { throw APIError("path", "not_found") }
      guard !item.isFile else { throw APIError("path", "not_folder") }
      root = item.key
    }
    return ListCursor(
      root: root, isRecursive: argument.recursive ?? false, limit: argument.limit ?? 2_000, position: visibleLog)
  }

  mutating func listMore(_ name: String) throws -> JSON {
    var cursor = try cursor(name)
    if !cursor.root.isEmpty, items[cursor.root] == nil { throw APIError("path", "not_found") }
    guard cursor.pending.isEmpty else { return page(cursor.pending, cursor) }
    let changes = changes(since: cursor)
    cursor.position = visibleLog
    return page(changes, cursor)
  }

  /// Returns true if a cursor has changes.
  func hasNews(for name: String) throws -> Bool {
    let cursor = try cursor(name)
    return !cursor.pending.isEmpty || !changes(since: cursor).isEmpty
  }

  /// Returns the cursor with this name, which may be read any number of times.
  private func cursor(_ name: String) throws -> ListCursor {
    guard let cursor = cursors[name] else { throw BadInput("Invalid \"cursor\" parameter: '\(name)'") }
    guard cursor.number > voidCursors else { throw APIError("reset") }
    return cursor
  }

  private mutating func page(_ entries: [JSON], _ cursor: ListCursor) -> JSON {
    var cursor = cursor
    let count = min(entries.count, cursor.limit, pageSize)
    cursor.pending = Array(entries[count...])
    return [
      "entries": .array(Array(entries[..<count])), "cursor": .string(keep(cursor)),
      "has_more": .boolean(!cursor.pending.isEmpty),
    ]
  }

  private mutating func keep(_ cursor: ListCursor) -> String {
    cursorCount += 1
    let name =
      "AA"
      + Data("\(cursorCount):\(UInt32.random(in: 0...(.max)))".utf8).base64EncodedString()
      .replacingOccurrences(of: "=", with: "")
    cursors[name] = cursor
    cursors[name]?.number = cursorCount
    return name
  }

  /// The changes since a cursor: each path once, in its present state, in the order of its last change. A path that was removed
  /// with its folder is not reported separately.
  private func changes(since cursor: ListCursor) -> [JSON] {
    var seen: Set<String> = []
    var keys: [String] = []
    for (key, _) in log[cursor.position..<max(cursor.position, visibleLog)].reversed()
    where Names.isInside(key, cursor.root, deeply: cursor.isRecursive) && seen.insert(key).inserted {
      keys.append(key)
    }
    let gone = Set(keys.filter { items[$0] == nil })
    return keys.reversed().compactMap { key in
      if let item = items[key] { return metadata(of: item) }
      return hasAncestor(of: key, in: gone) ? nil : deletedMetadata(key, display: lastName(of: key))
    }
  }

  private func hasAncestor(of key: String, in keys: Set<String>) -> Bool {
    sequence(first: Names.parent(of: key)) { $0.isEmpty ? nil : Names.parent(of: $0) }.contains(where: keys.contains)
  }

  /// The last name of a removed path.
  func lastName(of key: String) -> String {
    if case .deleted(let display, _)? = history[key]?.last { display } else { key }
  }
}
