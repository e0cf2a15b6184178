import Foundation
internal import SettingsRegistry

/// The state of one Box, as a value: its items, upload sessions and events.
///
/// It determines the answers of the service; other types send and wait.
struct Account {
  static let root = "0"

  /// The present items, by id.
  private(set) var items: [String: Item] = [:]
  /// The ids of the items of each folder.
  private var children: [String: Set<String>] = [:]
  /// The ids of removed items.
  private var trashed: Set<String> = []
  var sessions: [String: UploadSession] = [:]
  var events = EventStream()
  /// The maximum size of all files in bytes.
  var quota: Int?
  /// The maximum number of entries per page.
  var pageSize = 1_000
  /// Beyond the integers of a `Double`, so that no client computes with ids.
  private var number = (1 << 53) + 1_000

  init() {
    let now = Self.now()
    items[Self.root] = Item(
      id: Self.root, kind: .folder, name: "All Files", modified: now, contentModified: now)
  }

  /// Returns a number that was never used before.
  mutating func newID() -> String {
    number += 1
    return String(number)
  }

  /// The time in the format of the service.
  static func now() -> String { Date().ISO8601Format() }

  var usedBytes: Int { items.values.reduce(0) { $0 + ($1.version?.bytes.count ?? 0) } }

  // MARK: Looking

  func folder(_ id: String) throws(APIError) -> Item {
    guard let item = items[id], item.isFolder else { throw missing(id) }
    return item
  }

  func file(_ id: String) throws(APIError) -> Item {
    guard let item = items[id], item.version != nil else { throw missing(id) }
    return item
  }

  private func missing(_ id: String) -> APIError { APIError(404, trashed.contains(id) ? "trashed" : "not_found") }

  /// The items of a folder: folders first, in the order of their ids.
  func items(in folder: String) -> [Item] {
    (children[folder] ?? []).compactMap { items[$0] }.sorted { Self.position($0) < Self.position($1) }
  }

  private static func position(_ item: Item) -> (Int, Int) { (item.isFolder ? 0 : 1, Int(item.id) ?? 0) }

  func item(_ name: String, in folder: String) -> Item? {
    let key = Names.key(name)
    return (children[folder] ?? []).lazy.compactMap { items[$0] }.first { Names.key($0.name) == key }
  }

  /// Returns a page of a folder that begins after a marker: the position of the last item before.
  func page(of folder: String, after marker: String?, limit: Int) throws(APIError) -> JSON {
    _ = try self.folder(folder)
    var rest = items(in: folder)[...]
    if let marker {
      let after = try Self.position(marker)
      rest = rest.drop { Self.position($0) <= after }
    }
    let page = rest.prefix(min(limit, pageSize))
    let isLast = page.count == rest.count
    let next = isLast ? "" : page.last.map { Self.marker(Self.position($0)) } ?? ""
    return [
      "limit": .integer(limit), "next_marker": .string(next),
      "entries": .array(page.map { description(of: $0) }),
    ]
  }

  private static func marker(_ position: (Int, Int)) -> String {
    Data("\(position.0):\(position.1)".utf8).base64EncodedString()
  }

  private static func position(_ marker: String) throws(APIError) -> (Int, Int) {
    let text = Data(base64Encoded: marker).map { String(decoding: $0, as: UTF8.self) } ?? ""
    let parts = text.split(separator: ":").map { Int($0) }
    guard parts.count == 2, let kind = parts[0], let number = parts[1] else { throw APIError(400, "bad_request") }
    return (kind, number)
  }

  // MARK: Storing

  /// Stores an item that is new or has changed, and its event.
  mutating func store(_ item: Item, _ event: EventKind) {
    if let old = items[item.id], let parent = old.parent { children[parent]?.remove(item.id) }
    items[item.id] = item
    if let parent = item.parent { children[parent, default: []].insert(item.id) }
    events.add(event, description(of: item))
  }

  /// Removes an item with everything in it, which has one event.
  mutating func trash(_ item: Item) {
    let description = description(of: item)
    drop(item)
    events.add(.trashed, description)
  }

  private mutating func drop(_ item: Item) {
    for child in items(in: item.id) { drop(child) }
    items[item.id] = nil
    children[item.id] = nil
    if let parent = item.parent { children[parent]?.remove(item.id) }
    trashed.insert(item.id)
  }
}
